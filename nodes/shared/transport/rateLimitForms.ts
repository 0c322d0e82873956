/**
 * The forms of the rate limit. service-api.md, "Limits", shows the names of two headers, and
 * nothing else.
 */
import { parseTimestamp } from '../utils/time';
import { parseErrorBody, proxyStatuses, type ServiceResponse } from './response';

/**
 * Parses the headers of the rate limit.
 *
 * @param now the service's time, in epoch milliseconds
 * @returns requests left (`undefined` if that isn't shown), and two times in epoch milliseconds by
 * the service's clock (0 if they aren't shown)
 */
export function parseRateLimitHeaders({ headers }: ServiceResponse, now: number) {
	const remaining = headers['x-ratelimit-remaining'] ?? '';
	return {
		remaining: /^\d{1,9}$/.test(remaining) ? Number(remaining) : undefined,
		reset: parseTimestamp(headers['x-ratelimit-reset'], now) ?? 0,
		retryAfter: parseTimestamp(headers['retry-after'], now) ?? 0,
	};
}

/** For example `rate_limit_exceeded` or `TOO_MANY_REQUESTS`, but not `corporate_limit`. */
const rateLimitCode = /(?<![a-z])rate[^a-z]*limit|too[^a-z]*many[^a-z]*requests|throttl/i;

/**
 * Returns whether the service rejected the request because of the rate limit: a 429, or another
 * status from 400 to 499 with a rate-limit code, or with headers that show that nothing is left.
 *
 * service-api.md, "Limits": the status code isn't documented, and other services use 403.
 *
 * @param now the service's time, in epoch milliseconds
 */
export function isRateLimited(response: ServiceResponse, now: number): boolean {
	const { statusCode, json } = response;
	if (statusCode === 429) return true;
	if (statusCode < 400 || statusCode >= 500 || proxyStatuses.has(statusCode)) return false;
	const { code } = parseErrorBody(json);
	// Separates the words of `userRateLimit`.
	const words = code?.replace(/([a-z])([A-Z])/g, '$1 $2') ?? '';
	if (rateLimitCode.test(words)) return true;
	// After a 408 (timeout), the request may still be processed. The documented code for credits has
	// a cause of its own.
	if (statusCode === 408 || code === 'insufficient_credits') return false;
	const { remaining, reset } = parseRateLimitHeaders(response, now);
	return remaining === 0 && reset > now;
}
