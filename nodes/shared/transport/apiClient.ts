import type { ICredentialDataDecryptedObject, IDataObject } from 'n8n-workflow';

import { toNodeOperationError, toServiceError } from '../errors';
import { monotonicNow, parseTimestamp } from '../utils/time';
import { Account, minTimeDifferenceMs } from './account';
import { type ApiCredential, credentialName, parseCredential } from './credential';
import { delay } from './delay';
import type { Caller } from './rateLimiter';
import {
	createKeyRedactor,
	type HttpRequest,
	type RequestContext,
	type RequestDefaults,
	sendRequest,
} from './request';
import type { CacheOptions, GetResult } from './requestCache';
import { isBlockedByProxy, type RequestResult } from './response';

/**
 * Result of a POST. `ambiguous`: it was sent, and it isn't known whether the service processed it.
 */
export type PostResult = GetResult | { kind: 'ambiguous'; cause: string };

export interface ApiClientOptions
	extends Pick<RequestDefaults, 'timeoutMs'>, Omit<Caller, 'signal'> {
	/** Including the first attempt, for requests that may be retried. */
	maxAttempts?: number;
}

export interface GetOptions extends CacheOptions {
	query?: Record<string, string>;
}

/**
 * Called with true immediately before each attempt of a POST, after the wait for the rate limit,
 * and with false after each attempt that wasn't processed (the rate limit, a response of a proxy,
 * or nothing was sent), before any wait.
 *
 * If the last call was with true, the outcome of the request may be unknown, for example because
 * the user canceled.
 */
export type OnSent = (isSent: boolean) => void;

const defaultMaxAttempts = 4;

/**
 * Sends all requests to the service, with rate limit, retries and cache.
 *
 * HTTP errors are results, not exceptions: `api/httpErrors.ts` makes exceptions with messages for
 * users of them.
 */
export class ApiClient {
	/** Without a trailing slash. */
	readonly baseUrl: string;

	/** Aborts when the user cancels the execution. */
	readonly signal: AbortSignal | undefined;

	readonly #requestDefaults: RequestDefaults & Caller;

	/** Shared with all clients of the account. */
	readonly account: Account;

	readonly #maxAttempts: number;

	/** Monotonic. By default, responses to earlier requests aren't used. */
	readonly createdAt = monotonicNow();

	private constructor(
		context: RequestContext,
		apiCredential: ApiCredential,
		credential: ICredentialDataDecryptedObject,
		{ maxAttempts = defaultMaxAttempts, ...options }: ApiClientOptions,
	) {
		const { baseUrl, apiKey } = apiCredential;
		this.#maxAttempts = maxAttempts;
		this.baseUrl = baseUrl;
		this.account = Account.for(apiCredential);
		this.signal =
			'getExecutionCancelSignal' in context ? context.getExecutionCancelSignal() : undefined;
		this.#requestDefaults = {
			...options,
			context,
			signal: this.signal,
			credential: { ...credential, apiKey },
			redact: createKeyRedactor(apiKey),
		};
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
	 * Creates a client with a credential that was already read.
	 *
	 * @throws {NodeOperationError} if the credential isn't valid
	 */
	static fromCredential(
		context: RequestContext,
		credential: ICredentialDataDecryptedObject,
		options: ApiClientOptions,
	): ApiClient {
		return new ApiClient(context, parseOrThrow(context, credential), credential, options);
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
			const apiCredential = parseOrThrow(context, credential, itemIndex);
			const name = JSON.stringify(apiCredential);
			const client =
				clients.get(name) ?? new ApiClient(context, apiCredential, credential, options);
			clients.set(name, client);
			return client;
		};
	}

	/**
	 * Sends a GET request, or returns the cached response of its URL. Failed responses are cached for
	 * five seconds.
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
	 * With the results `rateLimited` and `networkError`, no attempt was processed.
	 *
	 * @param segments of the path; third-party text must pass `isPathSegment`
	 */
	async post(
		segments: readonly string[],
		body?: IDataObject,
		onSent: OnSent = () => undefined,
	): Promise<PostResult> {
		try {
			return await this.#send({ method: 'POST', url: this.#buildUrl(segments), body }, onSent);
		} finally {
			this.account.changedAt = monotonicNow();
		}
	}

	/**
	 * Returns the cache option for a response that may be this old, but not older than the last
	 * change that this process made.
	 */
	maxAge(milliseconds: number): Required<CacheOptions> {
		return {
			notBefore: Math.max(
				monotonicNow() - milliseconds,
				this.account.changedAt + minTimeDifferenceMs,
			),
		};
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
		return this.account.rateLimiter.now();
	}

	/** Builds a URL, and percent-encodes the path segments. */
	#buildUrl(segments: readonly string[], query?: Record<string, string>): string {
		const path = segments.map((segment) => `/${encodeURIComponent(segment)}`).join('');
		const search = new URLSearchParams(query).toString();
		return `${this.baseUrl}${path}${search === '' ? '' : `?${search}`}`;
	}

	async #getCached(url: string, { notBefore = this.createdAt }: CacheOptions): Promise<GetResult> {
		const send = async () => (await this.#send({ method: 'GET', url })) as GetResult;
		const isRetried = this.#maxAttempts > 1;
		const { maxRateLimitWaitMs } = this.#requestDefaults;
		const { cache } = this.account;
		return await cache.get(url, notBefore, send, this.signal, isRetried, maxRateLimitWaitMs);
	}

	/**
	 * Sends a request, with retries.
	 *
	 * RFC 9110, section 9.2.2: only a request that wasn't processed, or that only reads, may be
	 * retried, because the service documents no idempotency key.
	 */
	async #send(request: HttpRequest, onSent?: OnSent): Promise<PostResult> {
		const { rateLimiter } = this.account;
		for (let attemptCount = 1; ; attemptCount++) {
			const send = async () => await this.#attempt(request, onSent);
			const onRateLimited = () => onSent?.(false);
			const result = await rateLimiter.run(this.#requestDefaults, send, onRateLimited);
			if (result.kind === 'rateLimited') return result;
			const isFinal = isConclusive(result);
			const isAmbiguous = !isFinal && request.method === 'POST' && !isNeverSent(result);
			const retryAfterMs = parseRetryAfter(result, rateLimiter.now());
			if (
				isFinal ||
				isAmbiguous ||
				attemptCount >= this.#maxAttempts ||
				retryAfterMs > this.#requestDefaults.maxRateLimitWaitMs
			) {
				if (!isAmbiguous) return result;
				const hasResponse = result.kind === 'response';
				const cause = hasResponse ? `HTTP ${result.response.statusCode}` : result.error.code;
				return { kind: 'ambiguous', cause };
			}
			await this.delay(retryAfterMs || backoff(attemptCount));
		}
	}

	async #attempt(request: HttpRequest, onSent?: OnSent): Promise<RequestResult> {
		this.signal?.throwIfAborted();
		onSent?.(true);
		const result = await sendRequest(this.#requestDefaults, request);
		if (isBlocked(result) || isNeverSent(result)) onSent?.(false);
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

/** @throws {NodeOperationError} if the credential isn't valid */
function parseOrThrow(
	context: RequestContext,
	credential: ICredentialDataDecryptedObject,
	itemIndex?: number,
): ApiCredential {
	try {
		return parseCredential(credential);
	} catch (error) {
		throw toNodeOperationError(context.getNode(), toServiceError(error), itemIndex);
	}
}
