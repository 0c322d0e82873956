import { BoundedMap } from '../boundedMap';
import { steadyNow } from '../time';
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
const uselessFor = 5000;
/** The most accounts whose reads are shared. */
const mostAccounts = 1000;

/** Somebody who wants to know what an address shows. */
export interface Reader {
	/** What was asked for before this moment, by `steadyNow`, may not show what happened until then; with Infinity nothing does. */
	since: number;
	/** Milliseconds for which an answer is good enough once it has come, and kept in memory; without it, as long as the connection. */
	for?: number;
	/** Ends the wait of this reader, and no other's. */
	signal: AbortSignal | undefined;
}

interface Read {
	outcome: Promise<ReadOutcome>;
	/** When it was asked for, by `steadyNow`: what the answer shows may be as old as that. */
	askedAt: number;
	/** When the answer came; Infinity until then. */
	at: number;
	/** The moment, by `steadyNow`, from which the answer is of no use to anybody. */
	until: number;
}

/** What the connections of each account share, by a hash of address and key. */
const accounts = new BoundedMap<string, Reads>(mostAccounts);

/**
 * What was read, by address, so that several who want to know the same ask once: those of one connection, or all of an
 * account in this process.
 */
export class Reads {
	readonly #reads = new Map<string, Read>();

	/** What the polls, list searches and summaries of an account share in this process. */
	static of(account: string): Reads {
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
		try {
			const outcome = await orAborted(known.outcome, reader.signal);
			// The other reader, whose request this was, may not have waited as long as this one does.
			return outcome.kind === 'limited' ? await this.#ask(url, reader, ask) : outcome;
		} catch {
			reader.signal?.throwIfAborted();
			// The other reader was canceled; this one still wants to know.
			return await this.read(url, reader, ask);
		}
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
		{ for: keptFor }: Reader,
		ask: () => Promise<ReadOutcome>,
	): Promise<ReadOutcome> {
		const askedAt = steadyNow();
		const outcome = ask();
		const read: Read = { outcome, askedAt, at: Infinity, until: Infinity };
		const free = () => {
			if (this.#reads.get(url) === read) this.#reads.delete(url);
		};
		this.#reads.set(url, read);
		outcome.catch(free);
		Object.assign(read, valueOf(await outcome));
		// AbortSignal.timeout, unlike other timers, keeps no process from ending.
		if (keptFor !== undefined) AbortSignal.timeout(keptFor).addEventListener('abort', free);
		return await outcome;
	}
}

/** What an answer that has just come is good for. */
function valueOf(answer: ReadOutcome): Partial<Read> {
	const at = steadyNow();
	// After a limit, the service may be asked again at once: the quota lets no request through before it should.
	if (answer.kind === 'limited') return { at, until: 0 };
	if (answer.kind === 'unreachable') return { at, until: at + uselessFor };
	const { response } = answer;
	// It may have waited for its turn, so it was asked for later than somebody wanted to know.
	const { askedAt } = response;
	return { askedAt, at, ...(!isSuccess(response) && { until: at + uselessFor }) };
}

function isGoodEnough(read: Read, { since, for: goodFor = Infinity }: Reader): boolean {
	const now = steadyNow();
	return read.askedAt >= since && now - read.at <= goodFor && now < read.until;
}
