import type { ICredentialDataDecryptedObject, IDataObject } from 'n8n-workflow';
import { sleep } from 'n8n-workflow';

import { isErrorResult, toNodeOperationError } from '../errors';
import { BoundedMap } from '../utils/boundedMap';
import { hash } from '../utils/ids';
import { readMoment, steadyNow } from '../utils/time';
import { type Account, credentialName, readCredential } from './credential';
import { pause } from './delay';
import { type Caller, Quota } from './rateLimiter';
import { hidingKey, type HttpRequest, type RequestContext, type Sender, sendOnce } from './request';
import { type Freshness, type ReadOutcome, Reads } from './requestCache';
import { type Attempt, isLimited } from './response';

/** What came of a request that changes something; with `ambiguous` it was sent, and it is not known whether it was carried out. */
export type Outcome = ReadOutcome | { kind: 'ambiguous'; cause: string };

/** A request that was not sent, because `leaving` has kept it back. */
export interface Withheld {
	kind: 'withheld';
}

export interface ConnectionSettings {
	/** The longest wait for the rate limit that is ever slept, in seconds. */
	maxRateLimitWait: number;
	/** The user can raise that wait, by the option Max Rate Limit Wait. */
	waitIsOption?: boolean;
	/** How long one attempt may take, in seconds. */
	timeout: number;
}

export interface GetOptions extends Freshness {
	query?: Record<string, string>;
}

/** What is done around a request that spends or creates. It is in doubt if it was leaving and has not been turned away since. */
export interface PostOptions {
	/** Called before each attempt, when it has its turn and leaves at once; with false, nothing is sent. */
	leaving?: () => boolean;
	/** Called after each attempt that certainly was not carried out (a 429, or nothing was sent), before any wait. */
	turnedAway?: () => void;
}

/** The most attempts in all, the first one included, where sending again is allowed. */
const maxAttempts = 4;
/** Milliseconds for which a service that did not answer is asked once at a time, instead of several times. */
const outageCooldownMs = 2 * 60_000;

/** What all connections of an account share: its quota, and what the polls, list searches and summaries have read. */
const accounts = new BoundedMap<string, { quota: Quota; reads: Reads }>(1000);

/** The one place that sends requests to the service. HTTP errors are values; `errors.ts` turns them into what the user reads. */
export class ServiceConnection {
	/** The base URL without a slash at the end. */
	readonly baseUrl: string;

	/** Fires when the user cancels the execution. */
	readonly signal: AbortSignal | undefined;

	readonly #sender: Sender & Caller;

	/** What this connection shares with the others of its account. */
	readonly #shared: { quota: Quota; reads: Reads };

	/** What this connection has read, which no other one is given. */
	readonly #reads = new Reads();

