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
	 * Ignores responses whose request was sent before this time (monotonic); `Infinity`: all of them,
	 * required before credits are spent. Default: the start of the execution.
	 */
	notBefore?: number;
}

/** Bypasses the cache, including requests in flight. */
export const noCache = { notBefore: Infinity } satisfies CacheOptions;

/**
 * Age of responses that list searches accept, which send a request at each keystroke, and reports.
 */
export const recentMs = 10_000;

/** The longest time after which anyone accepts a response: that of a balance, by polls. */
const maxAgeMs = 15 * 60_000;

/** How long a failed response is cached, so that many items don't repeat the request. */
const errorCacheMs = 5000;

interface CacheEntry {
	promise: Promise<GetResult>;
	/** Monotonic. The response may show a state as old as this. */
	requestedAt: number;
	/** Monotonic. From then on, the entry isn't used. */
	expiresAt: number;
	/** Whether it's a failure that a caller with retries doesn't accept. */
	isSingleFailure: boolean;
	/** The longest wait for the rate limit, while the request waits or is in flight; then 0. */
	maxWaitMs: number;
}

/**
 * Caches the results of GET requests of an account by URL, and deduplicates requests in flight.
 */
export class RequestCache {
	readonly #entries = new Map<string, CacheEntry>();

	/**
	 * Returns the cached result of a URL if it is fresh, or waits for the request in flight.
	 * Otherwise calls `send`.
	 *
	 * @param isRetried whether `send` retries
	 * @param maxWaitMs the longest wait of `send` for the rate limit. A request that may wait longer
	 * isn't waited for
	 * @throws {unknown} the error of `send`, or the reason of the signal if it aborts the wait for a
	 * request of another caller
	 */
	async get(
		url: string,
		notBefore: number,
		send: () => Promise<GetResult>,
		signal?: AbortSignal,
		isRetried = true,
		maxWaitMs = Infinity,
	): Promise<GetResult> {
		for (;;) {
			const entry = this.#entries.get(url);
			const isFresh = entry && entry.requestedAt >= notBefore && monotonicNow() < entry.expiresAt;
			if (!isFresh || (entry.isSingleFailure && isRetried) || entry.maxWaitMs > maxWaitMs) {
				return await this.#fetch(url, send, isRetried, maxWaitMs);
			}
			const result = await raceWithAbort(entry.promise, signal).catch(() => undefined);
			signal?.throwIfAborted();
			// The caller that sent this request may have been canceled, or may have a shorter maximum
			// wait for the rate limit: retry.
			if (entry.isSingleFailure && isRetried) continue;
			if (result !== undefined && result.kind !== 'rateLimited') return result;
		}
	}

	/** Sends the request and stores its promise, so that other callers wait for the same response. */
	async #fetch(
		url: string,
		send: () => Promise<GetResult>,
		isRetried: boolean,
		maxWaitMs: number,
	): Promise<GetResult> {
		const promise = send();
		const entry: CacheEntry = {
			promise,
			requestedAt: monotonicNow(),
			expiresAt: Infinity,
			isSingleFailure: false,
			maxWaitMs,
		};
		const evict = () => {
			if (this.#entries.get(url) === entry) this.#entries.delete(url);
		};
		this.#entries.set(url, entry);
		promise.catch(evict);
		const result = await promise;
		entry.maxWaitMs = 0;
		// The request may have waited for the rate limit or a retry, so it was sent later than assumed.
		if (result.kind === 'response') entry.requestedAt = result.response.requestedAt;
		const isSuccessful = result.kind === 'response' && isSuccess(result.response);
		if (!isSuccessful) entry.expiresAt = monotonicNow() + errorCacheMs;
		entry.isSingleFailure = !isSuccessful && !isRetried;
		// Not cached: the rate limiter lets no request through before the reset anyway.
		if (result.kind === 'rateLimited') evict();
		// Frees memory. Unlike other timers, AbortSignal.timeout doesn't keep the process running.
		AbortSignal.timeout(maxAgeMs).addEventListener('abort', evict);
		return result;
	}
}
