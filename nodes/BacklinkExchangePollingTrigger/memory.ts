import type { IDataObject } from 'n8n-workflow';

import { states } from '../shared/state';
import {
	firstSeen,
	firstTime,
	lastTime,
	type SeenExchange,
	type Sight,
	usualCounts,
} from './transitions';

/** The most exchanges and alerts that are remembered. As JSON, an exchange takes about 60 bytes, an alert 19. */
export const mostExchanges = 5000;
export const mostAlerts = 20_000;

/** What the trigger has seen, between polls. A list that is not watched is not there. */
export interface Memory {
	exchanges?: Map<string, SeenExchange>;
	/**
	 * Some exchanges have been forgotten to keep the memory bounded. None of them had a transition after this moment
	 * (epoch seconds of the service).
	 */
	forgottenUntil?: number;
	alerts?: Set<string>;
}

/** Reads what `toStatic` wrote; an empty memory for anything else. */
export function fromStatic(value: unknown): Memory {
	if (typeof value !== 'object' || value === null) return {};
	const { exchanges, forgottenUntil, alerts } = value as IDataObject;
	const memory: Memory = {};
	if (typeof exchanges === 'object' && exchanges !== null) {
		memory.exchanges = new Map(
			Object.entries(exchanges).map(([id, text]) => [id, unpack(String(text))]),
		);
	}
	if (typeof forgottenUntil === 'number') memory.forgottenUntil = forgottenUntil;
	if (typeof alerts === 'string') memory.alerts = new Set(alerts.split(' ').filter(Boolean));
	return memory;
}

/** As plain as can be: n8n wraps every object in its static data in a proxy, and writes it all with each execution. */
export function toStatic({ exchanges, forgottenUntil, alerts }: Memory): IDataObject {
	return {
		...(exchanges && {
			exchanges: Object.fromEntries([...exchanges].map(([id, seen]) => [id, pack(seen)])),
		}),
		...(forgottenUntil !== undefined && { forgottenUntil }),
		...(alerts && { alerts: [...alerts].join(' ') }),
	};
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
export function wasForgotten({ forgottenUntil }: Memory, sight: Sight): boolean {
	const time = firstTime(sight);
	return forgottenUntil !== undefined && time !== undefined && time <= forgottenUntil;
}

function rankOf(id: string, { stage }: SeenExchange, listed: ReadonlySet<string>): number {
	if (!listed.has(id)) return 0;
	return states[stage] === 'broken' ? 1 : 2;
}

/** One line: status, times, and what is not as usual. No part has a blank in it. */
function pack({ stage, acceptedAt, publishedAt, counts, doubt }: SeenExchange): string {
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

function unpack(text: string): SeenExchange {
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
