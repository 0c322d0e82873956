import { parseJson } from '../shared/body';
import { isObject } from '../shared/response';
import { states } from '../shared/state';
import {
	firstSeen,
	firstTime,
	type KnownExchange,
	lastTime,
	type Shown,
	usualCounts,
} from './transitions';

/** The most exchanges that are remembered. As JSON, one takes about 60 bytes. */
export const mostExchanges = 5000;

/** What the trigger has seen, between polls. What is not watched is not there. */
export interface Memory {
	exchanges?: Map<string, KnownExchange>;
	/**
	 * Some exchanges have been forgotten to keep the memory bounded. None of them had a transition after this moment
	 * (epoch seconds of the service).
	 */
	forgottenUntil?: number;
	/** As `compareAlerts` gives them. */
	alerts?: readonly string[];
	/** What the balance was at the last poll. */
	credits?: 'low' | 'enough';
}

/** Reads what `toText` wrote; an empty memory for anything else. */
export function fromText(text: unknown): Memory {
	const parsed = typeof text === 'string' ? parseJson(text) : undefined;
	if (!isObject(parsed)) return {};
	const { exchanges, forgottenUntil, alerts, credits } = parsed;
	return {
		...(isObject(exchanges) && {
			exchanges: new Map(Object.entries(exchanges).map(([id, seen]) => [id, unpack(String(seen))])),
		}),
		...(typeof forgottenUntil === 'number' && { forgottenUntil }),
		...(typeof alerts === 'string' && { alerts: alerts.split(' ').filter(Boolean) }),
		...((credits === 'low' || credits === 'enough') && { credits }),
	};
}

/** As text: n8n wraps every object in its static data in a proxy, and writes it all with each execution. */
export function toText({ exchanges, forgottenUntil, alerts, credits }: Memory): string {
	return JSON.stringify({
		...(exchanges && {
			exchanges: Object.fromEntries([...exchanges].map(([id, seen]) => [id, pack(seen)])),
		}),
		forgottenUntil,
		alerts: alerts?.join(' '),
		credits,
	});
}

/**
 * Keeps the memory within its bound: first what the service no longer lists is forgotten, then broken exchanges, then the
 * others, always those with the oldest transitions first. False if that is not enough, because too many have none.
 */
export function bound(memory: Memory, listed: ReadonlySet<string>): boolean {
	const { exchanges } = memory;
	if (exchanges === undefined || exchanges.size <= mostExchanges) return true;
	const ranked = [...exchanges]
		.map(([id, seen]) => ({ id, time: lastTime(seen), rank: rankOf(id, seen, listed) }))
		.filter(({ id, time }) => time !== undefined || !listed.has(id))
		.sort((one, other) => one.rank - other.rank || (one.time ?? 0) - (other.time ?? 0));
	const surplus = ranked.slice(0, exchanges.size - mostExchanges);
	for (const { id, time } of surplus) {
		exchanges.delete(id);
		if (time !== undefined) {
			memory.forgottenUntil = Math.max(memory.forgottenUntil ?? 0, time);
		}
	}
	return exchanges.size <= mostExchanges;
}

/** Whether this exchange, of which nothing is known, is one that was forgotten, rather than a new one. */
export function wasForgotten({ forgottenUntil }: Memory, shown: Shown): boolean {
	const time = firstTime(shown);
	return forgottenUntil !== undefined && time !== undefined && time <= forgottenUntil;
}

function rankOf(id: string, { stage }: KnownExchange, listed: ReadonlySet<string>): number {
	if (!listed.has(id)) return 0;
	return states[stage] === 'broken' ? 1 : 2;
}

/** One line: status, times, and what is not as usual. No part has a blank in it. */
function pack({ stage, acceptedAt, publishedAt, counts, doubt }: KnownExchange): string {
	const isUsual = counts.join() === usualCounts(stage).join();
	return [
		states[stage],
		acceptedAt ?? '',
		publishedAt ?? '',
		isUsual ? '' : counts.join('.'),
		doubt ?? '',
	]
		.join(' ')
		.trimEnd();
}

function unpack(text: string): KnownExchange {
	const [status = '', acceptedAt, publishedAt, counts, doubt] = text.split(' ');
	const seen = firstSeen({
		stage: Math.max(
			0,
			states.findIndex((each) => each === status),
		),
		...(acceptedAt && { acceptedAt }),
		...(publishedAt && { publishedAt }),
	});
	const [accepted, published, broken] = (counts ?? '').split('.').map(Number);
	if (accepted !== undefined && published !== undefined && broken !== undefined) {
		seen.counts = [accepted, published, broken];
	}
	return { ...seen, ...(doubt && { doubt }) };
}
