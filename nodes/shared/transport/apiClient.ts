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
import { isRateLimited, type RequestResult } from './response';

/** What came of a request that changes something; with `ambiguous` it was sent, and it is not known whether it was carried out. */
export type PostResult = GetResult | { kind: 'ambiguous'; cause: string };

/** A request that was not sent, because `leaving` has kept it back. */
export interface VetoedRequest {
	kind: 'vetoed';
}

export interface ApiClientOptions {
	/** The longest wait for the rate limit that is ever slept, in seconds. */
	maxRateLimitWait: number;
	/** The user can raise that wait, by the option Max Rate Limit Wait. */
	isMaxWaitConfigurable?: boolean;
	/** How long one attempt may take, in seconds. */
	timeout: number;
}

export interface GetOptions extends CacheOptions {
	query?: Record<string, string>;
}

/** What is done around a request that spends or creates. It is in doubt if it was leaving and has not been turned away since. */
export interface PostHooks {
	/** Called before each attempt, when it has its turn and leaves at once; with false, nothing is sent. */
	beforeSend?: () => boolean;
	/** Called after each attempt that certainly was not carried out (a 429, or nothing was sent), before any wait. */
	onNotProcessed?: () => void;
}

/** The most attempts in all, the first one included, where sending again is allowed. */
const maxAttempts = 4;
/** Milliseconds for which a service that did not answer is asked once at a time, instead of several times. */
const outageCooldownMs = 2 * 60_000;

/** What all connections of an account share: its quota, and what the polls, list searches and summaries have read. */
const accounts = new BoundedMap<string, { rateLimiter: RateLimiter; cache: RequestCache }>(1000);

/** The one place that sends requests to the service. HTTP errors are values; `errors.ts` turns them into what the user reads. */
export class ApiClient {
	/** The base URL without a slash at the end. */
	readonly baseUrl: string;

	/** Fires when the user cancels the execution. */
	readonly signal: AbortSignal | undefined;

	readonly #requestDefaults: RequestDefaults & Caller;

	/** What this connection shares with the others of its account. */
	readonly #shared: { rateLimiter: RateLimiter; cache: RequestCache };

	/** What this connection has read, which no other one is given. */
	readonly #cache = new RequestCache();

