import { isObject } from '../shared/objects';
import { states } from '../shared/reading/state';
import { parseJson } from '../shared/service/body';
import { type KnownExchange, momentsOf } from './transitions';

/** The most exchanges that are remembered. As JSON, one takes about 60 bytes. */
export const mostExchanges = 5000;

/** What the trigger has seen up to the last poll. A field is left out where its events are not watched. */
export interface Memory {
	/** The account that it is of: names for the address of the service and for the key, which they do not reveal. */
	address?: string;
	key?: string;
	exchanges?: Map<string, KnownExchange>;
	/**
	 * Some exchanges have been forgotten to keep the memory bounded. None of them had a transition after this moment
	 * (epoch seconds of the service).
	 */
	forgottenUntil?: number;
	/** What `compareAlerts` remembers, in this field and the next (`KnownAlerts`). */
	alerts?: readonly string[];
	alertsAwaySince?: number;
	/** What the balance was at the last poll. */
	credits?: 'low' | 'enough';
}

/** The memory with which everything that is there is new. */
export const emptyMemory: Memory = { exchanges: new Map(), alerts: [] };

/** Reads what `toText` wrote; an empty memory for anything else. */
export function fromText(text: unknown): Memory {
	const parsed = typeof text === 'string' ? parseJson(text) : undefined;
	if (!isObject(parsed)) return {};
	const { address, key, exchanges, forgottenUntil, alerts, alertsAwaySince, credits } = parsed;
	return {
		...(typeof address === 'string' && { address }),
		...(typeof key === 'string' && { key }),
		...(isObject(exchanges) && {
			exchanges: new Map(
				Object.entries(exchanges).map(([id, known]) => [id, unpack(String(known))]),
			),
		}),
		...(typeof forgottenUntil === 'number' && { forgottenUntil }),
		...(typeof alerts === 'string' && { alerts: alerts.split(' ').filter(Boolean) }),
		...(typeof alertsAwaySince === 'number' && { alertsAwaySince }),
		...((credits === 'low' || credits === 'enough') && { credits }),
	};
}

/** The memory as a text, because n8n wraps every object in its static data in a proxy, and writes all of it with each execution. */
export function toText({ exchanges, alerts, ...others }: Memory): string {
	return JSON.stringify({
		...others,
		...(exchanges && {
			exchanges: Object.fromEntries([...exchanges].map(([id, known]) => [id, pack(known)])),
		}),
		...(alerts && { alerts: alerts.join(' ') }),
	});
}

/** The `doubt` about an exchange that the last poll did not show. */
const unlisted = 'unlisted';
/** The `doubt` about an exchange that two polls in a row did not show. */
export const gone = 'gone';

/** What is remembered of an exchange that is not listed. */
export function missed(known: KnownExchange): KnownExchange {
	return { ...known, doubt: isUnlisted(known) ? gone : unlisted };
}

/**
 * The exchanges that are remembered, trimmed: first what the service has not listed at two polls in a row is forgotten, then
 * broken exchanges, then the others, and what one poll alone did not show comes last; in each of these groups the oldest
 * transitions go first. What is listed without any time, or with one that is still to come, stays, however much it is.
 */
export function trimmed({
	exchanges = new Map<string, KnownExchange>(),
	forgottenUntil,
}: Memory): Memory {
	const now = Date.now() / 1000;
	const excess = Math.max(0, exchanges.size - mostExchanges);
	const forgotten = [...(excess === 0 ? [] : exchanges)]
		.map(([id, known]) => ({ id, known, time: Math.max(0, ...momentsOf(known)) }))
		.filter(({ known, time }) => (time === 0 ? isUnlisted(known) : time <= now))
		.sort((one, other) => rankOf(one.known) - rankOf(other.known) || one.time - other.time)
		.slice(0, excess);
	const kept = new Map(exchanges);
	for (const { id } of forgotten) kept.delete(id);
	const latest = Math.max(forgottenUntil ?? -1, ...forgotten.map(({ time }) => time));
	return { exchanges: kept, forgottenUntil: latest < 0 ? undefined : latest };
}

/** Whether the last poll did not show an exchange. */
function isUnlisted({ doubt }: KnownExchange): boolean {
	return doubt === unlisted || doubt === gone;
}

/** The place of an exchange in the order in which exchanges are forgotten; 0 is first. */
function rankOf({ stage, doubt }: KnownExchange): number {
	if (doubt === gone) return 0;
	if (doubt === unlisted) return 3;
	return states[stage] === 'broken' ? 1 : 2;
}

/** An exchange as one line: status, times, rounds, and what is in doubt. No part has a blank in it. */
function pack({ stage, acceptedAt, publishedAt, rounds, doubt }: KnownExchange): string {
	return [states[stage], acceptedAt, publishedAt, rounds, doubt].join(' ').trimEnd();
}

function unpack(text: string): KnownExchange {
	const [status, acceptedAt, publishedAt, rounds, doubt] = text.split(' ');
	const stage = states.findIndex((state) => state === status);
	return {
		stage: Math.max(0, stage),
		...(acceptedAt && { acceptedAt: Number(acceptedAt) }),
		...(publishedAt && { publishedAt: Number(publishedAt) }),
		rounds: Number(rounds ?? 0),
		...(doubt && { doubt }),
	};
}
