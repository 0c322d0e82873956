import { pause } from './pause';
import { readQuota, ServiceClock, waitAfterLimit } from './rateLimit';
import type { ServiceResponse } from './response';
import type { Attempt, Decision } from './retry';
import { steadyNow } from './time';

/** What the smallest plan allows in a minute (service-api.md, "Limits"): so many go at once while nothing is known. */
const firstRequests = 60;
/**
 * Milliseconds within which two resets are the same window: a reset in whole seconds wanders by up to one of them, and the
 * clock by which it is read, too.
 */
const sameWindow = 2000;
/** Milliseconds for which the answers of others are waited for: a request that hangs must not hold up everybody. */
const patience = 5000;
/** After this many refusals in a row, although every wait was kept, waiting longer is of no use. */
const mostRefusedRounds = 100;

/** Somebody who sends requests: an execution, a list search, a poll. Callers take turns. */
export interface Caller {
	/** The longest wait for the limit that is ever slept, in milliseconds. */
	longestWait: number;
	/** Ends its waits. */
	signal: AbortSignal | undefined;
	/** When it began, by `steadyNow`. */
	since: number;
}

/** A request that has come to its end; the decision `wait` means that the service refused it because of the limit. */
export interface Sent {
	attempt: Attempt;
	decision: Decision;
}

/** The limit is reached, and the wait is longer than the caller allows. */
export interface LimitReached {
	/** The service's 429. */
	response: ServiceResponse;
	/** In epoch milliseconds of this machine; undefined when the service does not say. */
	resetsAt: number | undefined;
}

interface Turn {
	round: number;
	/** It shows whether a reading of 0 means what it says. */
	isTest: boolean;
	/** When it began, by the service's clock. */
	since: number;
}

/** Why no request may be sent now: the limit, or, without a refusal, answers that others wait for. */
interface Hold {
	/** In milliseconds from now. */
	wait: number;
	limit?: Refusal;
}

interface Refusal {
	response: ServiceResponse;
	/** By the service's clock. */
	until: number;
	/** The service has named the moment; otherwise it is a guess. */
	isNamed: boolean;
}

interface Waiting {
	/** By age: the request of a caller that came first goes first, also after it was refused. */
	ticket: number;
	answer: (turn: Turn | LimitReached) => void;
}

/** By a hash of address and key. */
const quotas = new Map<string, Quota>();

/**
 * The quota of one account in this process (service-api.md, "Limits": the service counts per key). All executions, list
 * searches and polls share it, so none has to learn it again or runs into a limit that another one knows.
 *
 * X-RateLimit-Remaining is a reading, not a reservation: other processes draw on the same quota, and a 429 may come all
 * the same. While quota is left nothing is delayed; when it is not, requests wait exactly as long as the service asks.
 */
export class Quota {
	readonly clock = new ServiceClock();

	/** As many may be under way: by the last reading, or until the next answer; Infinity where the service shows no quota. */
	#remaining = firstRequests;

	/** The end of the window that was read; undefined when no reading is current. By the service's clock, like all moments here. */
	#resetsAt: number | undefined;

	/**
	 * Whether a reading of 0 means that the next request is refused. Nobody waits for that before one request has shown
	 * it, and no longer at all after one was allowed: a service may count something else in its header.
	 */
	#readingsHold: boolean | undefined;

	/** Whether the window, when it was first read, had enough for all requests that were under way. */
	#isEnough = false;

	/** Whether a request was refused although there was enough: other processes draw on it, too. */
	#isShared = false;

	/** The last 429, and the moment before which it lets nothing through. */
	#refusal: Refusal | undefined;

	/** Goes up with each wait for the limit; requests that were sent at once and refused together belong to one. */
	#round = 0;

	/** Rounds in a row in which nothing was allowed. */
	#refusedRounds = 0;

	/** When the service first refused without naming a moment, with nothing allowed since; by `steadyNow`. */
	#silentSince: number | undefined;

	#underWay = 0;

	/** When a request was last let through or answered, by `steadyNow`. */
	#lastMove = 0;

	/** In the order of their turns. */
	readonly #waiting = new Map<Caller, Waiting[]>();

