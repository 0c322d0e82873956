import type { IDataObject } from 'n8n-workflow';

import { timeOfAlert } from '../shared/fields/events';
import { hash, isId, plainText } from '../shared/identity';

/** The most alerts that are remembered. As text, one takes about 30 bytes. */
export const mostAlerts = 20_000;

/** Seconds for which alerts are kept that disappear all at once. */
const day = 86_400;

/** What is remembered of an alert. */
interface KnownAlert {
	/** A hash of how it reads: exchange, severity, type and detail. Alerts that read the same are numbered. */
	reading: string;
	/** A hash of its id with its severity, which may rise; empty where it has no id. */
	id: string;
	/** When it came up, in epoch seconds. */
	time?: number;
	/** How many polls in a row did not show it, where it has neither id nor time: after two of them it is gone. */
	missed: number;
}

/** What `compareAlerts` remembers from one comparison to the next. */
export interface KnownAlerts {
	/** Each alert as a text (`write`), the listed ones first. */
	alerts: readonly string[];
	/** Since when the list shows none of those that are remembered; epoch seconds. */
	alertsAwaySince?: number;
}

/**
 * Which alerts of a list are new, whatever their order. An alert is its id, or else its exact content with its number among
 * equals (decision 0008). One that has neither id nor time and is gone may come up again and is new then.
 * @param now epoch seconds
 */
export function compareAlerts(alerts: IDataObject[], before: KnownAlerts, now: number) {
	const remembered = before.alerts.map(read);
	const unmatched = new Map<string, KnownAlert[]>();
	for (const each of remembered.filter(({ missed }) => missed < 2)) {
		const [key = ''] = keysOf(each);
		const same = unmatched.get(key);
		if (same === undefined) unmatched.set(key, [each]);
		else same.push(each);
	}
	const wasKnown = (alert: KnownAlert) => {
		const key = keysOf(alert).find((each) => unmatched.get(each)?.length);
		return key !== undefined && unmatched.get(key)?.pop() !== undefined;
	};
	const listed = distinct(alerts.map((alert) => ({ alert, known: describe(alert) })));
	const fresh = listed.filter(({ known }) => !wasKnown(known));

	const isNoneListed = fresh.length === listed.length;
	const awaySince = isNoneListed ? Math.min(before.alertsAwaySince ?? now, now) : undefined;
	const isAway = awaySince !== undefined && now - awaySince < day;
	const missing = new Set([...unmatched.values()].flat());
	const unlisted = remembered.filter((each) => each.missed >= 2 || missing.has(each));
	const isCounted = ({ id, time, missed }: KnownAlert) =>
		id === '' && time === undefined && missed < 2;
	const later = unlisted.map((each) =>
		isCounted(each) && !isAway ? { ...each, missed: each.missed + 1 } : each,
	);
	const readsAs = new Map<string, number>();
	const number = ({ reading }: KnownAlert) => {
		const occurrence = (readsAs.get(reading) ?? 0) + 1;
		readsAs.set(reading, occurrence);
		return occurrence;
	};
	remembered.forEach(number);
	return {
		/** The new alerts; `occurrence` is 2 for the second one that reads like this, and so on. */
		fresh: fresh.map(({ alert, known }) => ({ alert, occurrence: number(known) })),
		/** Whether an alert is gone that was not gone before. */
		hasGone: later.some(({ missed }, index) => missed === 2 && unlisted[index]?.missed === 1),
		/**
		 * What to remember: all that are listed, then those that are not any more as long as there is room.
		 * @param left alerts that are to be new with the next comparison, too
		 */
		remember(left: ReadonlySet<IDataObject>): KnownAlerts {
			const shown = listed.filter(({ alert }) => !left.has(alert)).map(({ known }) => write(known));
			const known = [...shown, ...later.map(write)];
			return {
				alerts: known.slice(0, Math.max(shown.length, mostAlerts)),
				...(awaySince !== undefined && remembered.length > 0 && { alertsAwaySince: awaySince }),
			};
		},
	};
}

/** The keys by which an alert may have been remembered, the best first: a second more or less is the same moment. */
function keysOf({ reading, id, time }: KnownAlert): string[] {
	if (id !== '') return [id];
	return time === undefined
		? [reading]
		: [time, time - 1, time + 1].map((each) => `${reading} ${each}`);
}

/** The alerts without repetitions, such as the same one on two pages; without id and time, two that read the same are two. */
function distinct<Entry extends { known: KnownAlert }>(entries: Entry[]): Entry[] {
	const found = new Set<string>();
	return entries.filter(({ known }) => {
		const [key = ''] = keysOf(known);
		const isAnother = !found.has(key) || key === known.reading;
		found.add(key);
		return isAnother;
	});
}

function describe(alert: IDataObject): KnownAlert {
	const { id, exchange_id: exchange, severity, type, detail } = alert;
	const hasId = isId(id) && String(id) !== plainText(exchange);
	return {
		reading: hash([exchange, severity, type, detail].map(plainText)).slice(0, 12),
		id: hasId ? hash([id, severity].map(plainText)).slice(0, 12) : '',
		time: hasId ? undefined : timeOfAlert(alert)?.seconds,
		missed: 0,
	};
}

function write({ reading, id, time, missed }: KnownAlert): string {
	return [reading, id, time].join('.') + '?'.repeat(missed);
}

function read(text: string): KnownAlert {
	const [known = '', ...missed] = text.split('?');
	const [reading = '', id = '', time = ''] = known.split('.');
	return { reading, id, ...(time !== '' && { time: Number(time) }), missed: missed.length };
}
