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
	/** The last poll did not show it. */
	isUnlisted?: boolean;
}

/**
 * Which alerts of a list are new, whatever their order. An alert is known by its id; without one by its exact content,
 * then by its time, and then by its wording. Alerts with neither id nor time are counted: the third that reads the same
 * is another one than the second. One may gain or lose its id or its time from one poll to the next.
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
	const unmatched = new Set([...remembered].sort(byTime));
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
	// Of alerts that are only counted, one that two polls in a row did not show is gone: the next that reads the same is new.
	const unlisted = remembered
		.filter((each) => unmatched.has(each) && (each.id ?? each.time ?? !each.isUnlisted))
		.map((each) => write({ ...each, isUnlisted: true }));
	return {
		fresh: listed.filter(({ now }) => !knownAs.has(now)).map(({ alert }) => alert),
		/** All that are listed, then those that are not any more as long as there is room. */
		known: [...shown, ...unlisted].slice(0, Math.max(shown.length, mostAlerts)),
	};
}

/** Whether nothing distinguishes the two. What has another form than before is the same only if the last poll showed it. */
function maybeSame(now: KnownAlert, before: KnownAlert): boolean {
	const isOfSameForm =
		(now.id === undefined) === (before.id === undefined) &&
		(now.time === undefined) === (before.time === undefined);
	if (!isOfSameForm && before.isUnlisted === true) return false;
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
		...(hasId && { id: hash(plainText(id)).slice(0, 8) }),
		...(moment && { time: writeMoment(moment), moment }),
	};
}

function merge(now: KnownAlert, before: KnownAlert | undefined): KnownAlert {
	return { ...now, id: now.id ?? before?.id, time: finer(before?.time, now.time) };
}

function write({ kind, detail, id = '', time = '', isUnlisted }: KnownAlert): string {
	return [kind, detail, id, time].join('.') + (isUnlisted ? '?' : '');
}

function read(text: string): KnownAlert {
	const [kind = '', detail = '', id, time] = text.replace('?', '').split('.');
	return {
		kind,
		detail,
		...(id && { id }),
		...(time && { time, moment: readTime(time) }),
		...(text.endsWith('?') && { isUnlisted: true }),
	};
}
