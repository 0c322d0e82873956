import type { IDataObject } from 'n8n-workflow';

import { timeOfAlert } from '../shared/events';
import { hash, isId, plainText } from '../shared/identity';
import { type FieldTime, isSameMoment } from '../shared/time';
import { finer, readTime, writeMoment } from './times';

/** The most alerts that are remembered. As text, one takes about 35 bytes. */
export const mostAlerts = 20_000;

/** What is remembered of an alert: enough to know it again, however it is written. */
interface KnownAlert {
	/** A hash of exchange, severity and type: if one of them changes, it is another event. */
	kind: string;
	/** A hash of the wording, which may change with every poll. */
	detail: string;
	/** A hash, where the alert has an id of its own. */
	id?: string;
	/** When it came up, as `writeTime` writes it. */
	time?: string;
	/** The same, read once: it is compared with that of many. */
	moment?: FieldTime;
	/** How many polls in a row did not show it, as far as that matters: one, or two where it has neither id nor time. */
	missed: number;
}

/**
 * Which alerts of a list are new, whatever their order: those that are not the same as one that was seen before (decision
 * 0008). Of those with neither id nor time, one that two polls in a row did not show is gone: the next that reads the same
 * is new.
 * @param before what was `known` after the poll before
 * @param left alerts that are to be new with the next poll, too
 */
export function compareAlerts(
	alerts: IDataObject[],
	before: readonly string[],
	left: ReadonlySet<IDataObject> = new Set(),
) {
	const listed = distinct(alerts.map((alert) => ({ alert, now: describe(alert) })));
	// In one order, so that the first of many candidates is mostly the right one.
	const nowByTime = listed.map(({ now }) => now).sort(byTime);
	const remembered = before.map(read);
	const unmatched = new Set(remembered.filter(({ missed }) => missed < 2).sort(byTime));
	const knownAs = new Map<KnownAlert, KnownAlert>();
	const match = (keyOf: (alert: KnownAlert) => string | undefined) => {
		const byKey = new Map<string | undefined, KnownAlert[]>();
		for (const each of unmatched) {
			const same = byKey.get(keyOf(each));
			if (same === undefined) byKey.set(keyOf(each), [each]);
			else same.push(each);
		}
		byKey.delete(undefined);
		for (const now of nowByTime) {
			const candidates = knownAs.has(now) ? [] : (byKey.get(keyOf(now)) ?? []);
			const index = candidates.findIndex((each) => maybeSame(now, each));
			const [found] = index === -1 ? [] : candidates.splice(index, 1);
			if (found === undefined) continue;
			knownAs.set(now, found);
			unmatched.delete(found);
		}
	};
	match(({ id, kind }) => id && `${kind} ${id}`);
	match(({ kind, detail, time }) => `${kind} ${detail} ${time ?? ''}`);
	match(({ kind, detail }) => `${kind} ${detail}`);
	match(({ kind, time }) => time && kind);

	const shown = listed
		.filter(({ alert }) => !left.has(alert))
		.map(({ now }) => write(merge(now, knownAs.get(now))));
	const matched = new Set(knownAs.values());
	const isCounted = ({ id, time }: KnownAlert) => (id ?? time) === undefined;
	const unlisted = remembered
		.filter((each) => !matched.has(each))
		.map((each) => write({ ...each, missed: isCounted(each) && each.missed > 0 ? 2 : 1 }));
	const readsAs = new Map<string, number>();
	const number = ({ kind, detail }: KnownAlert) => {
		const occurrence = (readsAs.get(kind + detail) ?? 0) + 1;
		readsAs.set(kind + detail, occurrence);
		return occurrence;
	};
	remembered.forEach(number);
	return {
		/** Those that are new, and the how many-th each is that reads like this. */
		fresh: listed
			.filter(({ now }) => !knownAs.has(now))
			.map(({ alert: data, now }) => ({ data, occurrence: number(now) })),
		/** All that are listed, then those that are not any more as long as there is room. */
		known: [...shown, ...unlisted].slice(0, Math.max(shown.length, mostAlerts)),
		/** Whether one is gone that was not before. */
		hasGone: [...unmatched].some((each) => isCounted(each) && each.missed === 1),
	};
}

/** Whether nothing distinguishes the two. What has another form than before is the same only if the last poll showed it. */
function maybeSame(now: KnownAlert, before: KnownAlert): boolean {
	const isOfSameForm =
		(now.id === undefined) === (before.id === undefined) &&
		(now.time === undefined) === (before.time === undefined);
	if (!isOfSameForm && before.missed > 0) return false;
	if (now.id !== undefined && before.id !== undefined) return now.id === before.id;
	if (now.moment && before.moment) return isSameMoment(now.moment, before.moment);
	return now.detail === before.detail;
}

function byTime(one: KnownAlert, other: KnownAlert): number {
	return (one.moment?.seconds ?? 0) - (other.moment?.seconds ?? 0);
}

/** The same on two pages is one. */
function distinct<Entry extends { now: KnownAlert }>(entries: Entry[]): Entry[] {
	const found = new Set<string>();
	return entries.filter(({ now: { kind, detail, id, time } }) => {
		if (id === undefined && time === undefined) return true;
		const key = id === undefined ? `${kind} ${detail} ${time}` : `${kind} ${id} id`;
		if (found.has(key)) return false;
		found.add(key);
		return true;
	});
}

function describe(alert: IDataObject): KnownAlert {
	const { id, exchange_id: exchange, severity, type, detail } = alert;
	const moment = timeOfAlert(alert);
	const hasId = isId(id) && String(id) !== plainText(exchange);
	return {
		kind: hash([exchange, severity, type].map(plainText)).slice(0, 8),
		detail: hash([plainText(detail)]).slice(0, 6),
		missed: 0,
		...(hasId && { id: hash(plainText(id)).slice(0, 8) }),
		...(moment && { time: writeMoment(moment), moment }),
	};
}

function merge(now: KnownAlert, before: KnownAlert | undefined): KnownAlert {
	return { ...now, id: now.id ?? before?.id, time: finer(before?.time, now.time) };
}

function write({ kind, detail, id = '', time = '', missed }: KnownAlert): string {
	return [kind, detail, id, time].join('.') + '?'.repeat(missed);
}

function read(text: string): KnownAlert {
	const [known = '', ...missed] = text.split('?');
	const [kind = '', detail = '', id, time] = known.split('.');
	return {
		kind,
		detail,
		...(id && { id }),
		...(time && { time, moment: readTime(time) }),
		missed: missed.length,
	};
}
