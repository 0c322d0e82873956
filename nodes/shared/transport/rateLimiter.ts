import { monotonicNow, parseEpochSeconds, parseTimestamp } from '../utils/time';
import { delay, raceWithAbort } from './delay';
import { isRateLimited, type RequestResult, type ServiceResponse } from './response';

/** How many requests go at once while nothing is known: what the smallest plan allows in a minute (service-api.md, "Limits"). */
const initialConcurrency = 60;
/** Milliseconds within which two resets are the same: in whole seconds a reset wanders by one, and so does the clock. */
const resetToleranceMs = 2000;
/** Milliseconds after which one request asks whether really nothing is left, because no documented window is longer than a minute and a day is long. */
const probeAfterMs = 62_000;
/** How many waits in a row the service may ask for, with nothing allowed in between: other workers take what a minute allows. */
const maxConsecutive429s = 4;
const minuteMs = 60_000;

/** Somebody who sends requests: an execution, a list search, a poll. Callers take turns. */
export interface Caller {
	/** The longest wait for the limit that is ever slept, in milliseconds. */
	maxWaitMs: number;
	/** The user can raise that wait, by the option Max Rate Limit Wait. */
	isMaxWaitConfigurable?: boolean;
	/** Ends the waits of this caller. */
	signal: AbortSignal | undefined;
}

/** The limit is reached, and the wait is longer than the caller allows. Nothing was carried out. */
export interface RateLimitedResult {
	kind: 'rateLimited';
	caller: Caller;
	/** The service's 429; undefined where an earlier answer has said that nothing is left, so that nothing was sent. */
	response: ServiceResponse | undefined;
	/** When the limit resets, in epoch milliseconds of this machine; undefined when the service does not say. */
	resetsAt: number | undefined;
}

/** Lets a request through, or says why not. */
type Release = (rateLimited?: RateLimitedResult) => void;

interface RateLimitHit {
	response: ServiceResponse;
	/** When it came, by `steadyNow`: what was sent before was not refused once more. */
	receivedAt: number;
	/** How many refusals there were in a row, each of requests that were sent after the one before. */
	consecutiveHits: number;
	/** Whether the service has named the end of the wait; otherwise it is a guess. */
	hasResetTime: boolean;
}

/** With this reason an alarm is turned off. It is made once, because an error with its stack takes long. */
const abortReason = new Error('The alarm is off');

/**
 * The quota of one account in this process (service-api.md, "Limits"), shared by all executions, list searches and polls.
 * Full speed while something is left, a third of it at once; then everybody waits for the moment that the service names. Other
 * processes draw on the same quota, so a 429 may come all the same.
 */
export class RateLimiter {
	/** Until when, by `steadyNow`, one attempt is enough to see whether the service still fails everybody in vain. */
	retriesDisabledUntil = -Infinity;

	/** How many requests are left, as far as is known; Infinity where the service shows no quota. */
	#remaining = initialConcurrency;

	/** The end of the window that is known, by the service's clock; undefined when none is. */
	#resetsAt: number | undefined;

	/** Since when nothing is left, by `steadyNow`. */
	#exhaustedSince = 0;

	/** What the last 429 said, with nothing allowed since. */
	#lastRateLimitHit: RateLimitHit | undefined;

	/** How far the service's clock is ahead of `steadyNow`, as far as its Date headers show: they are rounded down, so the largest counts. */
	#clockOffsetMs: number | undefined;

	#inFlight = 0;

	/** The requests of each caller that wait; callers are in the order of their turns. */
	readonly #queues = new Map<Caller, Release[]>();

	#dispatchTimer: AbortController | undefined;

	/** The service's time in epoch milliseconds; that of this machine while the service shows none. */
	now(): number {
		return this.#clockOffsetMs === undefined ? Date.now() : monotonicNow() + this.#clockOffsetMs;
	}

