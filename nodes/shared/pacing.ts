import { pause } from './pause';
import { type LimitWait, readQuota, ServiceClock, waitAfterLimit } from './rateLimit';
import type { ServiceResponse } from './response';

/** Two resets closer together than this are the same window: a reset in whole seconds wanders by up to one. */
const sameWindow = 1000;
/** Requests under way before the first answer has told how much quota there is. */
const firstRequests = 10;
/** Milliseconds after which a request that waits for the answer to another one checks again by itself. */
const untilAnswered = 60_000;
/** After this many refusals in a row, although every wait was kept, waiting longer is of no use. */
const mostRefusedRounds = 100;

/** The limit is reached, and the wait is longer than allowed. */
export interface LimitReached {
	/** The service's 429. */
	response: ServiceResponse;
	/** In epoch milliseconds of this machine; undefined when the service does not say. */
	resetsAt: number | undefined;
}

/**
 * Holds requests back when, and only when, the service's quota is used up (service-api.md, "Limits").
 *
 * The service counts per key, so X-RateLimit-Remaining is shared with other executions and processes: it is a reading,
 * not a reservation, and a 429 may come all the same. With quota left no request is delayed, except that only a few go
 * ahead of the first answer.
 */
export class Pacing {
	readonly clock = new ServiceClock();

	#remaining: number | undefined;

	#resetsAt: number | undefined;

	#inFlight = 0;

	/** Whether any request has come to its end: only then is it known if the service tells its quota at all. */
	#hasBegun = false;

	#limitReached: LimitReached | undefined;

	/** Goes up with each wait for the limit; requests that were sent at once and refused together belong to one. */
	#round = 0;

	/** Rounds in a row in which nothing was allowed, and the waits in them that the service did not name. */
	#refusedRounds = 0;

	#guessedWaits = 0;

	#wakeOnAnswer: Array<() => void> = [];

	/** Milliseconds. */
	readonly #longestWait: number;

	readonly #signal: AbortSignal | undefined;

	constructor(longestWait: number, signal?: AbortSignal) {
		this.#longestWait = longestWait;
		this.#signal = signal;
	}

	/**
	 * Resolves when a request may be sent, which then counts as under way, or to the reason why none may. The wait for one
	 * window is never longer than allowed: if the headers ask for more, a single request is let through, so that the
	 * service itself says no; no other follows it. Rejects when the signal fires.
	 */
	async take(): Promise<{ round: number } | LimitReached> {
		for (;;) {
			if (this.#signal?.aborted) throw this.#signal.reason;
			const reached = this.#knownLimit();
			if (reached !== undefined) return reached;
			const wait = this.#waitNow();
			if (wait === 0 || (wait > this.#longestWait && this.#inFlight === 0)) break;
			await this.#answerOr(wait);
		}
		this.#inFlight++;
		return { round: this.#round };
	}

	/** Call it once for each request that was let through, with the headers of the answer if there was one. */
	settle(headers: Record<string, string> | undefined, isRefused = false): void {
		this.#inFlight--;
		if (headers !== undefined) {
			this.clock.observe(headers.date, Date.now());
			this.#learn(headers, isRefused);
		}
		// What a 429 means for those who wait is for `refused` to say.
		if (isRefused) return;
		this.#hasBegun = true;
		this.#wakeAll();
	}

	/** After any answer but a 429. */
	allowed(): void {
		this.#guessedWaits = 0;
		this.#refusedRounds = 0;
		if (this.#limitReached?.resetsAt === undefined) this.#limitReached = undefined;
	}

	/**
	 * After a 429 to a request of this round: undefined when it may be sent again after another `take`, or why it may not.
	 */
	refused(response: ServiceResponse, round: number): LimitReached | undefined {
		this.#hasBegun = true;
		const isNews = round === this.#round;
		if (isNews) {
			this.#round++;
			this.#refusedRounds++;
		}
		const wait = waitAfterLimit(response.headers, this.clock.now(), this.#refusedRounds);
		if (isNews && !wait.isNamed) this.#guessedWaits += wait.milliseconds;
		if (this.#isTooLong(wait)) {
			const resetsAt = wait.isNamed ? Date.now() + wait.milliseconds : undefined;
			this.#limitReached = { response, resetsAt };
			this.#wakeAll();
			return this.#limitReached;
		}
		// A guess of this round is made already.
		if (isNews || wait.isNamed) {
			this.#remaining = 0;
			this.#resetsAt = this.clock.now() + wait.milliseconds;
		}
		this.#wakeAll();
		return undefined;
	}

	#isTooLong({ milliseconds, isNamed }: LimitWait): boolean {
		if (this.#refusedRounds > mostRefusedRounds || milliseconds > this.#longestWait) return true;
		return !isNamed && this.#guessedWaits > this.#longestWait;
	}

	/** The refusal that still holds. */
	#knownLimit(): LimitReached | undefined {
		const resetsAt = this.#limitReached?.resetsAt;
		if (resetsAt !== undefined && resetsAt - Date.now() <= this.#longestWait) {
			this.#limitReached = undefined;
		}
		return this.#limitReached;
	}

	#learn(headers: Record<string, string>, isRefused: boolean): void {
		const now = this.clock.now();
		const { remaining, resetsAt } = readQuota(headers, now);
		if (remaining === undefined || resetsAt === undefined || resetsAt <= now) {
			// The first answer of a new window tells nothing: nothing is held back before the next 429.
			if (this.#resetsAt === undefined && !isRefused) this.#remaining = undefined;
			return;
		}
		const known = this.#resetsAt;
		if (known !== undefined && resetsAt < known - sameWindow) return;
		const isSameWindow = known !== undefined && Math.abs(resetsAt - known) <= sameWindow;
		// Answers may overtake each other: within a window the smallest number is the latest.
		this.#remaining = isSameWindow ? Math.min(this.#remaining ?? remaining, remaining) : remaining;
		this.#resetsAt = isSameWindow ? Math.max(known, resetsAt) : resetsAt;
	}

	/** Milliseconds until the quota allows one more request, 0 for "now", Infinity for "not before the next answer". */
	#waitNow(): number {
		if (!this.#hasBegun && this.#inFlight >= firstRequests) return Infinity;
		if (this.#remaining === undefined) return 0;
		const now = this.clock.now();
		if (this.#resetsAt !== undefined && this.#resetsAt <= now) {
			// A new window. One request goes ahead and tells what it holds, or that it has not begun after all.
			this.#resetsAt = undefined;
			this.#remaining = 1;
		}
		if (this.#inFlight < this.#remaining) return 0;
		return this.#resetsAt === undefined ? Infinity : this.#resetsAt - now;
	}

	/** Waits for the next answer, or for `wait` milliseconds if that is no longer than allowed. */
	async #answerOr(wait: number): Promise<void> {
		const wake = new AbortController();
		const answered = new Promise<void>((resolve) => this.#wakeOnAnswer.push(resolve));
		const signals = this.#signal ? [this.#signal, wake.signal] : [wake.signal];
		const longest = wait > this.#longestWait ? untilAnswered : wait;
		const slept = pause(longest, AbortSignal.any(signals)).catch(() => undefined);
		await Promise.race([slept, answered]);
		wake.abort();
	}

	#wakeAll(): void {
		for (const wake of this.#wakeOnAnswer.splice(0)) wake();
	}
}
