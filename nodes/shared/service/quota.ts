import { steadyNow } from '../time';
import { pause } from './pause';
import { readQuota, ServiceClock, waitAfterLimit } from './rateLimit';
import type { ServiceResponse } from './response';
import { type Attempt, isLimited } from './retry';

/** How many requests go at once while nothing is known: what the smallest plan allows in a minute (service-api.md, "Limits"). */
const firstRequests = 60;
/** Milliseconds within which two resets are the same: in whole seconds a reset wanders by one, and so does the clock. */
const sameWindow = 2000;
/** Milliseconds for which a request waits for the answers of others, because one that hangs must not hold up everybody. */
const patience = 5000;
/**
 * Milliseconds for which an execution waits in a row although the service has named the end of each wait: other workers may have
 * taken what a minute allowed, or the service may name the end of the minute while the day is used up.
 */
const longestInARow = 5 * 60_000;

/** Somebody who sends requests: an execution, a list search, a poll. Callers take turns. */
export interface Caller {
	/** The longest wait for the limit that is ever slept, in milliseconds. */
	longestWait: number;
	/** The user can raise that wait, by the option Max Rate Limit Wait. */
	waitIsOption?: boolean;
	/** Ends the waits of this caller. */
	signal: AbortSignal | undefined;
	/** When the caller began, by `steadyNow`. */
	since: number;
}

/** The limit is reached, and the wait is longer than the caller allows. */
export interface LimitReached extends Pick<Caller, 'longestWait' | 'waitIsOption'> {
	kind: 'limited';
	/** The service's 429. */
	response: ServiceResponse;
	/** When the limit resets, in epoch milliseconds of this machine; undefined when the service does not say. */
	resetsAt: number | undefined;
}

/** The permission to send one request. */
interface Turn {
	/** The `#round` in which the request was let through. */
	round: number;
	/** Whether it was let through alone, although nothing is left by the last reading: its answer shows whether that is true. */
	isTest: boolean;
	/** Whether the last reading had enough left for it. */
	isCovered: boolean;
	/** When it was let through, by the service's clock. */
	since: number;
}

/** What an answer shows of a window that is not over. */
interface Reading {
	remaining: number;
	/** The end of the window, by the service's clock. */
	resetsAt: number;
}

interface Refusal {
	response: ServiceResponse;
	/** The moment before which nothing is let through, by the service's clock. */
	until: number;
	/** Whether the service has named the moment; otherwise it is a guess. */
	isNamed: boolean;
}

type Answer = (turn: Turn | LimitReached) => void;

/** The quota of each account, by a hash of its address and key. */
const quotas = new Map<string, Quota>();

/**
 * The quota of one account in this process (service-api.md, "Limits"), shared by all executions, list searches
 * and polls (docs/decisions/0004-waiting-for-the-limit.md). X-RateLimit-Remaining is a reading, not a
 * reservation: other processes draw on the same quota, and a 429 may come all the same.
 */
export class Quota {
	readonly clock = new ServiceClock();

	/** How many requests may be under way by the last reading, or by a guess; Infinity where the service shows no quota. */
	#remaining = firstRequests;

	/** The end of the window that was read, by the service's clock; undefined when no reading is current. */
	#resetsAt: number | undefined;

	/** Whether a reading of 0 means that the next request is refused: unknown until one was sent all the same. */
	#readingsHold: boolean | undefined;

	/** Whether a request was refused although enough was left: other processes draw on the quota, too. */
	#isShared = false;

	/** What the last 429 said. */
	#refusal: Refusal | undefined;

	/** A number that grows with each wait for the limit: requests that were sent together, and refused together, have the same. */
	#round = 0;

	/** How many rounds in a row the service has allowed nothing. */
	#refusedRounds = 0;

	/** When the service first refused without naming a moment, with nothing allowed since; by `steadyNow`. */
	#silentSince: number | undefined;

	/** When the service first refused, with nothing allowed since; by `steadyNow`. */
	#refusedSince: number | undefined;

	/** How far the machine's time of day was ahead of `steadyNow` at the last answer: on Linux, only that goes on while it sleeps. */
	#timeOfDayAhead = 0;

	#underWay = 0;

	/** When a request was last let through or answered, by `steadyNow`. */
	#lastMove = 0;

	/** The requests of each caller that wait; callers are in the order of their turns. */
	readonly #waiting = new Map<Caller, Answer[]>();

	#alarm: { at: number; off: AbortController } | undefined;

