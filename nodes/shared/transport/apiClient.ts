import type { ICredentialDataDecryptedObject, IDataObject } from 'n8n-workflow';
import { sleep } from 'n8n-workflow';

import { isErrorResult, toNodeOperationError } from '../errors';
import { BoundedMap } from '../utils/boundedMap';
import { hash } from '../utils/ids';
import { monotonicNow, parseTimestamp } from '../utils/time';
import { type ApiCredential, credentialName, parseCredential } from './credential';
import { delay } from './delay';
import { type Caller, RateLimiter } from './rateLimiter';
import {
	createKeyRedactor,
	type HttpRequest,
	type RequestContext,
	type RequestDefaults,
	sendRequest,
} from './request';
import { type CacheOptions, type GetResult, RequestCache } from './requestCache';
import { isBlockedByProxy, type RequestResult } from './response';

/**
 * Result of a POST. `ambiguous`: it was sent, and it isn't known whether the service processed it.
 */
export type PostResult = GetResult | { kind: 'ambiguous'; cause: string };

/** Result of a POST that wasn't sent, because `beforeSend` returned false. */
export interface VetoedRequest {
	kind: 'vetoed';
}

export type ApiClientOptions = Pick<RequestDefaults, 'timeoutMs'> & Omit<Caller, 'signal'>;

export interface GetOptions extends CacheOptions {
	query?: Record<string, string>;
}

/**
 * Hooks around each attempt of a POST. If `beforeSend` ran and `onNotProcessed` hasn't run since,
 * the outcome of the request is unknown, for example because the user canceled.
 */
export interface PostHooks {
	/**
	 * Called before each attempt, after the wait for the rate limit and immediately before it is
	 * sent.
	 *
	 * @returns false to veto the request: nothing is sent
	 */
	beforeSend?: () => boolean;
	/**
	 * Called after each attempt that wasn't processed (the rate limit, a response of a proxy, or
	 * nothing was sent), before any wait.
	 */
	onNotProcessed?: () => void;
}

/** Including the first attempt, for requests that may be retried. */
const maxAttempts = 4;
/** How long requests aren't retried after all attempts of one have failed. */
const outageCooldownMs = 2 * 60_000;

/** Rate limiter and shared cache by account: all clients of an account in this process use them. */
const accounts = new BoundedMap<string, { rateLimiter: RateLimiter; cache: RequestCache }>(1000);

/**
 * Sends all requests to the service, with rate limit, retries and cache.
 *
 * HTTP errors are results, not exceptions: `api/httpErrors.ts` builds messages for users from them.
 */
export class ApiClient {
	/** Without a trailing slash. */
	readonly baseUrl: string;

	/** Aborts when the user cancels the execution. */
	readonly signal: AbortSignal | undefined;

	readonly #requestDefaults: RequestDefaults & Caller;

	/** Shared with all clients of the account. */
	readonly #shared: { rateLimiter: RateLimiter; cache: RequestCache };

	/** Private cache of this client. */
	readonly #cache = new RequestCache();