	/**
	 * Sends a request when the quota allows it, and again when the limit refuses it, until the service decides, `send` has
	 * not sent it, or the caller may wait no longer.
	 * @throws whatever `send` throws, or the reason of the caller's signal when it fires during a wait
	 */
	async run<Result extends RequestResult | { kind: 'vetoed' }>(
		caller: Caller,
		send: () => Promise<Result>,
	): Promise<Result | RateLimitedResult> {
		for (;;) {
			const rateLimited = await this.#acquireSlot(caller);
			if (rateLimited !== undefined) return rateLimited;
			const sentAt = monotonicNow();
			let result: Result | undefined;
			try {
				// The signal may have fired between the turn and this moment.
				caller.signal?.throwIfAborted();
				result = await send();
			} finally {
				this.#inFlight--;
				if (result?.kind === 'response') this.#updateFromResponse(result.response, sentAt);
				// A request that was to show what is left has shown nothing.
				else if (this.#resetsAt === undefined) {
					this.#setRemaining(Math.max(this.#remaining, initialConcurrency));
				}
				this.#dispatch();
			}
			if (!isRateLimited(result)) return result;
		}
	}

	/** Waits in line until a request of this caller may be sent; returns why, if the caller may not wait that long. */
	async #acquireSlot(caller: Caller): Promise<RateLimitedResult | undefined> {
		const queue = this.#queues.get(caller) ?? [];
		this.#queues.set(caller, queue);
		const slot = new Promise<RateLimitedResult | undefined>((resolve) => queue.push(resolve));
		this.#dispatch();
		return await raceWithAbort(slot, caller.signal);
	}

	/** Lets through whoever may go, ends the wait of those who may not wait that long, and sets the alarm for the others. */
	#dispatch(): void {
		for (const [caller, queue] of this.#queues) {
			const isAborted = caller.signal?.aborted === true;
			if (!isAborted && !this.#canDispatch()) break;
			// A caller that has had its turn goes behind the others, where this loop meets it again.
			this.#queues.delete(caller);
			if (isAborted) continue;
			const release = queue.shift();
			if (queue.length > 0) this.#queues.set(caller, queue);
			this.#inFlight++;
			release?.();
		}
		this.#rejectImpatient();
		this.#scheduleDispatch(this.#queues.size === 0 ? undefined : this.#getWaitMs());
	}

	/** Whether the next request may be sent. A window that is over ends here. */
	#canDispatch(): boolean {
		if (this.#resetsAt !== undefined && (this.#getWaitMs() ?? 0) <= 0) {
			// One request goes ahead and shows what the new window holds, or that it has not begun after all.
			const isPastTolerance = this.#resetsAt + resetToleranceMs < this.now();
			this.#setRemaining(isPastTolerance ? initialConcurrency : 1);
			if (isPastTolerance) this.#lastRateLimitHit = undefined;
			this.#resetsAt = undefined;
		}
		// A reading is no reservation: with a third of it at once, answers show in time what other processes send.
		const hasWindow = this.#resetsAt !== undefined;
		return this.#inFlight < (hasWindow ? this.#remaining / 3 : this.#remaining);
	}

	/** Milliseconds until one request may go although nothing is left; undefined where an answer that is under way will tell. */
	#getWaitMs(): number | undefined {
		if (this.#resetsAt === undefined) return undefined;
		const waitMs = this.#resetsAt - this.now();
		// A 429 is taken at its word, and any other answer that nothing is left for a minute.
		const isTrusted = this.#remaining > 0 || this.#lastRateLimitHit !== undefined;
		return isTrusted
			? waitMs
			: Math.min(waitMs, this.#exhaustedSince + probeAfterMs - monotonicNow());
	}

	#rejectImpatient(): void {
		if (this.#remaining > 0 || this.#resetsAt === undefined) return;
		const waitMs = this.#resetsAt - this.now();
		const { response, consecutiveHits = 1, hasResetTime = true } = this.#lastRateLimitHit ?? {};
		for (const [caller, queue] of this.#queues) {
			// Guessed waits double each time, so all of them together take twice as long as the last one.
			const isTooLong = hasResetTime
				? consecutiveHits > maxConsecutive429s
				: 2 * waitMs > caller.maxWaitMs;
			if (waitMs <= caller.maxWaitMs && !isTooLong) continue;
			this.#queues.delete(caller);
			const resetsAt = hasResetTime ? Date.now() + waitMs : undefined;
			for (const release of queue) release({ kind: 'rateLimited', caller, response, resetsAt });
		}
	}

	/** @param sentAt when the request was let through, by `steadyNow` */
	#updateFromResponse(response: ServiceResponse, sentAt: number): void {
		const { headers, receivedAt, statusCode } = response;
		const date = parseEpochSeconds(headers.date);
		if (date !== undefined) {
			this.#clockOffsetMs = Math.max(this.#clockOffsetMs ?? -Infinity, date * 1000 - receivedAt);
		}
		const now = this.now();
		const reset = parseTimestamp(headers['x-ratelimit-reset'], now) ?? 0;
		if (statusCode === 429) {
			// The later of the two, because a service may fill one of them with a constant.
			const namedReset = Math.max(reset, parseTimestamp(headers['retry-after'], now) ?? 0);
			this.#onRateLimited(response, sentAt, namedReset > now ? namedReset : undefined);
			return;
		}
		// What was sent before the limit was reached shows what was left before.
		if (this.#lastRateLimitHit !== undefined && sentAt <= this.#lastRateLimitHit.receivedAt) return;
		this.#lastRateLimitHit = undefined;
		const remaining = headers['x-ratelimit-remaining'] ?? '';
		if (/^\d{1,9}$/.test(remaining) && reset > now) {
			this.#updateFromHeaders(Number(remaining), reset);
		}
		// Where no reading can be had, nothing is held back before the next 429.
		else if (this.#resetsAt === undefined) this.#setRemaining(Infinity);
	}

	/** Learns what is left until a reset. */
	#updateFromHeaders(remaining: number, reset: number): void {
		const isSameWindow =
			this.#resetsAt !== undefined && Math.abs(reset - this.#resetsAt) <= resetToleranceMs;
		// Answers may overtake each other: within a window the smallest number is the latest.
		this.#setRemaining(isSameWindow ? Math.min(this.#remaining, remaining) : remaining);
		this.#resetsAt = isSameWindow ? Math.max(this.#resetsAt ?? 0, reset) : reset;
	}

	/** Learns from a 429. @param namedReset the end of the wait, by the service's clock */
	#onRateLimited(response: ServiceResponse, sentAt: number, namedReset: number | undefined): void {
		const previousHit = this.#lastRateLimitHit;
		if (previousHit !== undefined && sentAt <= previousHit.receivedAt) {
			// Requests that were sent together are refused together: only a later moment is news.
			const knownReset = previousHit.hasResetTime ? (this.#resetsAt ?? 0) : 0;
			if (namedReset === undefined || namedReset <= knownReset) return;
			this.#lastRateLimitHit = { ...previousHit, response, hasResetTime: true };
			this.#resetsAt = namedReset;
			return;
		}
		const consecutiveHits = (previousHit?.consecutiveHits ?? 0) + 1;
		const guessedReset = this.now() + Math.min(500 * 2 ** (consecutiveHits - 1), minuteMs);
		this.#lastRateLimitHit = {
			response,
			receivedAt: monotonicNow(),
			consecutiveHits,
			hasResetTime: namedReset !== undefined,
		};
		this.#resetsAt = namedReset ?? guessedReset;
		this.#setRemaining(0);
	}

	#setRemaining(remaining: number): void {
		// The time is that of the latest answer, because one that shows nothing left once more has just been asked for.
		if (remaining === 0) this.#exhaustedSince = monotonicNow();
		this.#remaining = remaining;
	}

	/** Proceeds after so many milliseconds, unless it has proceeded before. */
	#scheduleDispatch(waitMs: number | undefined): void {
		this.#dispatchTimer?.abort(abortReason);
		if (waitMs === undefined) return;
		this.#dispatchTimer = new AbortController();
		const dispatch = () => {
			this.#dispatch();
		};
		delay(Math.ceil(waitMs), this.#dispatchTimer.signal).then(dispatch, () => undefined);
	}
}
