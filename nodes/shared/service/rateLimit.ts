import { readFieldTime, readMoment, steadyNow } from '../time';
import type { ServiceResponse } from './response';

/**
 * The service's limits, as it states them in X-RateLimit-Remaining and X-RateLimit-Reset (service-api.md, "Limits").
 * Units and formats are not documented, so every usual one is read; what cannot be read is left out, never guessed.
 */

/**
 * What the headers of one response say: how many requests are left in the running window, and when it ends, in milliseconds
 * of the service's clock.
 */
export function readQuota(headers: Record<string, string>, now: number) {
	const remaining = headers['x-ratelimit-remaining'] ?? '';
	const resetsAt = readMoment(headers['x-ratelimit-reset'], now);
	return { remaining: /^\d{1,9}$/.test(remaining) ? Number(remaining) : undefined, resetsAt };
}

/**
 * The service's clock, seen from here. Date headers are whole seconds rounded down, so each one gives a minimum of
 * the difference between the clocks; the largest so far is the best. A wait computed with it is never too short.
 */
export class ServiceClock {
	#difference: number | undefined;

	/**
	 * Sets this clock by an answer.
	 * @returns the milliseconds by which moments that were read before have to be moved: until now, the time was that of
	 * another clock, the machine's or another server's
	 */
	observe({ headers, receivedAt }: Pick<ServiceResponse, 'headers' | 'receivedAt'>): number {
		const before = this.now();
		const date = readFieldTime(headers.date);
		if (date === undefined) return 0;
		const difference = date.seconds * 1000 - receivedAt;
		this.#difference = Math.max(this.#difference ?? -Infinity, difference);
		const moved = this.now() - before;
		return Math.abs(moved) > 1000 ? moved : 0;
	}

	/** The service's time in epoch milliseconds; that of this machine while the service shows none. */
	now(): number {
		return this.#difference === undefined ? Date.now() : steadyNow() + this.#difference;
	}
}

/** The documented window, in milliseconds: no wait that is guessed is longer. */
const minute = 60_000;

/**
 * The wait after a 429: exactly as long as Retry-After or X-RateLimit-Reset say, whichever is later, because a service
 * may fill one of them with a constant. Without either, or when both have passed, it is a guess, of a minute at most: the
 * reset that an earlier answer has named, or a time that grows with each 429 in a row.
 */
export function waitAfterLimit(
	headers: Record<string, string>,
	now: number,
	limitedInARow: number,
	namedBefore = 0,
): { milliseconds: number; isNamed: boolean } {
	const retryAfter = readMoment(headers['retry-after'], now) ?? 0;
	const named = Math.max(retryAfter, readQuota(headers, now).resetsAt ?? 0);
	if (named > now) return { milliseconds: named - now, isNamed: true };
	const earlier = namedBefore - now;
	const growing = Math.min(500 * 2 ** (limitedInARow - 1), minute);
	return { milliseconds: earlier > 0 && earlier <= minute ? earlier : growing, isNamed: false };
}