	private constructor(
		context: RequestContext,
		{ baseUrl, apiKey }: ApiCredential,
		credential: ICredentialDataDecryptedObject,
		options: ApiClientOptions,
	) {
		this.baseUrl = baseUrl;
		this.signal =
			'getExecutionCancelSignal' in context ? context.getExecutionCancelSignal() : undefined;
		this.#requestDefaults = {
			...options,
			context,
			signal: this.signal,
			credential: { ...credential, apiKey },
			redact: createKeyRedactor(apiKey),
		};
		const createShared = () => ({ rateLimiter: new RateLimiter(), cache: new RequestCache() });
		this.#shared = accounts.getOrCreate(this.scopedKey('shared'), createShared);
	}

	/**
	 * Creates a client for a context without input items.
	 *
	 * @throws {NodeOperationError} if the credential isn't valid
	 * @throws {Error} n8n's own, if the credential can't be read
	 */
	static async create(context: RequestContext, options: ApiClientOptions) {
		return await ApiClient.createFactory(context, options)();
	}

	/**
	 * Returns a function that creates the client of an input item, whose credential may contain
	 * expressions. Items of the same account share one client.
	 *
	 * The returned function throws a NodeOperationError if the credential isn't valid, and n8n's own
	 * error if it can't be read.
	 */
	static createFactory(
		context: RequestContext,
		options: ApiClientOptions,
	): (itemIndex?: number) => Promise<ApiClient> {
		const clients = new Map<string, ApiClient>();
		return async (itemIndex) => {
			const credential = await context.getCredentials(credentialName, itemIndex);
			const apiCredential = parseCredential(credential);
			if (isErrorResult(apiCredential)) {
				throw toNodeOperationError(context.getNode(), apiCredential, itemIndex);
			}
			const name = JSON.stringify(apiCredential);
			const client =
				clients.get(name) ?? new ApiClient(context, apiCredential, credential, options);
			clients.set(name, client);
			return client;
		};
	}

	/**
	 * Sends a GET request, or returns the cached response of its URL: from the cache of this client,
	 * or with `shared` from that of the account. Failed responses are cached for five seconds.
	 *
	 * Callers share the response, so they must not change it or pass it on to other nodes.
	 */
	async get(
		segments: readonly string[],
		{ query, ...cacheOptions }: GetOptions = {},
	): Promise<GetResult> {
		return await this.#getCached(this.#buildUrl(segments, query), cacheOptions);
	}

	/**
	 * Fetches the next page of a list, whose absolute URL comes from the service, in the way of
	 * `get`.
	 *
	 * @returns `undefined` for a URL that isn't below the base URL. Nothing is sent then, because no
	 * other host or path may get the key
	 */
	async getNextPage(url: string, cacheOptions: CacheOptions): Promise<GetResult | undefined> {
		// This also rejects a URL with a user: n8n would send its name and password instead of the key.
		const isBelowBaseUrl = url.startsWith(`${this.baseUrl}/`);
		return isBelowBaseUrl ? await this.#getCached(url, cacheOptions) : undefined;
	}

	/**
	 * Sends a POST request, which spends or creates. It is retried only if it wasn't processed.
	 *
	 * With the results `rateLimited`, `networkError` and `vetoed`, no attempt was processed.
	 *
	 * @param segments of the path; third-party text must pass `isPathSegment`
	 */
	async post(
		segments: readonly string[],
		body?: IDataObject,
		options: PostHooks = {},
	): Promise<PostResult | VetoedRequest> {
		try {
			return await this.#send({ method: 'POST', url: this.#buildUrl(segments), body }, options);
		} finally {
			this.#shared.cache.clear();
		}
	}

	/**
	 * Waits, or until the user cancels.
	 *
	 * @throws {unknown} the reason of the signal
	 */
	async delay(milliseconds: number): Promise<void> {
		await delay(milliseconds, this.signal);
	}

	/**
	 * Calls `check` until its result is settled, with exponential backoff: four checks wait for 2 to
	 * 3 seconds in total, six for 9 to 14.
	 *
	 * @returns the result of the last check
	 */
	async retryUntil<Result>(
		maxAttempts: number,
		check: () => Promise<Result>,
		isSettled: (result: Result) => boolean,
	): Promise<Result> {
		for (let count = 1; ; count++) {
			const result = await check();
			if (count >= maxAttempts || isSettled(result)) return result;
			await this.delay(backoff(count));
		}
	}

	/**
	 * Returns the service's time in epoch milliseconds, to compare with the service's timestamps even
	 * if this machine's clock is wrong.
	 */
	now(): number {
		return this.#shared.rateLimiter.now();
	}

	/** Returns a key for in-memory maps that is unique per account and doesn't reveal the API key. */
	scopedKey(name: string): string {
		return hash([this.baseUrl, this.#requestDefaults.credential.apiKey, name]);
	}

	/** Builds a URL, and percent-encodes the path segments. */
	#buildUrl(segments: readonly string[], query?: Record<string, string>): string {
		const path = segments.map((segment) => `/${encodeURIComponent(segment)}`).join('');
		const search = new URLSearchParams(query).toString();
		return `${this.baseUrl}${path}${search === '' ? '' : `?${search}`}`;
	}

	async #getCached(url: string, cacheOptions: CacheOptions): Promise<GetResult> {
		const cache = cacheOptions.shared ? this.#shared.cache : this.#cache;
		const send = async () => (await this.#send({ method: 'GET', url })) as GetResult;
		return await cache.get(url, cacheOptions, send, this.signal);
	}

	/**
	 * Sends a request, with retries.
	 *
	 * RFC 9110, section 9.2.2: only a request that wasn't processed, or that only reads, may be
	 * retried, because the service documents no idempotency key.
	 */
	async #send(request: HttpRequest, options: PostHooks = {}): Promise<PostResult | VetoedRequest> {
		const { rateLimiter } = this.#shared;
		const attemptLimit = monotonicNow() < rateLimiter.retriesDisabledUntil ? 1 : maxAttempts;
		for (let attemptCount = 1; ; attemptCount++) {
			const send = async () => await this.#attempt(request, options);
			const result = await rateLimiter.run(this.#requestDefaults, send, options.onNotProcessed);
			if (result.kind === 'rateLimited' || result.kind === 'vetoed') return result;
			const isFinal = isConclusive(result);
			const isAmbiguous = !isFinal && request.method === 'POST' && !isNeverSent(result);
			const retryAfterMs = parseRetryAfter(result, rateLimiter.now());
			if (
				isFinal ||
				isAmbiguous ||
				attemptCount >= attemptLimit ||
				retryAfterMs > this.#requestDefaults.maxRateLimitWaitMs
			) {
				rateLimiter.retriesDisabledUntil = isFinal ? -Infinity : monotonicNow() + outageCooldownMs;
				if (!isAmbiguous) return result;
				const hasResponse = result.kind === 'response';
				const cause = hasResponse ? `HTTP ${result.response.statusCode}` : result.error.code;
				return { kind: 'ambiguous', cause };
			}
			await this.delay(retryAfterMs || backoff(attemptCount));
		}
	}

	async #attempt(
		request: HttpRequest,
		{ beforeSend, onNotProcessed }: PostHooks,
	): Promise<RequestResult | VetoedRequest> {
		await yieldToEventLoop();
		this.signal?.throwIfAborted();
		if (beforeSend?.() === false) return { kind: 'vetoed' };
		const result = await sendRequest(this.#requestDefaults, request);
		if (isBlocked(result) || isNeverSent(result)) onNotProcessed?.();
		return result;
	}
}

