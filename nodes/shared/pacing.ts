import { sleep } from 'n8n-workflow';

import { readQuota, ServiceClock } from './rateLimit';

/** Two resets closer together than this are the same window: a reset in whole seconds wanders by up to one. */
const sameWindow = 1000;

/**
 * Holds requests back when, and only when, the service's quota is used up (service-api.md, "Limits").
 *
 * The service counts per key, so X-RateLimit-Remaining is shared with other executions and processes: it is a reading,
 * not a reservation, and a 429 may come all the same. With quota left no request is delayed at all.
 */
export class Pacing {
	readonly clock = new ServiceClock();

	#remaining: number | undefined;

	#resetsAt: number | undefined;

	/** The most that was ever left: what a new window is taken to hold until the service says otherwise. */
	#mostRemaining = 0;

	#inFlight = 0;

	#wakeOnAnswer: Array<() => void> = [];

	/**
	 * Resolves when a request may be sent, and counts it as under way. Never waits longer than `longestWait`
	 * (milliseconds) for one window: beyond that the request is let through, so that the service itself says no.
	 * Rejects when `signal` fires.
	 */
	async take(longestWait: number, signal?: AbortSignal): Promise<void> {
		for (;;) {
			if (signal?.aborted) throw signal.reason;
			const wait = this.#waitNow();
			if (wait === undefined || wait > longestWait) break;
			const wake = new AbortController();
			const answered = new Promise<void>((resolve) => this.#wakeOnAnswer.push(resolve));
			const signals = signal ? [signal, wake.signal] : [wake.signal];
			const slept = sleep(wait, AbortSignal.any(signals)).catch(() => undefined);
			await Promise.race([slept, answered]);
			wake.abort();
		}
		this.#inFlight++;
	}

	/** To be called once for each `take`, with the headers of the answer if there was one. */
	settle(headers: Record<string, string> | undefined): void {
		this.#inFlight--;
		if (headers !== undefined) {
			this.clock.observe(headers.date, Date.now());
			this.#learn(headers);
		}
		for (const wake of this.#wakeOnAnswer.splice(0)) wake();
	}

	/** After a 429: nothing is sent for so many milliseconds. */
	block(wait: number): void {
		this.#remaining = 0;
		this.#resetsAt = this.clock.now() + wait;
	}

	#learn(headers: Record<string, string>): void {
		const now = this.clock.now();
		const { remaining, resetsAt } = readQuota(headers, now);
		if (remaining === undefined || resetsAt === undefined || resetsAt <= now) return;
		this.#mostRemaining = Math.max(this.#mostRemaining, remaining);
		const known = this.#resetsAt;
		if (known !== undefined && resetsAt < known - sameWindow) return;
		const isSameWindow = known !== undefined && Math.abs(resetsAt - known) <= sameWindow;
		// Answers may overtake each other: within a window the smallest number is the latest.
		this.#remaining = isSameWindow ? Math.min(this.#remaining ?? remaining, remaining) : remaining;
		this.#resetsAt = isSameWindow ? Math.max(known, resetsAt) : resetsAt;
	}

	/** Milliseconds until the quota allows one more request, undefined for "now". */
	#waitNow(): number | undefined {
		if (this.#remaining === undefined) return undefined;
		const now = this.clock.now();
		if (this.#resetsAt !== undefined && this.#resetsAt <= now) {
			this.#resetsAt = undefined;
			this.#remaining = this.#mostRemaining + 1;
		}
		if (this.#inFlight < this.#remaining) return undefined;
		if (this.#resetsAt !== undefined) return this.#resetsAt - now;
		// A new window, and as many under way as it seems to hold: the next answer tells more.
		return this.#inFlight > 0 ? sameWindow : undefined;
	}
}
