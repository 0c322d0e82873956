import { monotonicNow, parseEpochSeconds } from '../utils/time';
import { delay, raceWithAbort } from './delay';
import { isRateLimited, parseRateLimitHeaders } from './rateLimitForms';
import type { RequestResult, ServiceResponse } from './response';

/**
 * Concurrent requests while the quota is unknown: the limit per minute of the smallest plan
 * (service-api.md, "Limits").
 */
const initialConcurrency = 60;
/**
 * Resets this close are the same one: in whole seconds a reset varies by one, and so does the
 * clock.
 */
const resetToleranceMs = 2000;
/**
 * After a response has shown that nothing is left, one probe is sent this much later, even if the
 * reset is later still: the window of a minute is over then, and the header may show the reset of
 * the day (service-api.md, "Limits", documents no other windows). Only Retry-After is kept to.
 */
const probeAfterMs = 60_000;
/** Consecutive 429s that are waited out: other workers may use up several windows. */
const maxConsecutive429s = 4;
const minuteMs = 60_000;
/** A service whose clock is further off doesn't know the time. */
const maxClockErrorMs = 24 * 60 * minuteMs;
/** `Date` headers are truncated to seconds. */
const dateToleranceMs = 1000;
/** Timers stop while the machine sleeps, so a longer wait is checked again. */
const maxTimerMs = minuteMs;

/**
 * A sender of requests: an execution, a list search or a poll. The rate limiter is fair: callers
 * take turns.
 */
export interface Caller {
	/** Longest wait for the rate limit: Max Rate Limit Wait, or a fixed one without that option. */
	maxRateLimitWaitMs: number;
	/** Aborts the waits of this caller. */
	signal: AbortSignal | undefined;
}

/**
 * The rate limit is reached and the wait exceeds what the caller allows. The request wasn't
 * processed.
 */
export interface RateLimitedResult {
	kind: 'rateLimited';
	caller: Caller;
	/**
	 * The response that shows the rate limit. `undefined` if an earlier response showed that nothing
	 * is left, so that no request was sent.
	 */
	response: ServiceResponse | undefined;
	/** Epoch milliseconds by this machine's clock. `undefined` if the service gave no reset time. */
	resetsAt: number | undefined;
}

/**
 * Releases a queued request: without an argument it is sent, otherwise it ends with this result.
 */
type Release = (rateLimited?: RateLimitedResult) => void;

/** A response that shows the rate limit: a 429, or see `isRateLimited`. */
interface RateLimitHit {
	response: ServiceResponse;
	/** Monotonic. A 429 for a request sent before this time belongs to the same hit. */
	receivedAt: number;
	/** 429s in a row, each for a request that was sent after the previous 429. */
	consecutiveHits: number;
	/** Whether the service gave the reset time. Otherwise it is guessed. */
	hasResetTime: boolean;
	/** Whether that is the time of Retry-After. */
	hasRetryAfter: boolean;
}

/** Aborts a scheduled dispatch. Created once, because capturing the stack of an error is slow. */
const abortReason = new Error('The dispatch was rescheduled');

/**
 * Schedules the requests of one account in this process within its rate limit (service-api.md,
 * "Limits"). All executions, list searches and polls of the account share it.
 *
 * Sends up to a third of the remaining quota concurrently. When nothing is left, all callers wait
 * for the reset that the service gives. Other processes use the same quota, so 429s still occur.
 */
export class RateLimiter {
	/** Requests left in the window. `Infinity` if the service shows no quota. */
	#remaining = initialConcurrency;

	/** End of the current window by the service's clock. `undefined` if no window is known. */
	#resetsAt: number | undefined;

	/** The same by the two clocks of this machine. */
	#localResetsAt = { monotonic: 0, wall: 0 };

	/** Monotonic time of the latest response that showed nothing left. */
	#exhaustedSince = 0;

	/** The last 429, if no request has succeeded since. */
	#lastRateLimitHit: RateLimitHit | undefined;

	/** Server clock minus `monotonicNow`, from `Date` headers. */
	#clockOffsetMs: number | undefined;

	#inFlight = 0;

	/** Waiting requests by caller. The order of the callers is the order of their turns. */
	readonly #queues = new Map<Caller, Release[]>();

	#dispatchTimer: AbortController | undefined;

	/**
	 * Returns the service's time in epoch milliseconds, or this machine's while no response has shown
	 * it.
	 */
	now(): number {
		return this.#clockOffsetMs === undefined ? Date.now() : monotonicNow() + this.#clockOffsetMs;
	}

	/**
	 * Sends a request as soon as the quota allows it, and retries it while the response is the rate
	 * limit.
	 *
	 * @param onRateLimited called after each such response, before any wait
	 * @returns the result of `send`, or the rate limit if the wait would exceed the caller's maximum
	 * @throws {unknown} the error of `send`, or the reason of the caller's signal if it aborts a wait
	 */
	async run<Result extends RequestResult>(
		caller: Caller,
		send: () => Promise<Result>,
		onRateLimited?: () => void,
	): Promise<Result | RateLimitedResult> {
		for (;;) {
			const rateLimited = await this.#acquireSlot(caller);
			if (rateLimited !== undefined) return rateLimited;
			const sentAt = monotonicNow();
			let result: Result | undefined;
			let isLimited = false;
			try {
				// The caller may have aborted since its slot was released.
				caller.signal?.throwIfAborted();
				result = await send();
			} finally {
				isLimited = this.#freeSlot(result, sentAt);
			}
			if (!isLimited) return result;
			onRateLimited?.();
		}
	}