/**
 * Returns whether a retry is pointless: after a definite status, a response of a proxy, or a
 * permanent failure (certificate, TLS, blocked by n8n).
 */
function isConclusive(result: RequestResult): boolean {
	if (result.kind === 'networkError') return result.error.permanentCause !== undefined;
	const { statusCode } = result.response;
	return isBlocked(result) || (statusCode !== 408 && statusCode < 500);
}

function isBlocked(result: RequestResult): boolean {
	return result.kind === 'response' && isBlockedByProxy(result.response);
}

function isNeverSent(result: RequestResult): boolean {
	return result.kind === 'networkError' && result.error.neverSent;
}

/**
 * Parses the Retry-After header.
 *
 * RFC 9110, section 10.2.3: a 503 may have one, too.
 *
 * @returns milliseconds, 0 if there is none
 */
function parseRetryAfter(result: RequestResult, now: number): number {
	const retryAfterMs =
		result.kind === 'response' ? result.response.headers['retry-after'] : undefined;
	return Math.max(0, (parseTimestamp(retryAfterMs, now) ?? now) - now);
}

/** Returns the delay before a retry (the first is 1): exponential backoff plus up to 50% jitter. */
function backoff(retryCount: number): number {
	const base = 300 * 2 ** (retryCount - 1);
	return Math.round(base * (1 + Math.random() / 2));
}

/**
 * Requests started per turn of the event loop. Without a pause in between, a large run keeps n8n
 * from responding to anything else.
 */
const requestsPerTick = 25;
let startedCount = 0;
let lastYield = Promise.resolve();

async function yieldToEventLoop(): Promise<void> {
	if (startedCount++ % requestsPerTick === 0) {
		lastYield = lastYield.then(async () => await sleep(0));
	}
	await lastYield;
}
