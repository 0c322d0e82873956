import { steadyNow } from '../time';
import { mostBytes } from './body';
import type { NetworkError } from './networkError';
import { orAborted } from './pause';
import type { LimitReached } from './quota';
import { isSuccess, type ServiceResponse } from './response';

/** What came in the end of a request that only reads, after everything that may be tried again was. */
export type ReadOutcome =
	/** The service decided; the status may be any but 429. */
	| { kind: 'answered'; response: ServiceResponse }
	| LimitReached
	/** Nothing reached the service, or nothing came back from a request that only reads. */
	| { kind: 'unreachable'; error: NetworkError; url: string };

/** Milliseconds for which an answer of no use is good enough, so that not each of many items has to find out. */
const uselessFor = 5000;

/** Somebody who wants to know what an address shows. */
export interface Reader {
	/** What was read before this moment, by `steadyNow`, is too old; with Infinity everything is. */
	since: number;
	/** The name of a reader that wants news: it is not given the same answer twice. */
	listener?: string;
	/** A name for how long it waits for the limit and for an answer. Others with the same name may wait together. */
	patience: string;
	/** Ends the wait of this reader, and no other's. */
	signal: AbortSignal | undefined;
	/** Milliseconds after which the answer is freed; undefined where all answers are freed soon, with their connection. */
	keptFor?: number;
}

interface Read {
	outcome: Promise<ReadOutcome>;
	/** When the answer came, by `steadyNow`; until then, when it was asked for. */
	at: number;
	/** The moment, by `steadyNow`, until which the answer is good enough. */
	until: number;
	/** The patience of whoever asked; undefined once the answer is of use to everybody. */
	patience: string | undefined;
	/** The listeners that were given the answer. */
	listeners: Set<string | undefined>;
	/** The memory that the answer takes, about, in bytes. */
	size: number;
}

/** What each account shares, by a hash of address and key. */
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

	/** Ends what an address showed until this moment; without either, everything: the account has changed. */
	forget(address?: string, until = Infinity): void {
		for (const [url, { at }] of this.#reads) {
			if ((address ?? url) === url && at <= until) this.#reads.delete(url);
		}
	}

	async #ask(
		url: string,
		{ listener, patience, keptFor }: Reader,
		ask: () => Promise<ReadOutcome>,
	): Promise<ReadOutcome> {
		const listeners = new Set([listener]);
		const outcome = ask();
		const read: Read = {
			outcome,
			at: steadyNow(),
			until: Infinity,
			patience,
			listeners,
			size: 0,
		};
		const free = () => {
			if (this.#reads.get(url) === read) this.#reads.delete(url);
		};
		// Room is made in the order of the map, so the latest has to be the last in it.
		this.#reads.delete(url);
		this.#reads.set(url, read);
		outcome.catch(free);
		const answer = await outcome;
		read.at = steadyNow();
		const response = answer.kind === 'answered' ? answer.response : undefined;
		read.size = response?.size ?? 0;
		if (response !== undefined && isSuccess(response) && response.json !== undefined) {
			read.patience = undefined;
		} else {
			// A request that the limit turned away may be repeated at once: the quota lets it through no earlier than it should.
			read.until = answer.kind === 'limited' ? 0 : read.at + uselessFor;
		}
		this.#makeRoom();
		// This timer, unlike others, keeps no process from ending.
		if (keptFor !== undefined) AbortSignal.timeout(keptFor).addEventListener('abort', free);
		return answer;
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

function isGoodEnough(
	{ at, until, patience, listeners }: Read,
	{ since, listener, patience: own }: Reader,
): boolean {
	if (at < since || steadyNow() >= until) return false;
	if (patience !== undefined && patience !== own) return false;
	return listener === undefined || !listeners.has(listener);
}
