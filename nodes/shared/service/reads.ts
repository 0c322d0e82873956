import { steadyNow } from '../time';
import { mostBytes } from './body';
import type { NetworkError } from './networkError';
import { orAborted } from './pause';
import type { LimitReached } from './quota';
import { isSuccess, type ServiceResponse } from './response';

/** What came of a request that only reads, once it was sent again as often as is allowed. */
export type ReadOutcome =
	/** The service answered, with any status but 429. */
	| { kind: 'answered'; response: ServiceResponse }
	| LimitReached
	/** Nothing reached the service, or nothing came back from a request that only reads. */
	| { kind: 'unreachable'; error: NetworkError; url: string };

/** Milliseconds for which an answer of no use, such as an error, is given to others, so that not each of many items asks for it. */
const usuallyUselessFor = 5000;

/** Somebody who wants to know what an address shows. */
export interface Reader {
	/** What was asked for before this moment, by `steadyNow`, may not show what happened until then; with Infinity nothing does. */
	since: number;
	/** Milliseconds for which an answer is good enough once it has come, and kept in memory; without it, as long as the connection. */
	for?: number;
	/** Milliseconds for which an answer of no use is given to readers of the same patience, if not the usual ones. */
	uselessFor?: number;
	/** The name of a reader that wants news: it is not given the same answer twice. */
	listener?: string;
	/** A name for how long it waits for the limit and for an answer, and how often it asks; readers with the same name may wait together. */
	patience: string;
	/** Ends the wait of this reader, and no other's. */
	signal: AbortSignal | undefined;
}

interface Read {
	outcome: Promise<ReadOutcome>;
	/** When it was asked for, by `steadyNow`: what the answer shows may be as old as that. */
	askedAt: number;
	/** When the answer came; Infinity until then. */
	at: number;
	/** The moment, by `steadyNow`, until which the answer is good enough. */
	until: number;
	/** The only patience whose readers are given the answer, that of whoever asked; undefined once it is of use to everybody. */
	patience: string | undefined;
	/** The listeners that were given the answer. */
	listeners: Set<string | undefined>;
	/** Roughly how many bytes of memory the answer takes. */
	size: number;
}

/** What the connections of each account share, by a hash of address and key. */
const accounts = new Map<string, Reads>();

/**
 * What was read, by address, so that several who want to know the same ask once: those of one connection, or all of an
 * account in this process (docs/decisions/0004-waiting-for-the-limit.md).
 */
export class Reads {
	readonly #reads = new Map<string, Read>();

	/** What the polls, list searches and summaries of an account share in this process. */
	static of(account: string): Reads {
		for (const [each, reads] of accounts) if (reads.#reads.size === 0) accounts.delete(each);
		const reads = accounts.get(account) ?? new Reads();
		accounts.set(account, reads);
		return reads;
	}

	/**
	 * What an address shows: as it was read before, if that is good enough, or is being read; otherwise `ask` asks.
	 * @throws whatever `ask` throws, or the reason of the reader's signal when it fires during a wait for another's request
	 */
	async read(url: string, reader: Reader, ask: () => Promise<ReadOutcome>): Promise<ReadOutcome> {
		const known = this.#reads.get(url);
		if (known === undefined || !isGoodEnough(known, reader)) {
			return await this.#ask(url, reader, ask);
		}
		known.listeners.add(reader.listener);
		try {
			return await orAborted(known.outcome, reader.signal);
		} catch {
			reader.signal?.throwIfAborted();
			// The other reader, whose request this was, was canceled; this one still wants to know.
			return await this.read(url, reader, ask);
		}
	}

	/** Whether `read` would not ask. */
	has(url: string, reader: Reader): boolean {
		const known = this.#reads.get(url);
		return known !== undefined && isGoodEnough(known, reader);
	}

	/** Forgets what an address was asked for until this moment, by `steadyNow`; without both, everything of the account. */
	forget(address?: string, until = Infinity): void {
		for (const [url, { askedAt }] of this.#reads) {
			if ((address ?? url) === url && askedAt <= until) this.#reads.delete(url);
		}
	}

	/** Asks, and remembers that it is being asked, so that others wait for the same answer; then remembers the answer. */
	async #ask(
		url: string,
		{ listener, patience, for: keptFor, uselessFor }: Reader,
		ask: () => Promise<ReadOutcome>,
	): Promise<ReadOutcome> {
		const outcome = ask();
		const read: Read = {
			outcome,
			askedAt: steadyNow(),
			at: Infinity,
			until: Infinity,
			patience,
			listeners: new Set([listener]),
			size: 0,
		};
		const free = () => {
			if (this.#reads.get(url) === read) this.#reads.delete(url);
		};
		// Room is made in the order of the map, so the latest has to be the last in it.
		this.#reads.delete(url);
		this.#reads.set(url, read);
		outcome.catch(free);
		Object.assign(read, valueOf(await outcome, uselessFor));
		this.#makeRoom();
		// AbortSignal.timeout, unlike other timers, keeps no process from ending.
		if (keptFor !== undefined) AbortSignal.timeout(keptFor).addEventListener('abort', free);
		return await outcome;
	}

	/** Forgets the oldest answers, because a service may list ever more pages. The latest stays, however large it is. */
	#makeRoom(): void {
		let size = 0;
		for (const [url, read] of [...this.#reads].reverse()) {
			if (size > 0 && size + read.size > mostBytes) this.#reads.delete(url);
			else size += read.size;
		}
	}
}

/** What an answer that has just come is good for. */
function valueOf(answer: ReadOutcome, uselessFor = usuallyUselessFor): Partial<Read> {
	const at = steadyNow();
	// After a limit, the service may be asked again at once: the quota lets no request through before it should.
	if (answer.kind === 'limited') return { at, until: 0 };
	if (answer.kind === 'unreachable') return { at, until: at + uselessFor };
	const { response } = answer;
	const { askedAt, size = 0 } = response;
	const isOfUse = isSuccess(response) && response.json !== undefined;
	// An answer of use is the same for everybody, however long they would have waited for it.
	return isOfUse
		? { askedAt, at, size, patience: undefined }
		: { askedAt, at, size, until: at + uselessFor };
}

function isGoodEnough(
	{ askedAt, at, until, patience, listeners }: Read,
	{ since, for: goodFor = Infinity, listener, patience: own }: Reader,
): boolean {
	const now = steadyNow();
	if (askedAt < since || now - at > goodFor || now >= until) return false;
	if (patience !== undefined && patience !== own) return false;
	return listener === undefined || !listeners.has(listener);
}
