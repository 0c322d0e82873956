import type { Dialect } from '../dialects.mts';

/** The value of X-RateLimit-Reset. */
export function resetHeader(resetsAt: number, now: number, dialect: Dialect): string {
	const shown = resetsAt + dialect.clockSkewSeconds * 1000;
	switch (dialect.rateLimitReset) {
		case 'epoch-seconds':
			// The moment is rounded up, because at an earlier one the limit still holds.
			return String(Math.ceil(shown / 1000));
		case 'epoch-milliseconds':
			return String(shown);
		case 'delta-seconds':
			return String(secondsUntil(resetsAt, now));
		case 'iso-8601':
			return new Date(Math.ceil(shown / 1000) * 1000).toISOString();
		case 'http-date':
			return new Date(Math.ceil(shown / 1000) * 1000).toUTCString();
	}
}

/** How many whole seconds there are until a moment, rounded up. */
export function secondsUntil(time: number, now: number): number {
	return Math.max(0, Math.ceil((time - now) / 1000));
}
