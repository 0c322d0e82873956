import type { IDataObject } from 'n8n-workflow';

import { getAlertTime } from '../shared/descriptions/events';
import { hash, isId, toComparable } from '../shared/utils/ids';
import type { KnownAlert } from './trigger.types';

/** Each takes about 30 bytes of static data. */
export const maxTrackedAlerts = 20_000;

const hashLength = 12;

/**
 * Returns the diff between the listed alerts and the known ones, in any order.
 *
 * The identity of an alert is its ID and severity, otherwise its content and time, otherwise its
 * content; duplicates are counted. An empty list changes nothing.
 *
 * @returns the new alerts, and the next known alerts
 */
export function diffAlerts(alerts: IDataObject[], previous: readonly KnownAlert[]) {
	const isGone = (known: KnownAlert) => known.endsWith('??');
	const unmatched = new Map<string, KnownAlert[]>();
	for (const known of previous.filter((each) => !isGone(each))) {
		const key = getIdentity(known);
		unmatched.set(key, [...(unmatched.get(key) ?? []), known]);
	}
	const listed = deduplicateById(alerts);
	const newAlerts = listed.filter(
		({ known }) => unmatched.get(getIdentity(known))?.pop() === undefined,
	);
	const isMissing = (known: KnownAlert) => alerts.length > 0 && !/[#@]/.test(known);
	const unlisted = [
		...[...unmatched.values()].flat().map((known) => (isMissing(known) ? `${known}?` : known)),
		...previous.filter(isGone),
	];

	// Among alerts with the same content, the known ones have the first numbers.
	const counts = new Map<string, number>();
	const count = (known: KnownAlert): number => {
		const content = known.slice(0, hashLength);
		const number = (counts.get(content) ?? 0) + 1;
		counts.set(content, number);
		return number;
	};
	for (const known of previous) count(known);
	const listedAlerts = listed.map(({ known }) => known);
	return {
		/** `occurrence` is 2 for the second alert with the same content, and so on. */
		newAlerts: newAlerts.map(({ alert, known }) => ({ alert, occurrence: count(known) })),
		/** The listed alerts first, then as many of the others as the capacity allows. */
		known: [...listedAlerts, ...unlisted].slice(0, Math.max(listedAlerts.length, maxTrackedAlerts)),
	};
}

/**
 * Converts alerts to their known form and leaves out duplicates of an ID.
 *
 * An alert can be listed twice, for example on two pages.
 */
function deduplicateById(alerts: IDataObject[]) {
	const identities = new Set<string>();
	return alerts
		.map((alert) => ({ alert, known: toKnownAlert(alert) }))
		.filter(({ known }) => {
			const key = getIdentity(known);
			const isDuplicate = identities.has(key);
			if (key.startsWith('#')) identities.add(key);
			return !isDuplicate;
		});
}

function toKnownAlert(alert: IDataObject): KnownAlert {
	const { id, exchange_id: exchange, severity, type, detail } = alert;
	const shortHash = (...parts: unknown[]) => hash(parts.map(toComparable)).slice(0, hashLength);
	const seconds = getAlertTime(alert);
	// `id` may be the ID of the exchange instead.
	const hasId = isId(id) && String(id) !== toComparable(exchange);
	const suffix = hasId ? `#${shortHash(id, severity)}` : seconds === undefined ? '' : `@${seconds}`;
	return shortHash(exchange, severity, type, detail) + suffix;
}

/** Returns the identity of a known alert: its ID, otherwise its content and known time. */
function getIdentity(known: KnownAlert): string {
	return known.replace(/^\w+(?=#)|(?<!\?)\?+$/g, '');
}
