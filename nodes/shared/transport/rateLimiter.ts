import { readFieldTime, readMoment, steadyNow } from '../utils/time';
import { orAborted, pause } from './delay';
import { type Attempt, isLimited, type ServiceResponse } from './response';

/** How many requests go at once while nothing is known: what the smallest plan allows in a minute (service-api.md, "Limits"). */
const initialConcurrency = 60;
/** Milliseconds within which two resets are the same: in whole seconds a reset wanders by one, and so does the clock. */
const resetToleranceMs = 2000;
/** Milliseconds after which one request asks whether really nothing is left, because no documented window is longer than a minute and a day is long. */
const probeAfterMs = 62_000;
/** How many waits in a row the service may ask for, with nothing allowed in between: other workers take what a minute allows. */
const maxConsecutive429s = 4;
const minute = 60_000;

/** Somebody who sends requests: an execution, a list search, a poll. Callers take turns. */
export interface Caller {
	/** The longest wait for the limit that is ever slept, in milliseconds. */
	maxWaitMs: number;
	/** The user can raise that wait, by the option Max Rate Limit Wait. */
	waitIsOption?: boolean;
	/** Ends the waits of this caller. */
	signal: AbortSignal | undefined;
}

/** The limit is reached, and the wait is longer than the caller allows. Nothing was carried out. */
export interface LimitReached {
	kind: 'limited';
	caller: Caller;
	/** The service's 429; undefined where an earlier answer has said that nothing is left, so that nothing was sent. */
	response: ServiceResponse | undefined;
	/** When the limit resets, in epoch milliseconds of this machine; undefined when the service does not say. */
	resetsAt: number | undefined;
}

/** Lets a request through, or says why not. */
type Answer = (limit?: LimitReached) => void;

interface Refusal {
	response: ServiceResponse;
	/** When it came, by `steadyNow`: what was sent before was not refused once more. */
	at: number;
	/** How many refusals there were in a row, each of requests that were sent after the one before. */
	rounds: number;
	/** Whether the service has named the end of the wait; otherwise it is a guess. */
	isNamed: boolean;
}

/** With this reason an alarm is turned off. It is made once, because an error with its stack takes long. */
const isOff = new Error('The alarm is off');

/**
 * The quota of one account in this process (service-api.md, "Limits"), shared by all executions, list searches and polls.
 * Full speed while something is left, a third of it at once; then everybody waits for the moment that the service names. Other
 * processes draw on the same quota, so a 429 may come all the same.
 */
export class Quota {
	/** Until when, by `steadyNow`, one attempt is enough to see whether the service still fails everybody in vain. */
	inTroubleUntil = -Infinity;

	/** How many requests are left, as far as is known; Infinity where the service shows no quota. */
	#remaining = initialConcurrency;

	/** The end of the window that is known, by the service's clock; undefined when none is. */
	#until: number | undefined;

	/** Since when nothing is left, by `steadyNow`. */
	#emptySince = 0;

	/** What the last 429 said, with nothing allowed since. */
	#refusal: Refusal | undefined;

	/** How far the service's clock is ahead of `steadyNow`, as far as its Date headers show: they are rounded down, so the largest counts. */
	#ahead: number | undefined;

	#underWay = 0;

	/** The requests of each caller that wait; callers are in the order of their turns. */
	readonly #waiting = new Map<Caller, Answer[]>();

	#alarm: AbortController | undefined;

	/** The service's time in epoch milliseconds; that of this machine while the service shows none. */
	now(): number {
		return this.#ahead === undefined ? Date.now() : steadyNow() + this.#ahead;
	}

	/**
	 * Sends a request when the quota allows it, and again when the limit refuses it, until the service decides, `send` has
	 * not sent it, or the caller may wait no longer.
	 * @throws whatever `send` throws, or the reason of the caller's signal when it fires during a wait
	 */
	async run<Sent extends Attempt | { kind: 'withheld' }>(
		caller: Caller,
		send: () => Promise<Sent>,
	): Promise<Sent | LimitReached> {
		for (;;) {
			const limit = await this.#turn(caller);
			if (limit !== undefined) return limit;
			const sentAt = steadyNow();
			let attempt: Sent | undefined;
			try {
				// The signal may have fired between the turn and this moment.
				caller.signal?.throwIfAborted();
				attempt = await send();
			} finally {
				this.#underWay--;
				if (attempt?.kind === 'answered') this.#learn(attempt.response, sentAt);
				// A request that was to show what is left has shown nothing.
				else if (this.#until === undefined) {
					this.#allow(Math.max(this.#remaining, initialConcurrency));
				}
				this.#proceed();
			}
			if (!isLimited(attempt)) return attempt;
		}
	}

