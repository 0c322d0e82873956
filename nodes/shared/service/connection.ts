import type { ICredentialDataDecryptedObject, IDataObject } from 'n8n-workflow';
import { sleep } from 'n8n-workflow';

import { hash, whyNotASegment } from '../identity';
import { readMoment } from '../time';
import { isExplanation, operationError } from '../words/explanation';
import { type Account, credentialName, readCredential } from './credential';
import { pause } from './pause';
import { type Caller, Quota } from './quota';
import { type ReadOutcome, Reads } from './reads';
import { hidingKey, type HttpRequest, type RequestContext, type Sender, sendOnce } from './request';
import { type Attempt, backoff, decide, isLimited } from './retry';

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

export interface GetOptions {
	query?: Record<string, string>;
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

/** How old an answer may be, and whether others may have asked for it. */
export type Freshness = Omit<GetOptions, 'query'>;

/** For a person who looks, and a search box that asks at each keystroke: what anybody read in the last ten seconds will do. */
export const aMomentAgo: Freshness = { isShared: true, for: 10_000 };

/** What is done around a request that spends or creates. It is in doubt if it was leaving and has not been turned away since. */
export interface PostOptions {
	/** Called before each attempt, when it has its turn and leaves at once; with false, nothing is sent. */
	leaving?: () => boolean;
	/** Called after each attempt that certainly was not carried out (a 429, or nothing was sent), before any wait. */
	turnedAway?: () => void;
}

/** The most attempts in all, the first one included, where sending again is allowed. */
const mostAttempts = 4;

/** The one place that sends requests to the service. HTTP errors are values; `errors.ts` turns them into what the user reads. */
export class ServiceConnection {
	/** The base URL without a slash at the end. */
	readonly baseUrl: string;

	/** Fires when the user cancels the execution. */
	readonly signal: AbortSignal | undefined;

	readonly #sender: Sender;

	readonly #caller: Caller;

	/** The name under which all connections of this account share its quota, and what they have read with `isShared`. */
	readonly #account: string;

	readonly #quota: Quota;

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
		};
		this.#caller = { longestWait: maxRateLimitWait * 1000, waitIsOption, signal: this.signal };
		this.#account = this.accountKey('quota');
		this.#quota = Quota.of(this.#account);
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
			if (isExplanation(account)) throw operationError(context.getNode(), account, itemIndex);
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
	 * @throws NodeOperationError before any request when a segment of the path cannot be one
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
	async getNextPage(url: string, freshness: Freshness = {}): Promise<ReadOutcome | undefined> {
		// An address that names a user is refused here, too: n8n would send that name and password in the place of the key.
		const isOwn = url.startsWith(`${this.baseUrl}/`);
		return isOwn ? await this.#read(url, freshness) : undefined;
	}

	/**
	 * Sends a request that spends or creates. It is sent again only when it certainly was not carried out; with the outcomes
	 * `limited` and `unreachable` it never was.
	 * @throws NodeOperationError before any request when a segment of the path cannot be one
	 */
	async post(
		segments: readonly string[],
		body?: IDataObject,
		options: PostOptions = {},
	): Promise<Outcome | Withheld> {
		try {
			return await this.#send({ method: 'POST', url: this.#urlOf(segments), body }, options);
		} finally {
			Reads.of(this.#account).forget();
		}
	}

	/** Forgets what anybody has asked this address for until that moment, by `steadyNow`, because it may have changed. */
	forget(segments: readonly string[], until: number): void {
		Reads.of(this.#account).forget(this.#urlOf(segments), until);
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
		return this.#quota.now();
	}

	/** A name for something of this account, for use as a key in memory; it does not reveal the API key. */
	accountKey(name: string): string {
		return hash([this.baseUrl, this.#sender.credential.apiKey, name]);
	}

	/**
	 * The address of a path. Segments are checked and encoded in this one place, for every operation, so that no text of a user
	 * or of another service can change the endpoint.
	 */
	#urlOf(segments: readonly string[], query?: Record<string, string>): string {
		const path = segments.map((segment) => {
			const reason = whyNotASegment(segment);
			if (reason === undefined) return `/${encodeURIComponent(segment)}`;
			const message = `"${segment}" cannot be part of the address of a request`;
			throw operationError(this.#sender.context.getNode(), { message, description: `${reason}.` });
		});
		const search = new URLSearchParams(query).toString();
		return `${this.baseUrl}${path.join('')}${search === '' ? '' : `?${search}`}`;
	}

	async #read(
		url: string,
		{ since = -Infinity, fresh, isShared, for: goodFor }: Freshness,
	): Promise<ReadOutcome> {
		const reads = isShared ? Reads.of(this.#account) : this.#reads;
		const reader = {
			// Nothing was ever asked for since Infinity, so what must be fresh is always asked for.
			since: fresh ? Infinity : since,
			for: goodFor,
			signal: this.signal,
		};
		const ask = async () => (await this.#send({ method: 'GET', url })) as ReadOutcome;
		return await reads.read(url, reader, ask);
	}

	/** Sends a request, and sends it again as long as that is allowed and the caller waits. */
	async #send(request: HttpRequest, options: PostOptions = {}): Promise<Outcome | Withheld> {
		const quota = this.#quota;
		const most = quota.isInTrouble() ? 1 : mostAttempts;
		/** How many attempts there were since the limit last refused one. */
		let attempts = 0;
		for (;;) {
			const attempt = await quota.run(this.#caller, async () => {
				const sent = await this.#attempt(request, options);
				attempts = isLimited(sent) ? 0 : attempts + 1;
				return sent;
			});
			if (attempt.kind === 'limited' || attempt.kind === 'withheld') return attempt;
			const decision = decide(attempt, request.method === 'GET');
			const asked = waitAskedFor(attempt, quota.now());
			const mayTryAgain = attempts < most && asked <= this.#caller.longestWait;
			if (decision !== 'again' || !mayTryAgain) {
				quota.noteEnd({ gaveUp: decision !== 'decided' });
				return outcomeOf(attempt, request.url, decision === 'ambiguous');
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
		const isNeverSent = attempt.kind === 'failed' && attempt.error.neverSent;
		if (isLimited(attempt) || isNeverSent) turnedAway?.();
		return attempt;
	}
}

/** What came of a request, by its last attempt. */
function outcomeOf(attempt: Attempt, url: string, isAmbiguous: boolean): Outcome {
	if (attempt.kind === 'answered') {
		const cause = `HTTP ${attempt.response.statusCode}`;
		return isAmbiguous ? { kind: 'ambiguous', cause } : attempt;
	}
	const { error } = attempt;
	return isAmbiguous
		? { kind: 'ambiguous', cause: error.code }
		: { kind: 'unreachable', error, url };
}

/** How many requests are passed to n8n in one turn of the event loop (without a turn for others in between, n8n answers nothing else meanwhile). */
const withoutPause = 25;
let passed = 0;
let lastTurn = Promise.resolve();

async function untilItsTurn(): Promise<void> {
	if (passed++ % withoutPause === 0) lastTurn = lastTurn.then(async () => await sleep(0));
	await lastTurn;
}

/** Milliseconds that the answer asks to wait, 0 if it does not: a 503 may say when to come again (RFC 9110, section 10.2.3). */
function waitAskedFor(attempt: Attempt, now: number): number {
	const asked = attempt.kind === 'answered' ? attempt.response.headers['retry-after'] : undefined;
	return Math.max(0, (readMoment(asked, now) ?? now) - now);
}