	#tickets = 0;

	#alarm: { at: number; off: AbortController } | undefined;

	/** The quota of an account. One that nobody uses is forgotten when its window is over. */
	static of(account: string): Quota {
		for (const [each, quota] of quotas) if (quota.#isOver()) quotas.delete(each);
		const quota = quotas.get(account) ?? new Quota();
		quotas.set(account, quota);
		return quota;
	}

	/**
	 * Sends a request when the quota allows it, and again when the limit refuses it, until the service decides or the
	 * caller may wait no longer.
	 * @throws whatever `send` throws, or the reason of the caller's signal when it fires during a wait
	 */
	async run(caller: Caller, send: () => Promise<Sent>): Promise<Sent | LimitReached> {
		const ticket = this.#tickets++;
		for (;;) {
			const turn = await this.#turn(caller, ticket);
			if (!('round' in turn)) return turn;
			let sent: Sent | undefined;
			try {
				// It may have fired in the moment between.
				caller.signal?.throwIfAborted();
				sent = await send();
			} finally {
				this.#underWay--;
				this.#lastMove = steadyNow();
				if (sent?.attempt.kind === 'answered') {
					this.clock.observe(sent.attempt.response.headers.date, steadyNow());
					if (sent.decision === 'wait') this.#refused(sent.attempt.response, turn);
					else this.#allowed(sent.attempt.response, turn);
				}
				this.#proceed();
			}
			if (sent.decision !== 'wait') return sent;
		}
	}

	async #turn(caller: Caller, ticket: number): Promise<Turn | LimitReached> {
		const { signal } = caller;
		signal?.throwIfAborted();
		return await new Promise((resolve, reject) => {
			const line = this.#waiting.get(caller) ?? [];
			const answer = (turn: Turn | LimitReached) => {
				signal?.removeEventListener('abort', leave);
				resolve(turn);
			};
			const waiting = { ticket, answer };
			const leave = () => {
				line.splice(line.indexOf(waiting), 1);
				if (line.length === 0) this.#waiting.delete(caller);
				reject(signal?.reason as Error);
				this.#proceed();
			};
			signal?.addEventListener('abort', leave, { once: true });
			const index = line.findIndex((each) => each.ticket > ticket);
			line.splice(index === -1 ? line.length : index, 0, waiting);
			this.#waiting.set(caller, line);
			this.#proceed();
		});
	}