	private constructor(
		context: RequestContext,
		{ baseUrl, apiKey }: Account,
		credential: ICredentialDataDecryptedObject,
		settings: ConnectionSettings,
	) {
		const { maxRateLimitWait, waitIsOption, timeout } = settings;
		this.baseUrl = baseUrl;
		this.signal =
			'getExecutionCancelSignal' in context ? context.getExecutionCancelSignal() : undefined;
		this.#sender = {
			context,
			signal: this.signal,
			credential: { ...credential, apiKey },
			hide: hidingKey(apiKey),
			timeout: timeout * 1000,
			maxWaitMs: maxRateLimitWait * 1000,
			waitIsOption,
		};
		const share = () => ({ quota: new Quota(), reads: new Reads() });
		this.#shared = accounts.of(this.accountKey('shared'), share);
	}

	/** Opens the connection of a context that has no items. @throws like the function that `opener` returns */
	static async open(context: RequestContext, settings: ConnectionSettings) {
		return await ServiceConnection.opener(context, settings)();
	}

	/**
	 * The result opens the connection of an item, whose credential may hold expressions; items of one account share one.
	 * @throws NodeOperationError when the credential cannot be used, and n8n's own error when it cannot be read
	 */
	static opener(
		context: RequestContext,
		settings: ConnectionSettings,
	): (itemIndex?: number) => Promise<ServiceConnection> {
		const opened = new Map<string, ServiceConnection>();
		return async (itemIndex) => {
			const credential = await context.getCredentials(credentialName, itemIndex);
			const account = readCredential(credential);
			if (isErrorResult(account)) throw toNodeOperationError(context.getNode(), account, itemIndex);
			const name = JSON.stringify(account);
			const connection =
				opened.get(name) ?? new ServiceConnection(context, account, credential, settings);
			opened.set(name, connection);
			return connection;
		};
	}

	/**
	 * Sends a request that reads. This connection, or with `isShared` all connections of the account, ask an address once and
	 * share its answer until it is too old; one of no use, such as an error, is too old after five seconds. What an answer
	 * holds belongs to everybody, so it must not be changed, or passed on to other nodes.
	 */
	async get(
		segments: readonly string[],
		{ query, ...freshness }: GetOptions = {},
	): Promise<ReadOutcome> {
		return await this.#read(this.#urlOf(segments, query), freshness);
	}

	/**
	 * Reads the next page, to which the service has given a complete URL, as `get` does. Undefined, and nothing is sent, when
	 * that is not below the base URL, because nothing else gets the key.
	 */
	async getNextPage(url: string, freshness: Freshness): Promise<ReadOutcome | undefined> {
		// An address that names a user is refused here, too: n8n would send that name and password in the place of the key.
		const isOwn = url.startsWith(`${this.baseUrl}/`);
		return isOwn ? await this.#read(url, freshness) : undefined;
	}

	/**
	 * Sends a request that spends or creates. It is sent again only when it certainly was not carried out; with the outcomes
	 * `limited` and `unreachable` it never was.
	 * @param segments of the path; what others have chosen has to be a segment (`isSegment`)
	 */
	async post(
		segments: readonly string[],
		body?: IDataObject,
		options: PostOptions = {},
	): Promise<Outcome | Withheld> {
		try {
			return await this.#send({ method: 'POST', url: this.#urlOf(segments), body }, options);
		} finally {
			this.#shared.reads.forget();
		}
	}

	/** Waits this many milliseconds, or until the user cancels. */
	async pause(milliseconds: number): Promise<void> {
		await pause(milliseconds, this.signal);
	}

	/**
	 * Checks something until it is settled, at most so many times, with growing pauses: four checks take some three seconds, six
	 * take ten. Returns the result of the last check.
	 */
	async checkAgain<Result>(
		maxAttempts: number,
		check: () => Promise<Result>,
		isSettled: (result: Result) => boolean,
	): Promise<Result> {
		for (let count = 1; ; count++) {
			const result = await check();
			if (count >= maxAttempts || isSettled(result)) return result;
			await this.pause(backoff(count));
		}
	}

	/** The service's time, in epoch milliseconds: to compare with what it writes, whatever this machine's clock says. */
	now(): number {
		return this.#shared.quota.now();
	}

	/** A name for something of this account, for use as a key in memory; it does not reveal the API key. */
	accountKey(name: string): string {
		return hash([this.baseUrl, this.#sender.credential.apiKey, name]);
	}

	/** The address of a path, whose segments are encoded. */
	#urlOf(segments: readonly string[], query?: Record<string, string>): string {
		const path = segments.map((segment) => `/${encodeURIComponent(segment)}`).join('');
		const search = new URLSearchParams(query).toString();
		return `${this.baseUrl}${path}${search === '' ? '' : `?${search}`}`;
	}

	async #read(url: string, freshness: Freshness): Promise<ReadOutcome> {
		const reads = freshness.isShared ? this.#shared.reads : this.#reads;
		const ask = async () => (await this.#send({ method: 'GET', url })) as ReadOutcome;
		return await reads.read(url, freshness, ask, this.signal);
	}

	/**
	 * Sends a request, and sends it again as long as that is allowed and the caller waits. Only what certainly was not carried out,
	 * or only reads, may be sent again (RFC 9110, section 9.2.2): the service documents no idempotency key.
	 */
	async #send(request: HttpRequest, options: PostOptions = {}): Promise<Outcome | Withheld> {
		const { quota } = this.#shared;
		const attemptLimit = steadyNow() < quota.inTroubleUntil ? 1 : maxAttempts;
		for (let attempts = 1; ; attempts++) {
			const send = async () => await this.#attempt(request, options);
			const attempt = await quota.run(this.#sender, send);
			if (attempt.kind === 'limited' || attempt.kind === 'withheld') return attempt;
			const isClear = isFinal(attempt);
			const isInDoubt = !isClear && request.method === 'POST' && !isNeverSent(attempt);
			const asked = waitAskedFor(attempt, quota.now());
			if (isClear || isInDoubt || attempts >= attemptLimit || asked > this.#sender.maxWaitMs) {
				quota.inTroubleUntil = isClear ? -Infinity : steadyNow() + outageCooldownMs;
				if (!isInDoubt) return attempt;
				const isAnswered = attempt.kind === 'answered';
				const cause = isAnswered ? `HTTP ${attempt.response.statusCode}` : attempt.error.code;
				return { kind: 'ambiguous', cause };
			}
			await this.pause(asked || backoff(attempts));
		}
	}

	async #attempt(
		request: HttpRequest,
		{ leaving, turnedAway }: PostOptions,
	): Promise<Attempt | Withheld> {
		await untilItsTurn();
		this.signal?.throwIfAborted();
		if (leaving?.() === false) return { kind: 'withheld' };
		const attempt = await sendOnce(this.#sender, request);
		if (isLimited(attempt) || isNeverSent(attempt)) turnedAway?.();
		return attempt;
	}
}

/** Whether the service has decided, or something stands in the way until somebody changes it: sending it again is of no use. */
function isFinal(attempt: Attempt): boolean {
	if (attempt.kind === 'unreachable') return attempt.error.permanentCause !== undefined;
	const { statusCode } = attempt.response;
	return statusCode !== 408 && statusCode < 500;
}

function isNeverSent(attempt: Attempt): boolean {
	return attempt.kind === 'unreachable' && attempt.error.neverSent;
}

/** Milliseconds that the answer asks to wait, 0 if it does not: a 503 may say when to come again (RFC 9110, section 10.2.3). */
function waitAskedFor(attempt: Attempt, now: number): number {
	const asked = attempt.kind === 'answered' ? attempt.response.headers['retry-after'] : undefined;
	return Math.max(0, (readMoment(asked, now) ?? now) - now);
}

/** Milliseconds before the given repetition (1 for the first): exponential, with up to half of it again as jitter. */
function backoff(repetition: number): number {
	const base = 300 * 2 ** (repetition - 1);
	return Math.round(base * (1 + Math.random() / 2));
}

/** How many requests are passed to n8n in one turn of the event loop (without a turn for others in between, n8n answers nothing else meanwhile). */
const requestsPerTick = 25;
let passed = 0;
let lastTurn = Promise.resolve();

async function untilItsTurn(): Promise<void> {
	if (passed++ % requestsPerTick === 0) lastTurn = lastTurn.then(async () => await sleep(0));
	await lastTurn;
}
