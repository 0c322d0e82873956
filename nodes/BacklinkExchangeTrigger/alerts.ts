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
	/** When the alert came up, in epoch seconds; left out where it has an id. */
	time?: number;
	/** How many polls in a row did not show it; counted where it has neither id nor time. After two of them it is gone. */
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
	const listed = distinct(alerts.map((alert) => ({ alert, known: describe(alert) })));
	const gone = remembered.filter(isGone);
	const { fresh, missing } = match(
		listed,
		remembered.filter((each) => !isGone(each)),
	);

	// While the list shows nothing that is remembered, all of it counts as there for a day: the list may be at fault.
	const isNoneKnown = fresh.length === listed.length;
	const awaySince = isNoneKnown ? Math.min(before.alertsAwaySince ?? now, now) : undefined;
	const isBelieved = awaySince === undefined || now - awaySince >= day;
	const unlisted = missing.map((each) =>
		isBelieved && isCounted(each) ? { ...each, missed: each.missed + 1 } : each,
	);

	// Among alerts that read the same, those that are remembered have the first numbers.
	const numberOf = numbering();
	for (const { reading } of remembered) numberOf(reading);
	return {
		/** The new alerts; `occurrence` is 2 for the second one that reads like this, and so on. */
		fresh: fresh.map(({ alert, known }) => ({ alert, occurrence: numberOf(known.reading) })),
		/** Whether an alert is gone that was not gone before. */
		hasGone: unlisted.some(isGone),
		/**
		 * What to remember: all alerts that are listed, then those that are not listed any more, as long as there is room.
		 * @param left alerts that are to be new with the next comparison, too
		 */
		remember(left: ReadonlySet<IDataObject>): KnownAlerts {
			const shown = listed.filter(({ alert }) => !left.has(alert)).map(({ known }) => known);
			return {
				alerts: [...shown, ...unlisted, ...gone]
					.slice(0, Math.max(shown.length, mostAlerts))
					.map(write),
				...(awaySince !== undefined && remembered.length > 0 && { alertsAwaySince: awaySince }),
			};
		},
	};
}

/** Whether so many polls in a row did not show an alert that it is new when it comes back. */
function isGone({ missed }: KnownAlert): boolean {
	return missed >= 2;
}

/** Whether the polls that do not show an alert are counted: it has neither an id nor a time by which it is known for good. */
function isCounted({ id, time }: KnownAlert): boolean {
	return id === '' && time === undefined;
}

/**
 * Finds for each listed alert one that is remembered, and takes each of these once.
 * @returns the listed alerts for which there was none, and the remembered ones that are not listed
 */
function match<Entry extends { known: KnownAlert }>(listed: Entry[], remembered: KnownAlert[]) {
	const unmatched = new Map<string, KnownAlert[]>();
	for (const each of remembered) {
		const [key = ''] = keysOf(each);
		const same = unmatched.get(key);
		if (same === undefined) unmatched.set(key, [each]);
		else same.push(each);
	}
	const fresh = listed.filter(({ known }) => {
		const key = keysOf(known).find((each) => unmatched.get(each)?.length);
		return key === undefined || unmatched.get(key)?.pop() === undefined;
	});
	return { fresh, missing: [...unmatched.values()].flat() };
}

/** The result counts how often it was asked for the same text, this time included. */
function numbering(): (text: string) => number {
	const counts = new Map<string, number>();
	return (text) => {
		const count = (counts.get(text) ?? 0) + 1;
		counts.set(text, count);
		return count;
	};
}

/** The keys by which an alert may have been remembered, the best first: a second more or less is the same moment. */
function keysOf({ reading, id, time }: KnownAlert): string[] {
	if (id !== '') return [id];
	return time === undefined
		? [reading]
		: [time, time - 1, time + 1].map((each) => `${reading} ${each}`);
}

/**
 * The alerts without repetitions, such as the same one on two pages; without id and time, two that read the same are two. One
 * that does not name its exchange by `exchange_id` is repeated only if everything in it is.
 */
function distinct<Entry extends { alert: IDataObject; known: KnownAlert }>(
	entries: Entry[],
): Entry[] {
	const found = new Set<string>();
	return entries.filter(({ alert, known }) => {
		const [key = ''] = keysOf(known);
		const name = known.id === '' && !isId(alert.exchange_id) ? `${key} ${hash(alert)}` : key;
		const isAnother = !found.has(name) || key === known.reading;
		found.add(name);
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
