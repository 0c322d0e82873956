import type { Dialect } from '../dialects.mts';

/** Formats the value of X-RateLimit-Reset. */
export function resetHeader(resetsAt: number, now: number, dialect: Dialect): string {
	const shownTime = resetsAt + dialect.clockSkewSeconds * 1000;
	// Rounded up, because the limit still applies before the reset.
	const seconds = Math.ceil(shownTime / 1000);
	const forms: Record<Dialect['rateLimitReset'], string> = {
		'epoch-seconds': String(seconds),
		'epoch-milliseconds': String(shownTime),
		'delta-seconds': String(secondsUntil(resetsAt, now)),
		'iso-8601': new Date(seconds * 1000).toISOString(),
		'http-date': new Date(seconds * 1000).toUTCString(),
	};
	return forms[dialect.rateLimitReset];
}

/** Returns the number of whole seconds until a timestamp, rounded up. */
export function secondsUntil(time: number, now: number): number {
	return Math.max(0, Math.ceil((time - now) / 1000));
}