	/** Lets through whoever may go, and ends the wait of those who may not wait that long. */
	#proceed(): void {
		let hold: Hold | undefined;
		for (const [caller, line] of this.#waiting) {
			hold = this.#hold();
			if (hold !== undefined) break;
			const first = line.shift();
			// Whoever has had a turn comes after the others.
			this.#waiting.delete(caller);
			if (line.length > 0) this.#waiting.set(caller, line);
			const isTest = this.#isClosed() && this.#underWay === 0;
			this.#underWay++;
			this.#lastMove = steadyNow();
			first?.answer({ round: this.#round, isTest, since: this.clock.now() });
		}
		if (hold?.limit !== undefined) this.#refuseWhoCannotWait(hold.wait, hold.limit);
		this.#wakeIn(this.#waiting.size === 0 ? undefined : hold?.wait);
	}

	/** Why the next request must wait; undefined when it may be sent. */
	#hold(): Hold | undefined {
		const now = this.clock.now();
		const limit = this.#refusal;
		if (limit !== undefined && this.#isRefused(now)) return { wait: limit.until - now, limit };
		if (this.#resetsAt !== undefined && this.#resetsAt <= now) {
			// A new window. One request goes ahead and shows what it holds, or that it has not begun after all.
			this.#resetsAt = undefined;
			this.#remaining = 1;
			this.#isEnough = false;
		}
		// Of what others see as left, too, half is taken; what they took meanwhile is known before the next half.
		const allowed = this.#isShared ? Math.ceil(this.#remaining / 2) : this.#remaining;
		if (this.#underWay < allowed) return undefined;
		if (this.#isClosed()) {
			if (limit !== undefined && this.#readingsHold && this.#resetsAt !== undefined) {
				return { wait: this.#resetsAt - now, limit: { ...limit, isNamed: true } };
			}
			if (this.#underWay === 0) return undefined;
		}
		const wait = this.#lastMove + patience - steadyNow();
		return wait > 0 ? { wait } : undefined;
	}

	/** The last reading says that nothing is left. */
	#isClosed(): boolean {
		return this.#remaining === 0 && this.#resetsAt !== undefined;
	}

	/** Whether a 429 still holds. */
	#isRefused(now: number): boolean {
		return this.#refusal !== undefined && this.#refusal.until > now;
	}

	#refuseWhoCannotWait(wait: number, { response, isNamed }: Refusal): void {
		const isHopeless = this.#refusedRounds > mostRefusedRounds;
		for (const [caller, line] of this.#waiting) {
			// Guesses count together, from the first one that this caller has met.
			const silentSince = Math.max(caller.since, this.#silentSince ?? 0);
			const waited = isNamed ? 0 : steadyNow() - silentSince;
			if (!isHopeless && waited + wait <= caller.longestWait) continue;
			this.#waiting.delete(caller);
			// What did not come true so often is not the moment of the reset.
			const resetsAt = isNamed && !isHopeless ? Date.now() + wait : undefined;
			for (const { answer } of line) answer({ response, resetsAt });
		}
	}

	/** After any answer but a 429. */
	#allowed({ headers }: ServiceResponse, { isTest, since }: Turn): void {
		this.#refusedRounds = 0;
		this.#silentSince = undefined;
		const now = this.clock.now();
		const { remaining, resetsAt } = readQuota(headers, now);
		const known = this.#resetsAt;
		const isReading = remaining !== undefined && resetsAt !== undefined && resetsAt > now;
		const isLater = isReading && (known === undefined || resetsAt > known + sameWindow);
		if (isTest && !(isLater && remaining > 0)) this.#readingsHold = false;
		// Of a window that ended while the answer was on its way: it says nothing of the next one.
		const isOutdated = remaining !== undefined && resetsAt !== undefined && !isReading;
		if (isOutdated && resetsAt > since) return;
		if (!isReading || this.#readingsHold === false) {
			// Nothing is held back before the next 429. What is known stays known when an answer says nothing.
			if (known === undefined || this.#readingsHold === false) this.#remaining = Infinity;
			return;
		}
		if (isLater) {
			// A window that begins with nothing is tested again: the last test may have met the limit by chance.
			if (remaining === 0) this.#readingsHold = undefined;
			this.#isEnough = this.#underWay <= remaining;
			this.#remaining = remaining;
			this.#resetsAt = resetsAt;
		} else if (known !== undefined && resetsAt >= known - sameWindow) {
			// Answers may overtake each other: within a window the smallest number is the latest.
			this.#remaining = Math.min(this.#remaining, remaining);
			this.#resetsAt = Math.max(known, resetsAt);
		}
	}

	/** After a 429. */
	#refused(response: ServiceResponse, { round, isTest }: Turn): void {
		if (isTest) this.#readingsHold = true;
		else if (this.#isEnough) this.#isShared = true;
		this.#isEnough = false;
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
		if (!isNamed) this.#silentSince ??= steadyNow();
		const until = now + milliseconds;
		const known = this.#refusal;
		// Of those that were refused together the latest moment counts, and a guess only where none is named.
		const counts =
			known === undefined || isFirst || (isNamed && !(known.isNamed && known.until > until));
		if (counts) this.#refusal = { response, until, isNamed };
		this.#remaining = 0;
		this.#resetsAt = this.#refusal?.until;
	}

	/** Nobody uses it, and nothing that it knows is current any more. */
	#isOver(): boolean {
		const now = this.clock.now();
		const isCurrent = (this.#resetsAt ?? 0) > now || this.#isRefused(now);
		return this.#underWay === 0 && this.#waiting.size === 0 && !isCurrent;
	}

	/** Checks again after so many milliseconds; no timer is left when nobody waits. */
	#wakeIn(wait = Infinity): void {
		const at = steadyNow() + wait;
		// One that comes too early does no harm.
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
