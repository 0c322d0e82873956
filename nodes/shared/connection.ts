import type { ICredentialDataDecryptedObject, IDataObject } from 'n8n-workflow';
import { sleep } from 'n8n-workflow';

import { type Account, credentialName, readAccount } from './credential';
import { isExplanation, operationError } from './explanation';
import { hash, whyNotASegment } from './identity';
import type { NetworkError } from './networkError';
import { pause } from './pause';
import { type Caller, type LimitReached, Quota } from './quota';
import { ServiceClock } from './rateLimit';
import { hidingKey, type HttpRequest, type RequestContext, type Sender, sendOnce } from './request';
import { isSuccess, type ServiceResponse } from './response';
import { type Attempt, backoff, decide, isLimited } from './retry';
import { readMoment, steadyNow } from './time';

/** What came in the end of a request that only reads, after everything that may be tried again was. */
export type ReadOutcome =
	/** The service decided; the status may be any but 429. */
	| { kind: 'answered'; response: ServiceResponse }
	| LimitReached
	/** Nothing reached the service, or nothing came back from a request that only reads. */
	| { kind: 'unreachable'; error: NetworkError; url: string };

/** Of one that changes something: `ambiguous` when it was sent, and whether it was carried out is not known. */
export type Outcome = ReadOutcome | { kind: 'ambiguous'; cause: string };

export interface ConnectionSettings {
	/** The longest wait for the rate limit that is ever slept, in seconds. */
	maxRateLimitWait: number;
	/** For one attempt, in seconds. */
	timeout: number;
}

export interface GetOptions {
	query?: Record<string, string>;
	/** What was read before this moment, by `steadyNow`, is read again. */
	since?: number;
	/** Whatever was read before is read again: for what decides about a payment. */
	fresh?: boolean;
}

/** How old an answer may be. */
export type Freshness = Pick<GetOptions, 'since' | 'fresh'>;

/**
 * What is done around a request that spends or creates; what rejects here makes `post` reject with the same error. A request
 * is in doubt if it was leaving and has not been turned away since, also when `post` rejects.
 */
export interface PostOptions {
	/** Awaited before each attempt, when it has its turn and nothing keeps it from being sent. If it rejects, nothing is sent. */
	leaving?: () => Promise<void>;
	/** Awaited after each attempt that certainly was not carried out (a 429, or nothing was sent), before any wait. */
	turnedAway?: () => Promise<void>;
}

interface Read {
	outcome: Promise<ReadOutcome>;
	/** When it was answered; until then, when it was asked for. */
	at: number;
	/** How long it is good enough. */
	until: number;
}

/** Milliseconds for which an answer of no use is: not each of many items has to find out. */
const uselessFor = 5000;

/** The one place that sends requests to the service. HTTP errors are values; `errors.ts` turns them into what the user reads. */
export class ServiceConnection {
	/** Without a slash at the end. */
	readonly baseUrl: string;

	/** Fires when the user cancels the execution. */
	readonly signal: AbortSignal | undefined;

	readonly #sender: Sender;

	readonly #caller: Caller;

	/** The name under which all connections of this account share its quota. */
	readonly #account: string;

	#clock = new ServiceClock();

	readonly #reads = new Map<string, Read>();