	/**
	 * Waits in the queue of the caller until a request may be sent.
	 *
	 * @returns `undefined` if it may be sent, or the rate limit if the wait would be too long
	 */
	async #acquireSlot(caller: Caller): Promise<RateLimitedResult | undefined> {
		const queue = this.#queues.get(caller) ?? [];
		this.#queues.set(caller, queue);
		let isReleased = false;
		const slot = new Promise<RateLimitedResult | undefined>((resolve) => {
			queue.push((rateLimited) => {
				isReleased = rateLimited === undefined;
				resolve(rateLimited);
			});
		});
		this.#dispatch();
		let isAborted = true;
		try {
			const rateLimited = await raceWithAbort(slot, caller.signal);
			isAborted = false;
			return rateLimited;
		} finally {
			// The signal can abort in the same microtask in which the slot is released.
			if (isAborted && isReleased) this.#freeSlot();
		}
	}

	/**
	 * Gives back the slot of a request that has ended or isn't sent.
	 *
	 * @param result `undefined` if there is no response
	 * @param sentAt monotonic time at which the request was released
	 * @returns whether the response is the rate limit
	 */
	#freeSlot(result?: RequestResult, sentAt = 0): boolean {
		let isLimited = false;
		this.#inFlight--;
		if (result?.kind === 'response') {
			isLimited = this.#updateFromResponse(result.response, sentAt);
		} else if (this.#resetsAt === undefined) {
			// The probe of a new window got no response, so it has shown no quota.
			this.#setRemaining(Math.max(this.#remaining, initialConcurrency));
		}
		this.#dispatch();
		return isLimited;
	}

	/**
	 * Releases all requests that may be sent now, rejects those whose wait would be too long, and
	 * schedules the next dispatch for the others.
	 */
	#dispatch(): void {
		for (const [caller, queue] of this.#queues) {
			const isAborted = caller.signal?.aborted === true;
			if (!isAborted && !this.#canDispatch()) break;
			// A caller that had its turn moves to the end of the map, where this loop meets it again.
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

	/** Returns whether the next request may be sent. Closes an expired window first. */
	#canDispatch(): boolean {
		if (this.#resetsAt !== undefined && (this.#getWaitMs() ?? 0) <= 0) {
			// A single request shows the quota of the new window, or that it hasn't begun after all.
			const isPastTolerance = this.#resetsAt + resetToleranceMs < this.now();
			this.#setRemaining(isPastTolerance ? initialConcurrency : 1);
			if (isPastTolerance) this.#lastRateLimitHit = undefined;
			this.#resetsAt = undefined;
		}
		// The remaining quota isn't reserved: with a third of it in flight, responses show in time
		// what other processes use.
		const hasWindow = this.#resetsAt !== undefined;
		return this.#inFlight < (hasWindow ? this.#remaining / 3 : this.#remaining);
	}

	/**
	 * Returns the wait until the next request may be sent.
	 *
	 * @returns `undefined` if no window is known: a pending response will show it
	 */
	#getWaitMs(): number | undefined {
		if (this.#resetsAt === undefined) return undefined;
		const waitMs = this.#getResetWaitMs(this.#resetsAt);
		const isKeptTo = this.#remaining > 0 || this.#lastRateLimitHit?.hasRetryAfter === true;
		return isKeptTo
			? waitMs
			: Math.min(waitMs, this.#exhaustedSince + probeAfterMs - monotonicNow());
	}

	/**
	 * Returns the wait until the reset. It is over as soon as a clock shows it: the monotonic one may
	 * stop while the machine sleeps, and the wall clock may be set back.
	 */
	#getResetWaitMs(resetsAt: number): number {
		const { monotonic, wall } = this.#localResetsAt;
		return Math.min(resetsAt - this.now(), monotonic - monotonicNow(), wall - Date.now());
	}

	#setReset(resetsAt: number): void {
		const waitMs = resetsAt - this.now();
		this.#resetsAt = resetsAt;
		this.#localResetsAt = { monotonic: monotonicNow() + waitMs, wall: Date.now() + waitMs };
	}

	/** Ends the requests of all callers for which the wait until the reset is too long. */
	#rejectImpatient(): void {
		if (this.#remaining > 0 || this.#resetsAt === undefined) return;
		const waitMs = this.#getWaitMs() ?? 0;
		const { response, consecutiveHits = 1, hasResetTime = true } = this.#lastRateLimitHit ?? {};
		for (const [caller, queue] of this.#queues) {
			// Guessed waits double each time, so in total they take twice as long as the last one.
			const isTooLong = hasResetTime
				? consecutiveHits > maxConsecutive429s
				: 2 * waitMs > caller.maxRateLimitWaitMs;
			if (waitMs <= caller.maxRateLimitWaitMs && !isTooLong) continue;
			this.#queues.delete(caller);
			const resetsAt = hasResetTime ? Date.now() + this.#getResetWaitMs(this.#resetsAt) : undefined;
			for (const release of queue) release({ kind: 'rateLimited', caller, response, resetsAt });
		}
	}

	/**
	 * Updates the clock offset, the window and the quota from a response.
	 *
	 * @param sentAt monotonic time at which the request was released
	 * @returns whether the response is the rate limit
	 */
	#updateFromResponse(response: ServiceResponse, sentAt: number): boolean {
		this.#updateClock(response);
		const now = this.now();
		const { remaining, reset, retryAfter } = parseRateLimitHeaders(response, now);
		if (isRateLimited(response, now)) {
			const hasRetryAfter = retryAfter > now;
			// A Retry-After of 0 comes before the reset, too.
			const namedReset = retryAfter > 0 ? retryAfter : reset;
			this.#onRateLimited(response, sentAt, {
				hasRetryAfter,
				namedReset: namedReset > now ? namedReset : undefined,
			});
			return true;
		}
		// Requests that were sent before the last 429 show an outdated quota.
		if (this.#lastRateLimitHit !== undefined && sentAt <= this.#lastRateLimitHit.receivedAt) {
			return false;
		}
		this.#lastRateLimitHit = undefined;
		if (remaining !== undefined && reset > now) this.#updateFromHeaders(remaining, reset);
		// Without usable headers, requests aren't held back before the next 429.
		else if (this.#resetsAt === undefined) this.#setRemaining(Infinity);
		return false;
	}

	/**
	 * Takes the service's clock from a response, unless it's more than a day off. Within the second
	 * to which `Date` is truncated, the latest time counts.
	 */
	#updateClock({ headers, receivedAt }: ServiceResponse): void {
		const date = parseEpochSeconds(headers.date);
		if (date === undefined || Math.abs(date * 1000 - Date.now()) > maxClockErrorMs) return;
		const offsetMs = date * 1000 - receivedAt;
		const knownMs = this.#clockOffsetMs ?? -Infinity;
		const isSame = knownMs >= offsetMs && knownMs - offsetMs <= dateToleranceMs;
		if (!isSame) this.#clockOffsetMs = offsetMs;
	}

	/** Updates the window from X-RateLimit-Remaining and X-RateLimit-Reset. */
	#updateFromHeaders(remaining: number, reset: number): void {
		const isSameWindow =
			this.#resetsAt !== undefined && Math.abs(reset - this.#resetsAt) <= resetToleranceMs;
		// Responses may overtake each other: within a window, the smallest number is the latest.
		this.#setRemaining(isSameWindow ? Math.min(this.#remaining, remaining) : remaining);
		this.#setReset(isSameWindow ? Math.max(this.#resetsAt ?? 0, reset) : reset);
	}

	/**
	 * Updates the window from a 429.
	 *
	 * @param sentAt monotonic time at which the request was released
	 * @param shown the reset by the service's clock (`undefined` if the response gives none), and
	 * whether Retry-After shows it
	 */
	#onRateLimited(
		response: ServiceResponse,
		sentAt: number,
		shown: { namedReset: number | undefined; hasRetryAfter: boolean },
	): void {
		const { namedReset, hasRetryAfter } = shown;
		const previousHit = this.#lastRateLimitHit;
		if (previousHit !== undefined && sentAt <= previousHit.receivedAt) {
			// Requests that were sent together get 429s together: only a later reset is news.
			const knownReset = previousHit.hasResetTime ? (this.#resetsAt ?? 0) : 0;
			if (namedReset === undefined || namedReset <= knownReset) return;
			this.#lastRateLimitHit = { ...previousHit, response, hasRetryAfter, hasResetTime: true };
			this.#setReset(namedReset);
			return;
		}
		const consecutiveHits = (previousHit?.consecutiveHits ?? 0) + 1;
		const guessedReset = this.now() + Math.min(500 * 2 ** (consecutiveHits - 1), minuteMs);
		this.#lastRateLimitHit = {
			response,
			receivedAt: monotonicNow(),
			consecutiveHits,
			hasResetTime: namedReset !== undefined,
			hasRetryAfter,
		};
		this.#setReset(namedReset ?? guessedReset);
		this.#setRemaining(0);
	}

	#setRemaining(remaining: number): void {
		// Set again by each response that shows nothing left, because that one is the latest.
		if (remaining === 0) this.#exhaustedSince = monotonicNow();
		this.#remaining = remaining;
	}

	/**
	 * Schedules the next dispatch and cancels the one that was scheduled before.
	 *
	 * @param waitMs `undefined` cancels only
	 */
	#scheduleDispatch(waitMs: number | undefined): void {
		this.#dispatchTimer?.abort(abortReason);
		if (waitMs === undefined) return;
		this.#dispatchTimer = new AbortController();
		const dispatch = () => {
			this.#dispatch();
		};
		delay(Math.min(Math.ceil(waitMs), maxTimerMs), this.#dispatchTimer.signal).then(
			dispatch,
			() => undefined,
		);
	}
}