	/** The quota of an account. One that nobody uses is forgotten when its window is over. */
	static of(account: string): Quota {
		for (const [each, quota] of quotas) if (quota.#isOver()) quotas.delete(each);
		const quota = quotas.get(account) ?? new Quota();
		quotas.set(account, quota);
		return quota;
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
			const turn = await this.#turn(caller);
			if ('kind' in turn) return turn;
			let attempt: Sent | undefined;
			try {
				// The signal may have fired between the turn and this moment.
				caller.signal?.throwIfAborted();
				attempt = await send();
			} finally {
				this.#underWay--;
				this.#lastMove = steadyNow();
				if (attempt?.kind === 'answered') {
					this.#setClockBy(attempt.response);
					if (isLimited(attempt)) this.#refused(attempt.response, turn);
					else this.#allowed(attempt.response, turn);
				}
				this.#proceed();
			}
			if (!isLimited(attempt)) return attempt;
		}
	}

	/** Observes the service's clock; if it turns out to go differently, the moments that were read by it before move with it. */
	#setClockBy(response: ServiceResponse): void {
		this.#timeOfDayAhead = timeOfDayAhead();
		const moved = this.clock.observe(response);
		if (this.#resetsAt !== undefined) this.#resetsAt += moved;
		if (this.#refusal !== undefined) this.#refusal.until += moved;
	}

	/** Waits in line until a request of this caller may be sent, or the caller may wait no longer. */
	async #turn(caller: Caller): Promise<Turn | LimitReached> {
		const { signal } = caller;
		signal?.throwIfAborted();
		return await new Promise((resolve, reject) => {
			const line = this.#waiting.get(caller) ?? [];
			const answer: Answer = (turn) => {
				signal?.removeEventListener('abort', leave);
				resolve(turn);
			};
			const leave = () => {
				line.splice(line.indexOf(answer), 1);
				if (line.length === 0) this.#waiting.delete(caller);
				reject(signal?.reason as Error);
				this.#proceed();
			};
			signal?.addEventListener('abort', leave);
			line.push(answer);
			this.#waiting.set(caller, line);
			this.#proceed();
		});
	}

	/** Lets through whoever may go, and ends the wait of those who may not wait that long. */
	#proceed(): void {
		let wait = 0;
		for (const [caller, line] of this.#waiting) {
			wait = this.#wait();
			if (wait > 0) break;
			const answer = line.shift();
			// A caller that has had its turn goes behind the others, where this loop meets it again.
			this.#waiting.delete(caller);
			if (line.length > 0) this.#waiting.set(caller, line);
			const isCovered = this.#resetsAt !== undefined && this.#underWay < this.#remaining;
			const isTest = this.#remaining === 0 && this.#underWay === 0;
			this.#underWay++;
			this.#lastMove = steadyNow();
			answer?.({ round: this.#round, isTest, isCovered, since: this.clock.now() });
		}
		if (this.#refusal !== undefined) this.#refuseWhoCannotWait(this.#refusal);
		this.#wakeIn(this.#waiting.size === 0 ? undefined : wait);
	}

	/** Milliseconds for which the next request must wait; 0 when it may be sent. A window that is over ends here. */
	#wait(): number {
		const now = this.clock.now();
		if (this.#refusal !== undefined && this.#refusal.until > now) return this.#refusal.until - now;
		if (this.#resetsAt !== undefined && this.#resetsAt <= now) {
			// One request goes ahead and shows what the new window holds, or that it has not begun after all.
			this.#resetsAt = undefined;
			this.#remaining = 1;
		}
		// Other processes see the same number as left, so only half of it goes at once: then an answer shows what they took.
		const allowed = this.#isShared ? Math.ceil(this.#remaining / 2) : this.#remaining;
		if (this.#underWay < Math.max(1, allowed)) return 0;
		return Math.max(0, this.#lastMove + patience - steadyNow());
	}

	/** Ends the wait of those callers who may not wait for as long as the refusal asks. */
	#refuseWhoCannotWait({ response, until, isNamed }: Refusal): void {
		const wait = until - this.clock.now();
		if (wait <= 0) return;
		for (const [caller, line] of this.#waiting) {
			const { longestWait, waitIsOption } = caller;
			// Waits in a row count together for a caller, from the first one that it has met.
			const first = isNamed ? this.#refusedSince : this.#silentSince;
			const waited = first === undefined ? 0 : steadyNow() - Math.max(caller.since, first);
			const most = isNamed && waitIsOption ? Math.max(longestWait, longestInARow) : longestWait;
			if (wait <= longestWait && waited + wait <= most) continue;
			if (timeOfDayAhead() - this.#timeOfDayAhead >= wait) {
				// The machine may have slept, and the limit be over: one request asks, before anybody is told another moment.
				this.#refusal = undefined;
				this.#resetsAt = 0;
				this.#proceed();
				return;
			}
			this.#waiting.delete(caller);
			// After moments that were wrong, one more is not passed on.
			const resetsAt = isNamed && wait > longestWait ? Date.now() + wait : undefined;
			for (const answer of line) {
				answer({ kind: 'limited', response, resetsAt, longestWait, waitIsOption });
			}
		}
	}

	/** Learns from an answer that is not a 429. */
	#allowed({ headers }: ServiceResponse, { isTest, since }: Turn): void {
		this.#refusedRounds = 0;
		this.#silentSince = undefined;
		this.#refusedSince = undefined;
		const now = this.clock.now();
		const { remaining, resetsAt } = readQuota(headers, now);
		const isCurrent = remaining !== undefined && resetsAt !== undefined && resetsAt > now;
		const reading = isCurrent ? { remaining, resetsAt } : undefined;
		const isOfNewWindow =
			reading !== undefined && reading.remaining > 0 && this.#isOfLaterWindow(reading);
		// A test that was allowed shows that a reading of 0 means nothing, unless a new window has begun meanwhile.
		if (isTest && !isOfNewWindow) this.#readingsHold = false;
		// A window that ended while the answer was on its way says nothing of the next one.
		const hasEnded = resetsAt !== undefined && resetsAt > since && resetsAt <= now;
		if (hasEnded) return;
		if (this.#readingsHold !== false && reading !== undefined) {
			this.#believe(reading);
		} else if (this.#readingsHold === false || this.#resetsAt === undefined) {
			// Where no reading can be believed, nothing is held back before the next 429. Where one is current, an answer without a
			// reading changes nothing.
			this.#remaining = Infinity;
		}
	}

	/** Takes over a reading of the current window, or of a later one. */
	#believe(reading: Reading): void {
		const { remaining, resetsAt } = reading;
		if (this.#isOfLaterWindow(reading)) {
			// A window that begins with nothing is tested again: the last test may have met the limit by chance.
			if (remaining === 0) this.#readingsHold = undefined;
			this.#remaining = remaining;
			this.#resetsAt = resetsAt;
		} else if (this.#resetsAt !== undefined && resetsAt >= this.#resetsAt - sameWindow) {
			// Answers may overtake each other: within a window the smallest number is the latest.
			this.#remaining = Math.min(this.#remaining, remaining);
			this.#resetsAt = Math.max(this.#resetsAt, resetsAt);
		}
		// Once a test was refused, a reading of 0 says as much as a refusal: callers who cannot wait are told at once.
		if (this.#remaining === 0 && this.#readingsHold && this.#refusal && this.#resetsAt) {
			this.#refusal = { ...this.#refusal, until: this.#resetsAt, isNamed: true };
		}
	}

	#isOfLaterWindow({ resetsAt }: Reading): boolean {
		return this.#resetsAt === undefined || resetsAt > this.#resetsAt + sameWindow;
	}

