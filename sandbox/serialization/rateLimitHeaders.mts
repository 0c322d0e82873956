import type { Dialect } from '../dialects.mts';

/** The value of X-RateLimit-Reset. */
export function resetHeader(resetsAt: number, now: number, dialect: Dialect): string {
	const shown = resetsAt + dialect.clockSkewSeconds * 1000;
	// The moment is rounded up, because at an earlier one the limit still holds.
	const seconds = Math.ceil(shown / 1000);
	const forms: Record<Dialect['rateLimitReset'], string> = {
		'epoch-seconds': String(seconds),
		'epoch-milliseconds': String(shown),
		'delta-seconds': String(secondsUntil(resetsAt, now)),
		'iso-8601': new Date(seconds * 1000).toISOString(),
		'http-date': new Date(seconds * 1000).toUTCString(),
	};
	return forms[dialect.rateLimitReset];
}

/** How many whole seconds there are until a moment, rounded up. */
export function secondsUntil(time: number, now: number): number {
	return Math.max(0, Math.ceil((time - now) / 1000));
}
