import { monotonicNow } from '../utils/time';
import { raceWithAbort } from './delay';
import type { RateLimitedResult } from './rateLimiter';
import { isSuccess, type RequestResult } from './response';

/**
 * What came of a request that only reads, once it was sent again as often as is allowed: an answer with any status but 429, or
 * none.
 */
export type GetResult = RequestResult | RateLimitedResult;

/** How old an answer may be, and whether others may have asked for it. */
export interface CacheOptions {
	/**
	 * What was asked for before this moment, by `steadyNow`, is read again. A poll names the beginning of its previous poll and a
	 * millisecond, and so is never given the same answer twice.
	 */
	notBefore?: number;
	/** Milliseconds for which what has been read is good enough; as long as the connection if left out. */
	maxAge?: number;
	/** Whatever was read before is too old: for what decides about a payment. */
	noCache?: boolean;
	/** What others in this process have read is good enough, too, unless this process has changed something since. */
	shared?: boolean;
}

/** For a person who looks, and a search box that asks at each keystroke: what anybody read in the last ten seconds will do. */
export const sharedFor10s: CacheOptions = { shared: true, maxAge: 10_000 };

/** Milliseconds for which an answer of no use, such as an error, is given to others, so that not each of many items asks for it. */
const errorCacheMs = 5000;

interface CacheEntry {
	promise: Promise<GetResult>;
	/** When it was asked for, by `steadyNow`: what the answer shows may be as old as that. */
	requestedAt: number;
	/** When the answer came; Infinity until then. */
	completedAt: number;
	/** Milliseconds after that for which it is of use to anybody. */
	ttl: number;
}

/**
 * What was read, by address, so that several who want to know the same ask once: those of one connection, or all of an
 * account in this process.
 */
export class RequestCache {
	readonly #entries = new Map<string, CacheEntry>();

	/** Forgets everything, because something has changed. */
	clear(): void {
		this.#entries.clear();
	}

	/**
	 * What an address shows: as it was read before, if that is good enough, or is being read; otherwise `ask` asks.
	 * @throws whatever `ask` throws, or the reason of the signal when it fires during a wait for another's request
	 */
	async get(
		url: string,
		cacheOptions: CacheOptions,
		send: () => Promise<GetResult>,
		signal?: AbortSignal,
	): Promise<GetResult> {
		for (;;) {
			const entry = this.#entries.get(url);
			if (entry === undefined || !isFresh(entry, cacheOptions)) {
				return await this.#fetch(url, cacheOptions, send);
			}
			const result = await raceWithAbort(entry.promise, signal).catch(() => undefined);
			signal?.throwIfAborted();
			// The other reader, whose request this was, may have been canceled, or may not have waited as long as this one does.
			if (result !== undefined && result.kind !== 'rateLimited') return result;
		}
	}

	/** Asks, and remembers that it is being asked, so that others wait for the same answer; then remembers the answer. */
	async #fetch(
		url: string,
		{ maxAge }: CacheOptions,
		send: () => Promise<GetResult>,
	): Promise<GetResult> {
		const promise = send();
		const entry: CacheEntry = {
			promise,
			requestedAt: monotonicNow(),
			completedAt: Infinity,
			ttl: Infinity,
		};
		const evict = () => {
			if (this.#entries.get(url) === entry) this.#entries.delete(url);
		};
		this.#entries.set(url, entry);
		promise.catch(evict);
		const result = await promise;
		entry.completedAt = monotonicNow();
		// It may have waited for its turn, so it was asked for later than somebody wanted to know.
		if (result.kind === 'response') entry.requestedAt = result.response.requestedAt;
		const isSuccessful = result.kind === 'response' && isSuccess(result.response);
		if (!isSuccessful) entry.ttl = errorCacheMs;
		// The service may be asked again at once: the quota lets no request through before it should.
		if (result.kind === 'rateLimited') evict();
		// AbortSignal.timeout, unlike other timers, keeps no process from ending.
		if (maxAge !== undefined) AbortSignal.timeout(maxAge).addEventListener('abort', evict);
		return result;
	}
}

function isFresh(
	entry: CacheEntry,
	{ notBefore = -Infinity, noCache, maxAge = Infinity }: CacheOptions,
) {
	const age = monotonicNow() - entry.completedAt;
	return !noCache && entry.requestedAt >= notBefore && age <= maxAge && age < entry.ttl;
}
