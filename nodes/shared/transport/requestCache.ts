import { monotonicNow } from '../utils/time';
import { raceWithAbort } from './delay';
import type { RateLimitedResult } from './rateLimiter';
import { isSuccess, type RequestResult } from './response';

/**
 * Result of a GET after all retries: a response other than the rate limit, a network error or the
 * rate limit.
 */
export type GetResult = RequestResult | RateLimitedResult;

/** Which cached responses a GET accepts. */
export interface CacheOptions {
	/**
	 * Ignores responses whose request was sent before this time (monotonic).
	 *
	 * A poll passes the end of its previous read plus one millisecond, so it never gets the same
	 * response twice.
	 */
	notBefore?: number;
	/** Maximum age of a cached response in milliseconds. Without it, the lifetime of the client. */
	maxAge?: number;
	/** Uses the cache that all clients of the account share in this process. Each POST clears it. */
	shared?: boolean;
}

/** Bypasses the cache, including requests in flight. Required before credits are spent. */
export const noCache = { notBefore: Infinity } satisfies CacheOptions;

/**
 * Shared cache, up to 10 seconds old: for Get Summary, and for list searches, which send a request
 * at each keystroke.
 */
export const sharedFor10s: CacheOptions = { shared: true, maxAge: 10_000 };

/** How long a failed response is cached, so that many items don't repeat the request. */
const errorCacheMs = 5000;

interface CacheEntry {
	promise: Promise<GetResult>;
	/** Monotonic. The response may show a state as old as this. */
	requestedAt: number;
	/** Monotonic. `Infinity` while the request is in flight. */
	completedAt: number;
	/**
	 * Milliseconds after `completedAt` during which the entry may be used, even with a longer
	 * `maxAge`.
	 */
	ttl: number;
}

/**
 * Caches the results of GET requests by URL and deduplicates requests in flight: for one client, or
 * for all clients of an account in this process.
 */
export class RequestCache {
	readonly #entries = new Map<string, CacheEntry>();

	/** Invalidates all entries, because a request may have changed something. */
	clear(): void {
		this.#entries.clear();
	}

	/**
	 * Returns the cached result of a URL if it is fresh, or waits for the request in flight.
	 * Otherwise calls `send`.
	 *
	 * @throws {unknown} the error of `send`, or the reason of the signal if it aborts the wait for a
	 * request of another caller
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
			// The caller that sent this request may have been canceled, or may have a shorter maximum
			// wait for the rate limit: retry.
			if (result !== undefined && result.kind !== 'rateLimited') return result;
		}
	}

	/** Sends the request and stores its promise, so that other callers wait for the same response. */
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
		// The request may have waited for the rate limit or a retry, so it was sent later than assumed.
		if (result.kind === 'response') entry.requestedAt = result.response.requestedAt;
		const isSuccessful = result.kind === 'response' && isSuccess(result.response);
		if (!isSuccessful) entry.ttl = errorCacheMs;
		// Not cached: the rate limiter lets no request through before the reset anyway.
		if (result.kind === 'rateLimited') evict();
		// Frees memory. Unlike other timers, AbortSignal.timeout doesn't keep the process running.
		if (maxAge !== undefined) AbortSignal.timeout(maxAge).addEventListener('abort', evict);
		return result;
	}
}

/** Returns whether a cached or pending request satisfies the caller. Otherwise it is stale. */
function isFresh(entry: CacheEntry, { notBefore = -Infinity, maxAge = Infinity }: CacheOptions) {
	const age = monotonicNow() - entry.completedAt;
	return entry.requestedAt >= notBefore && age <= maxAge && age < entry.ttl;
}