	/** Learns from a 429. */
	#refused(response: ServiceResponse, { round, isTest, isCovered }: Turn): void {
		if (isTest) this.#readingsHold = true;
		if (isCovered) this.#isShared = true;
		// Requests that were let through together are refused together: the first of them counts as the refusal of all.
		const isFirst = round === this.#round;
		if (isFirst) {
			this.#round++;
			this.#refusedRounds++;
		}
		const now = this.clock.now();
		const { milliseconds, isNamed } = waitAfterLimit(
			response.headers,
			now,
			this.#refusedRounds,
			this.#resetsAt,
		);
		this.#refusedSince ??= steadyNow();
		if (!isNamed) this.#silentSince ??= steadyNow();
		const until = now + milliseconds;
		const known = this.#refusal;
		// Among requests that were refused together, the latest moment that is named counts, and a guess only where none is.
		const isKnownLater = known?.isNamed === true && known.until > until;
		if (isFirst || (isNamed && !isKnownLater)) this.#refusal = { response, until, isNamed };
		this.#remaining = 0;
		this.#resetsAt = this.#refusal?.until;
	}

	/** Whether nobody uses this quota, and nothing that it knows is current any more. */
	#isOver(): boolean {
		const until = Math.max(this.#resetsAt ?? 0, this.#refusal?.until ?? 0);
		return this.#underWay === 0 && this.#waiting.size === 0 && until <= this.clock.now();
	}

	/** Checks again after so many milliseconds; no timer is left when nobody waits. */
	#wakeIn(wait = Infinity): void {
		const at = steadyNow() + wait;
		// An alarm that comes too early does no harm, so an earlier one stays.
		if (wait !== Infinity && this.#alarm !== undefined && this.#alarm.at <= at) return;
		this.#alarm?.off.abort();
		this.#alarm = undefined;
		if (wait === Infinity) return;
		const off = new AbortController();
		this.#alarm = { at, off };
		const ring = () => {
			this.#alarm = undefined;
			this.#proceed();
		};
		pause(Math.ceil(wait), off.signal).then(ring, () => undefined);
	}
}

function timeOfDayAhead(): number {
	return Date.now() - steadyNow();
}