	/** Waits in line until a request of this caller may be sent; returns why, if the caller may not wait that long. */
	async #turn(caller: Caller): Promise<LimitReached | undefined> {
		const line = this.#waiting.get(caller) ?? [];
		this.#waiting.set(caller, line);
		const turn = new Promise<LimitReached | undefined>((resolve) => line.push(resolve));
		this.#proceed();
		return await orAborted(turn, caller.signal);
	}

	/** Lets through whoever may go, ends the wait of those who may not wait that long, and sets the alarm for the others. */
	#proceed(): void {
		for (const [caller, line] of this.#waiting) {
			const isGone = caller.signal?.aborted === true;
			if (!isGone && !this.#mayGo()) break;
			// A caller that has had its turn goes behind the others, where this loop meets it again.
			this.#waiting.delete(caller);
			if (isGone) continue;
			const answer = line.shift();
			if (line.length > 0) this.#waiting.set(caller, line);
			this.#underWay++;
			answer?.();
		}
		this.#refuseWhoCannotWait();
		this.#wakeIn(this.#waiting.size === 0 ? undefined : this.#wait());
	}

	/** Whether the next request may be sent. A window that is over ends here. */
	#mayGo(): boolean {
		if (this.#until !== undefined && (this.#wait() ?? 0) <= 0) {
			// One request goes ahead and shows what the new window holds, or that it has not begun after all.
			const isLongOver = this.#until + resetToleranceMs < this.now();
			this.#allow(isLongOver ? initialConcurrency : 1);
			if (isLongOver) this.#refusal = undefined;
			this.#until = undefined;
		}
		// A reading is no reservation: with a third of it at once, answers show in time what other processes send.
		const isRead = this.#until !== undefined;
		return this.#underWay < (isRead ? this.#remaining / 3 : this.#remaining);
	}

	/** Milliseconds until one request may go although nothing is left; undefined where an answer that is under way will tell. */
	#wait(): number | undefined {
		if (this.#until === undefined) return undefined;
		const wait = this.#until - this.now();
		// A 429 is taken at its word, and any other answer that nothing is left for a minute.
		const isBelieved = this.#remaining > 0 || this.#refusal !== undefined;
		return isBelieved ? wait : Math.min(wait, this.#emptySince + probeAfterMs - steadyNow());
	}

	#refuseWhoCannotWait(): void {
		if (this.#remaining > 0 || this.#until === undefined) return;
		const wait = this.#until - this.now();
		const { response, rounds = 1, isNamed = true } = this.#refusal ?? {};
		for (const [caller, line] of this.#waiting) {
			// Guessed waits double each time, so all of them together take twice as long as the last one.
			const isTooLong = isNamed ? rounds > maxConsecutive429s : 2 * wait > caller.maxWaitMs;
			if (wait <= caller.maxWaitMs && !isTooLong) continue;
			this.#waiting.delete(caller);
			const resetsAt = isNamed ? Date.now() + wait : undefined;
			for (const answer of line) answer({ kind: 'limited', caller, response, resetsAt });
		}
	}

	/** @param sentAt when the request was let through, by `steadyNow` */
	#learn(response: ServiceResponse, sentAt: number): void {
		const { headers, receivedAt, statusCode } = response;
		const date = readFieldTime(headers.date);
		if (date !== undefined) {
			this.#ahead = Math.max(this.#ahead ?? -Infinity, date * 1000 - receivedAt);
		}
		const now = this.now();
		const reset = readMoment(headers['x-ratelimit-reset'], now) ?? 0;
		if (statusCode === 429) {
			// The later of the two, because a service may fill one of them with a constant.
			const named = Math.max(reset, readMoment(headers['retry-after'], now) ?? 0);
			this.#refused(response, sentAt, named > now ? named : undefined);
			return;
		}
		// What was sent before the limit was reached shows what was left before.
		if (this.#refusal !== undefined && sentAt <= this.#refusal.at) return;
		this.#refusal = undefined;
		const remaining = headers['x-ratelimit-remaining'] ?? '';
		if (/^\d{1,9}$/.test(remaining) && reset > now) this.#read(Number(remaining), reset);
		// Where no reading can be had, nothing is held back before the next 429.
		else if (this.#until === undefined) this.#allow(Infinity);
	}

	/** Learns what is left until a reset. */
	#read(remaining: number, reset: number): void {
		const isSameWindow =
			this.#until !== undefined && Math.abs(reset - this.#until) <= resetToleranceMs;
		// Answers may overtake each other: within a window the smallest number is the latest.
		this.#allow(isSameWindow ? Math.min(this.#remaining, remaining) : remaining);
		this.#until = isSameWindow ? Math.max(this.#until ?? 0, reset) : reset;
	}

	/** Learns from a 429. @param named the end of the wait, by the service's clock */
	#refused(response: ServiceResponse, sentAt: number, named: number | undefined): void {
		const earlier = this.#refusal;
		if (earlier !== undefined && sentAt <= earlier.at) {
			// Requests that were sent together are refused together: only a later moment is news.
			const known = earlier.isNamed ? (this.#until ?? 0) : 0;
			if (named === undefined || named <= known) return;
			this.#refusal = { ...earlier, response, isNamed: true };
			this.#until = named;
			return;
		}
		const rounds = (earlier?.rounds ?? 0) + 1;
		const guess = this.now() + Math.min(500 * 2 ** (rounds - 1), minute);
		this.#refusal = { response, at: steadyNow(), rounds, isNamed: named !== undefined };
		this.#until = named ?? guess;
		this.#allow(0);
	}

	#allow(remaining: number): void {
		// The time is that of the latest answer, because one that shows nothing left once more has just been asked for.
		if (remaining === 0) this.#emptySince = steadyNow();
		this.#remaining = remaining;
	}

	/** Proceeds after so many milliseconds, unless it has proceeded before. */
	#wakeIn(wait: number | undefined): void {
		this.#alarm?.abort(isOff);
		if (wait === undefined) return;
		this.#alarm = new AbortController();
		const proceed = () => {
			this.#proceed();
		};
		pause(Math.ceil(wait), this.#alarm.signal).then(proceed, () => undefined);
	}
}