	private constructor(
		context: RequestContext,
		{ baseUrl, apiKey }: Account,
		credential: ICredentialDataDecryptedObject,
		{ maxRateLimitWait, timeout }: ConnectionSettings,
	) {
		this.baseUrl = baseUrl;
		this.signal =
			'getExecutionCancelSignal' in context ? context.getExecutionCancelSignal() : undefined;
		this.#sender = {
			context,
			signal: this.signal,
			credential: { ...credential, apiKey },
			hide: hidingKey(apiKey),
			timeout: timeout * 1000,
		};
		const longestWait = maxRateLimitWait * 1000;
		this.#caller = { longestWait, signal: this.signal, since: steadyNow() };
		this.#account = this.accountKey('quota');
	}

	/** Opens the connection of a context that has no items. @throws what the function that `opener` returns throws */
	static async open(context: RequestContext, settings: ConnectionSettings) {
		return await ServiceConnection.opener(context, settings)();
	}

	/**
	 * The result reads the credential of an item, which may hold expressions, and opens a connection: one for each account.
	 * @throws NodeOperationError when the credential cannot be used, and n8n's own error when it cannot be read
	 */
	static opener(
		context: RequestContext,
		settings: ConnectionSettings,
	): (itemIndex?: number) => Promise<ServiceConnection> {
		const opened = new Map<string, ServiceConnection>();
		return async (itemIndex) => {
			const credential = await context.getCredentials(credentialName, itemIndex);
			const account = readAccount(credential);
			if (isExplanation(account)) throw operationError(context.getNode(), account, itemIndex);
			const name = JSON.stringify(account);
			const connection =
				opened.get(name) ?? new ServiceConnection(context, account, credential, settings);
			opened.set(name, connection);
			return connection;
		};
	}

	/**
	 * Sends a request that reads. Within this connection the same address is asked once and its answer shared, unless it is
	 * too old. One of no use is too old after five seconds.
	 * @throws NodeOperationError before any request when a segment of the path cannot be one
	 */
	async get(
		segments: readonly string[],
		{ query, ...freshness }: GetOptions = {},
	): Promise<ReadOutcome> {
		const search = new URLSearchParams(query).toString();
		return await this.#read(
			`${this.#urlOf(segments)}${search === '' ? '' : `?${search}`}`,
			freshness,
		);
	}

	/**
	 * Follows a link of the service to the next page, a complete URL, in the same way; undefined, and nothing is sent, when it
	 * leads out of what is below the base URL: nothing else gets the key.
	 */
	async getNextPage(url: string, freshness: Freshness = {}): Promise<ReadOutcome | undefined> {
		// With a user in it, n8n would send that one's name and password in the place of the key.
		const isOwn = url.startsWith(`${this.baseUrl}/`);
		return isOwn ? await this.#read(url, freshness) : undefined;
	}

	/**
	 * Sends a request that spends or creates. It is repeated only when it certainly was not carried out; `limited` and
	 * `unreachable` say the same of the request as a whole.
	 * @throws NodeOperationError before any request when a segment of the path cannot be one
	 */
	async post(segments: readonly string[], body?: IDataObject, options?: PostOptions) {
		return await this.#send({ method: 'POST', url: this.#urlOf(segments), body }, options);
	}

	/** Waits this many milliseconds, or until the user cancels. */
	async pause(milliseconds: number): Promise<void> {
		await pause(milliseconds, this.signal);
	}

	/** Checks something with growing pauses until it is settled, or for the last time. Four checks take some three seconds, six ten. */
	async checkAgain<Result>(
		mostChecks: number,
		check: () => Promise<Result>,
		isSettled: (result: Result) => boolean,
	): Promise<Result> {
		for (let count = 1; ; count++) {
			const result = await check();
			if (count >= mostChecks || isSettled(result)) return result;
			await this.pause(backoff(count));
		}
	}

	/** The service's time, in epoch milliseconds: to compare with what it writes, whatever this machine's clock says. */
	now(): number {
		return this.#clock.now();
	}

	/** A name for something of this account, for use as a key in memory; it does not reveal the API key. */
	accountKey(name: string): string {
		return hash([this.baseUrl, this.#sender.credential.apiKey, name]);
	}

	/** Holds for every operation, also those to come: no text of a user or of another service can change the endpoint. */
	#urlOf(segments: readonly string[]): string {
		const path = segments.map((segment) => {
			const reason = whyNotASegment(segment);
			if (reason === undefined) return `/${encodeURIComponent(segment)}`;
			const message = `"${segment}" cannot be part of the address of a request`;
			throw operationError(this.#sender.context.getNode(), { message, description: `${reason}.` });
		});
		return `${this.baseUrl}${path.join('')}`;
	}

	async #read(url: string, { since = -Infinity, fresh }: Freshness): Promise<ReadOutcome> {
		const known = fresh ? undefined : this.#reads.get(url);
		const now = steadyNow();
		if (known && known.at >= since && now < known.until) return await known.outcome;
		const outcome = this.#send({ method: 'GET', url }) as Promise<ReadOutcome>;
		const read = { outcome, at: now, until: Infinity };
		this.#reads.set(url, read);
		const answer = await outcome;
		read.at = steadyNow();
		const response = answer.kind === 'answered' ? answer.response : undefined;
		const isUseful = response !== undefined && isSuccess(response) && response.json !== undefined;
		// What the limit turned away is not asked before the quota allows it.
		if (!isUseful) read.until = answer.kind === 'limited' ? 0 : read.at + uselessFor;
		return answer;
	}

	async #send(request: HttpRequest, options: PostOptions = {}): Promise<Outcome> {
		let attempts = 0;
		for (;;) {
			const quota = Quota.of(this.#account);
			this.#clock = quota.clock;
			const attempt = await quota.run(this.#caller, async () => {
				const sent = await this.#attempt(request, options);
				attempts = isLimited(sent) ? 0 : attempts + 1;
				const isNeverSent = sent.kind === 'failed' && sent.error.neverSent;
				if (isLimited(sent) || isNeverSent) await options.turnedAway?.();
				return sent;
			});
			if (attempt.kind === 'limited') return attempt;
			const decision = decide(attempt, request.method === 'GET', attempts);
			const asked = waitAskedFor(attempt, this.#clock);
			if (decision === 'again' && asked <= this.#caller.longestWait) {
				await this.pause(asked || backoff(attempts));
				continue;
			}
			const isAnswered = attempt.kind === 'answered';
			if (decision === 'ambiguous') {
				const cause = isAnswered ? `HTTP ${attempt.response.statusCode}` : attempt.error.code;
				return { kind: decision, cause };
			}
			if (isAnswered) return attempt;
			return { kind: 'unreachable', error: attempt.error, url: request.url };
		}
	}

	async #attempt(request: HttpRequest, { leaving, turnedAway }: PostOptions): Promise<Attempt> {
		await untilItsTurn();
		await leaving?.();
		if (this.signal?.aborted) {
			await turnedAway?.();
			throw this.signal.reason;
		}
		return await sendOnce(this.#sender, request);
	}
}

/** So many requests are passed to n8n between two turns of the event loop (docs/decisions/0004-waiting-for-the-limit.md). */
const withoutPause = 25;
let passed = 0;
let lastTurn = Promise.resolve();

async function untilItsTurn(): Promise<void> {
	if (passed++ % withoutPause === 0) lastTurn = lastTurn.then(async () => await sleep(0));
	await lastTurn;
}

/** Milliseconds; a 503 may say when to come again (RFC 9110, sections 10.2.3 and 15.6.4). */
function waitAskedFor(attempt: Attempt, clock: ServiceClock): number {
	const asked = attempt.kind === 'answered' ? attempt.response.headers['retry-after'] : undefined;
	const now = clock.now();
	return Math.max(0, (readMoment(asked, now) ?? now) - now);
}