	private constructor(
		context: RequestContext,
		{ baseUrl, apiKey }: ApiCredential,
		credential: ICredentialDataDecryptedObject,
		options: ApiClientOptions,
	) {
		const { maxRateLimitWait, isMaxWaitConfigurable, timeout } = options;
		this.baseUrl = baseUrl;
		this.signal =
			'getExecutionCancelSignal' in context ? context.getExecutionCancelSignal() : undefined;
		this.#requestDefaults = {
			context,
			signal: this.signal,
			credential: { ...credential, apiKey },
			redact: createKeyRedactor(apiKey),
			timeout: timeout * 1000,
			maxWaitMs: maxRateLimitWait * 1000,
			isMaxWaitConfigurable,
		};
		const createShared = () => ({ rateLimiter: new RateLimiter(), cache: new RequestCache() });
		this.#shared = accounts.getOrCreate(this.scopedKey('shared'), createShared);
	}

	/** Opens the connection of a context that has no items. @throws like the function that `opener` returns */
	static async create(context: RequestContext, options: ApiClientOptions) {
		return await ApiClient.createFactory(context, options)();
	}

	/**
	 * The result opens the connection of an item, whose credential may hold expressions; items of one account share one.
	 * @throws NodeOperationError when the credential cannot be used, and n8n's own error when it cannot be read
	 */
	static createFactory(
		context: RequestContext,
		options: ApiClientOptions,
	): (itemIndex?: number) => Promise<ApiClient> {
		const clients = new Map<string, ApiClient>();
		return async (itemIndex) => {
			const credential = await context.getCredentials(credentialName, itemIndex);
			const apiCredential = parseCredential(credential);
			if (isErrorResult(apiCredential))
				throw toNodeOperationError(context.getNode(), apiCredential, itemIndex);
			const name = JSON.stringify(apiCredential);
			const client =
				clients.get(name) ?? new ApiClient(context, apiCredential, credential, options);
			clients.set(name, client);
			return client;
		};
	}

	/**
	 * Sends a request that reads. This connection, or with `isShared` all connections of the account, ask an address once and
	 * share its answer until it is too old; one of no use, such as an error, is too old after five seconds. What an answer
	 * holds belongs to everybody, so it must not be changed, or passed on to other nodes.
	 */
	async get(
		segments: readonly string[],
		{ query, ...cacheOptions }: GetOptions = {},
	): Promise<GetResult> {
		return await this.#getCached(this.#buildUrl(segments, query), cacheOptions);
	}

	/**
	 * Reads the next page, to which the service has given a complete URL, as `get` does. Undefined, and nothing is sent, when
	 * that is not below the base URL, because nothing else gets the key.
	 */
	async getNextPage(url: string, cacheOptions: CacheOptions): Promise<GetResult | undefined> {
		// An address that names a user is refused here, too: n8n would send that name and password in the place of the key.
		const isBelowBaseUrl = url.startsWith(`${this.baseUrl}/`);
		return isBelowBaseUrl ? await this.#getCached(url, cacheOptions) : undefined;
	}

	/**
	 * Sends a request that spends or creates. It is sent again only when it certainly was not carried out; with the outcomes
	 * `limited` and `unreachable` it never was.
	 * @param segments of the path; what others have chosen has to be a segment (`isSegment`)
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

	/** Waits this many milliseconds, or until the user cancels. */
	async delay(milliseconds: number): Promise<void> {
		await delay(milliseconds, this.signal);
	}

	/**
	 * Checks something until it is settled, at most so many times, with growing pauses: four checks take some three seconds, six
	 * take ten. Returns the result of the last check.
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

	/** The service's time, in epoch milliseconds: to compare with what it writes, whatever this machine's clock says. */
	now(): number {
		return this.#shared.rateLimiter.now();
	}

	/** A name for something of this account, for use as a key in memory; it does not reveal the API key. */
	scopedKey(name: string): string {
		return hash([this.baseUrl, this.#requestDefaults.credential.apiKey, name]);
	}

	/** The address of a path, whose segments are encoded. */
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
	 * Sends a request, and sends it again as long as that is allowed and the caller waits. Only what certainly was not carried out,
	 * or only reads, may be sent again (RFC 9110, section 9.2.2): the service documents no idempotency key.
	 */
	async #send(request: HttpRequest, options: PostHooks = {}): Promise<PostResult | VetoedRequest> {
		const { rateLimiter } = this.#shared;
		const attemptLimit = monotonicNow() < rateLimiter.retriesDisabledUntil ? 1 : maxAttempts;
		for (let attemptCount = 1; ; attemptCount++) {
			const send = async () => await this.#attempt(request, options);
			const result = await rateLimiter.run(this.#requestDefaults, send);
			if (result.kind === 'rateLimited' || result.kind === 'vetoed') return result;
			const isFinal = isConclusive(result);
			const isAmbiguous = !isFinal && request.method === 'POST' && !isNeverSent(result);
			const retryAfterMs = parseRetryAfter(result, rateLimiter.now());
			if (
				isFinal ||
				isAmbiguous ||
				attemptCount >= attemptLimit ||
				retryAfterMs > this.#requestDefaults.maxWaitMs
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
		if (isRateLimited(result) || isNeverSent(result)) onNotProcessed?.();
		return result;
	}
}

/** Whether the service has decided, or something stands in the way until somebody changes it: sending it again is of no use. */
function isConclusive(result: RequestResult): boolean {
	if (result.kind === 'networkError') return result.error.permanentCause !== undefined;
	const { statusCode } = result.response;
	return statusCode !== 408 && statusCode < 500;
}

function isNeverSent(result: RequestResult): boolean {
	return result.kind === 'networkError' && result.error.neverSent;
}

/** Milliseconds that the answer asks to wait, 0 if it does not: a 503 may say when to come again (RFC 9110, section 10.2.3). */
function parseRetryAfter(result: RequestResult, now: number): number {
	const retryAfterMs =
		result.kind === 'response' ? result.response.headers['retry-after'] : undefined;
	return Math.max(0, (parseTimestamp(retryAfterMs, now) ?? now) - now);
}

/** Milliseconds before the given repetition (1 for the first): exponential, with up to half of it again as jitter. */
function backoff(retryCount: number): number {
	const base = 300 * 2 ** (retryCount - 1);
	return Math.round(base * (1 + Math.random() / 2));
}

/** How many requests are passed to n8n in one turn of the event loop (without a turn for others in between, n8n answers nothing else meanwhile). */
const requestsPerTick = 25;
let startedCount = 0;
let lastYield = Promise.resolve();

async function yieldToEventLoop(): Promise<void> {
	if (startedCount++ % requestsPerTick === 0) {
		lastYield = lastYield.then(async () => await sleep(0));
	}
	await lastYield;
}
