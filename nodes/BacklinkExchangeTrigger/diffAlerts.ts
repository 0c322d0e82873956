import type { IDataObject } from 'n8n-workflow';

import { timeOfAlert } from '../shared/descriptions/events';
import { hash, isId, toComparable } from '../shared/utils/ids';
import type { KnownAlert } from './trigger.types';

/** The most alerts that are remembered. One takes about 30 bytes. */
export const maxTrackedAlerts = 20_000;

/** Characters of a hash. */
const hashLength = 12;

/**
 * Which alerts of a list are new, whatever their order, and what to remember. An alert is its ID and severity, or else its
 * content and time, or else its content, each counted among its equals. An empty list changes nothing.
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

	// Among alerts of the same content, those that are remembered have the first numbers.
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
		/** `occurrence` is 2 for the second alert of the same content, and so on. */
		newAlerts: newAlerts.map(({ alert, known }) => ({ alert, occurrence: count(known) })),
		/** The listed ones first; of the others as many as there is room for. */
		known: [...listedAlerts, ...unlisted].slice(0, Math.max(listedAlerts.length, maxTrackedAlerts)),
	};
}

/** Each alert, and how it is remembered; one that has an ID once, although it may be listed again, as on two pages. */
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
	const seconds = timeOfAlert(alert);
	// Some services write the ID of the exchange there.
	const hasId = isId(id) && String(id) !== toComparable(exchange);
	const suffix = hasId ? `#${shortHash(id, severity)}` : seconds === undefined ? '' : `@${seconds}`;
	return shortHash(exchange, severity, type, detail) + suffix;
}

/** What is the same in two lists: the ID, whatever the content, or else the content, with the time where there is one. */
function getIdentity(known: KnownAlert): string {
	return known.replace(/^\w+(?=#)|(?<!\?)\?+$/g, '');
}
