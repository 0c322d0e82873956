import { steadyNow } from '../utils/time';
import { orAborted } from './delay';
import type { LimitReached } from './rateLimiter';
import { type Attempt, isSuccess } from './response';

/**
 * What came of a request that only reads, once it was sent again as often as is allowed: an answer with any status but 429, or
 * none.
 */
export type ReadOutcome = Attempt | LimitReached;

/** How old an answer may be, and whether others may have asked for it. */
export interface Freshness {
	/**
	 * What was asked for before this moment, by `steadyNow`, is read again. A poll names the beginning of its previous poll and a
	 * millisecond, and so is never given the same answer twice.
	 */
	since?: number;
	/** Milliseconds for which what has been read is good enough; as long as the connection if left out. */
	for?: number;
	/** Whatever was read before is too old: for what decides about a payment. */
	fresh?: boolean;
	/** What others in this process have read is good enough, too, unless this process has changed something since. */
	isShared?: boolean;
}

/** For a person who looks, and a search box that asks at each keystroke: what anybody read in the last ten seconds will do. */
export const aMomentAgo: Freshness = { isShared: true, for: 10_000 };

/** Milliseconds for which an answer of no use, such as an error, is given to others, so that not each of many items asks for it. */
const uselessFor = 5000;

interface Read {
	outcome: Promise<ReadOutcome>;
	/** When it was asked for, by `steadyNow`: what the answer shows may be as old as that. */
	askedAt: number;
	/** When the answer came; Infinity until then. */
	at: number;
	/** Milliseconds after that for which it is of use to anybody. */
	usefulFor: number;
}

/**
 * What was read, by address, so that several who want to know the same ask once: those of one connection, or all of an
 * account in this process.
 */
export class Reads {
	readonly #reads = new Map<string, Read>();

	/** Forgets everything, because something has changed. */
	forget(): void {
		this.#reads.clear();
	}

	/**
	 * What an address shows: as it was read before, if that is good enough, or is being read; otherwise `ask` asks.
	 * @throws whatever `ask` throws, or the reason of the signal when it fires during a wait for another's request
	 */
	async read(
		url: string,
		freshness: Freshness,
		ask: () => Promise<ReadOutcome>,
		signal?: AbortSignal,
	): Promise<ReadOutcome> {
		for (;;) {
			const known = this.#reads.get(url);
			if (known === undefined || !isGoodEnough(known, freshness)) {
				return await this.#ask(url, freshness, ask);
			}
			const outcome = await orAborted(known.outcome, signal).catch(() => undefined);
			signal?.throwIfAborted();
			// The other reader, whose request this was, may have been canceled, or may not have waited as long as this one does.
			if (outcome !== undefined && outcome.kind !== 'limited') return outcome;
		}
	}

	/** Asks, and remembers that it is being asked, so that others wait for the same answer; then remembers the answer. */
	async #ask(
		url: string,
		{ for: keptFor }: Freshness,
		ask: () => Promise<ReadOutcome>,
	): Promise<ReadOutcome> {
		const outcome = ask();
		const read: Read = { outcome, askedAt: steadyNow(), at: Infinity, usefulFor: Infinity };
		const free = () => {
			if (this.#reads.get(url) === read) this.#reads.delete(url);
		};
		this.#reads.set(url, read);
		outcome.catch(free);
		const answer = await outcome;
		read.at = steadyNow();
		// It may have waited for its turn, so it was asked for later than somebody wanted to know.
		if (answer.kind === 'answered') read.askedAt = answer.response.askedAt;
		const isUseful = answer.kind === 'answered' && isSuccess(answer.response);
		if (!isUseful) read.usefulFor = uselessFor;
		// The service may be asked again at once: the quota lets no request through before it should.
		if (answer.kind === 'limited') free();
		// AbortSignal.timeout, unlike other timers, keeps no process from ending.
		if (keptFor !== undefined) AbortSignal.timeout(keptFor).addEventListener('abort', free);
		return answer;
	}
}

function isGoodEnough(
	read: Read,
	{ since = -Infinity, fresh, for: goodFor = Infinity }: Freshness,
) {
	const age = steadyNow() - read.at;
	return !fresh && read.askedAt >= since && age <= goodFor && age < read.usefulFor;
}
