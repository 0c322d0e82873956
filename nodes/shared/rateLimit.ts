/**
 * The service's limits, as it tells them in X-RateLimit-Remaining and X-RateLimit-Reset (service-api.md, "Limits").
 * Units and formats are not documented, so every usual one is read; what cannot be read is left out, never guessed.
 */

/** What the headers of one response say. */
export interface QuotaReading {
	/** Requests left in the running window. */
	remaining?: number;
	/** When the window ends, in milliseconds of the service's clock. */
	resetsAt?: number;
}

/** A number below this is a duration in seconds (three years), above it a moment. */
const largestDelta = 1e8;
/** A number above this is a moment in milliseconds, below it one in seconds (the year 5138). */
const largestEpochSeconds = 1e11;

/**
 * The moment that a reset or Retry-After header names, in epoch milliseconds of the clock that `now` was read from.
 * Reads delta seconds, epoch seconds, epoch milliseconds, ISO 8601 and HTTP-date (RFC 9110, section 10.2.3).
 */
export function readMoment(value: string | undefined, now: number): number | undefined {
	const text = value?.trim() ?? '';
	if (text === '' || text.length > 64) return undefined;
	if (/^\d+(\.\d+)?$/.test(text)) {
		const number = Number(text);
		if (number < largestDelta) return now + number * 1000;
		return number < largestEpochSeconds ? number * 1000 : number;
	}
	// Anything else has to look like a date before Date.parse, which reads far too much, may see it.
	if (!/^(\d{4}-\d{2}-\d{2}T|[A-Z][a-z]{2,8}, ?\d|[A-Z][a-z]{2} [A-Z][a-z]{2} )/.test(text)) {
		return undefined;
	}
	// A date without a zone is UTC (RFC 9110, section 5.6.7; service-api.md has all its times in UTC).
	const hasZone = /(GMT|UTC|Z|[+-]\d{2}:?\d{2})$/.test(text);
	const moment = Date.parse(hasZone ? text : `${text}Z`);
	return Number.isNaN(moment) ? undefined : moment;
}

/** How many requests are left and until when, by the headers of one response. */
export function readQuota(headers: Record<string, string>, now: number): QuotaReading {
	const remaining = headers['x-ratelimit-remaining']?.trim() ?? '';
	const resetsAt = readMoment(headers['x-ratelimit-reset'], now);
	return {
		...(/^\d{1,9}$/.test(remaining) && { remaining: Number(remaining) }),
		...(resetsAt !== undefined && { resetsAt }),
	};
}

/**
 * The service's clock, seen from here. Date headers are whole seconds rounded down, so each one gives a lower bound of
 * the difference between the clocks; the largest seen so far is the best. A wait computed with it is never too short.
 */
export class ServiceClock {
	private difference: number | undefined;

	observe(dateHeader: string | undefined, receivedAt: number): void {
		const date = Date.parse(dateHeader ?? '');
		if (Number.isNaN(date)) return;
		this.difference = Math.max(this.difference ?? -Infinity, date - receivedAt);
	}

	now(): number {
		return Date.now() + (this.difference ?? 0);
	}
}

/**
 * Milliseconds to wait after a 429: exactly as long as Retry-After says, or else X-RateLimit-Reset. Without either, or
 * when that moment seems to have passed, the wait grows with each 429 in a row, up to the documented window of a minute.
 */
export function waitAfterLimit(
	headers: Record<string, string>,
	now: number,
	limitedInARow: number,
): number {
	const moment = readMoment(headers['retry-after'], now) ?? readQuota(headers, now).resetsAt;
	if (moment !== undefined && moment > now) return moment - now;
	return Math.min(500 * 2 ** (limitedInARow - 1), 60_000);
}
