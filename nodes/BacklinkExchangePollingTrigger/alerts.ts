import type { IDataObject } from 'n8n-workflow';

import { hash, isId } from '../shared/events';
import { readFieldTime } from '../shared/time';

/** Fields that tell when an alert came up, where the service has one (the record is not documented). */
const timeFields = ['created_at', 'detected_at', 'occurred_at'];
/** In front of the identity of an alert that only its place among those that read the same tells apart. */
const counted = '~';
/** Behind the identity of such an alert that the last look did not show. */
const doubtful = '?';

/** Epoch seconds, where the record tells. */
export function timeOfAlert(alert: IDataObject): number | undefined {
	const times = timeFields.map((field) => readFieldTime(alert[field])?.seconds);
	return times.find((time) => time !== undefined);
}

/**
 * The alerts of a list, each under a name that tells it apart, by what does not change from look to look: its id, or the
 * time at which it came up, with the exchange, the severity and the type. Other fields, and with these the wording of the
 * detail, may change at every look. Alerts with neither are counted: the third that reads the same is another one than
 * the second.
 */
export function alertsByIdentity(alerts: IDataObject[]): Map<string, IDataObject> {
	const counts = new Map<string, number>();
	const numberOf = (group: string) => {
		const number = (counts.get(group) ?? 0) + 1;
		counts.set(group, number);
		return number;
	};
	const byIdentity = new Map<string, IDataObject>();
	const timed = new Map<string, string>();
	for (const alert of alerts) {
		const { exchange_id, severity, type, detail } = alert;
		const time = timeOfAlert(alert);
		let identity: string;
		const exchange = isId(exchange_id) ? String(exchange_id) : undefined;
		if (isId(alert.id) && String(alert.id) !== exchange) {
			identity = shortHash([alert.id, exchange_id, severity, type]);
		} else if (time === undefined) {
			const group = shortHash([exchange_id, severity, type, detail]);
			identity = counted + shortHash([group, numberOf(group)]);
		} else {
			// The same on two pages is one; of two that differ in the detail, each counts.
			const group = shortHash([exchange_id, severity, type, time]);
			const exact = shortHash([group, detail]);
			identity = timed.get(exact) ?? shortHash([group, numberOf(group)]);
			timed.set(exact, identity);
		}
		byIdentity.set(identity, alert);
	}
	return byIdentity;
}

export function isKnown(known: ReadonlySet<string>, identity: string): boolean {
	return known.has(identity) || known.has(identity + doubtful);
}

/**
 * Those that are listed, then those that are not any more as long as there is room. Of alerts that are only counted, one
 * that two looks in a row did not show is gone, so that the next that reads the same is a new one.
 */
export function rememberAlerts(
	listed: ReadonlySet<string>,
	known: ReadonlySet<string>,
	most: number,
): Set<string> {
	const unlisted = [...known].flatMap((entry) => {
		const identity = entry.replace(doubtful, '');
		if (listed.has(identity)) return [];
		if (!identity.startsWith(counted)) return [identity];
		return entry.endsWith(doubtful) ? [] : [identity + doubtful];
	});
	return new Set([...listed, ...unlisted].slice(0, most));
}

function shortHash(value: unknown): string {
	return hash(value).slice(0, 18);
}
