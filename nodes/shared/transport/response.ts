import { isObject } from '../utils/isObject';
import { parseTimestamp } from '../utils/time';
import type { NetworkError } from './networkError';

export interface ServiceResponse {
	url: string;
	/** Monotonic time at which the request was sent. The response may show a state as old as this. */
	requestedAt: number;
	/** Monotonic time at which the body was complete. */
	receivedAt: number;
	statusCode: number;
	/** By name, in lower case. */
	headers: Record<string, string>;
	/** First 1,000 characters of the body, without leading whitespace. */
	excerpt: string;
	/** Bytes of the body that were read. Missing if no body was read. */
	size?: number;
	/** Parsed body. `undefined` if it is empty, isn't JSON, or is too large. */
	json: unknown;
	isTooLarge?: boolean;
}

/** Result of a single HTTP attempt. */
export type RequestResult =
	| { kind: 'response'; response: ServiceResponse }
	/** No response: the request was never sent, or it was interrupted. */
	| { kind: 'networkError'; error: NetworkError; url: string };

export function isSuccess({ statusCode }: ServiceResponse): boolean {
	return statusCode >= 200 && statusCode < 300;
}

/**
 * Parses the documented error body (service-api.md, "Errors").
 *
 * @returns an empty object for any other body
 */
export function parseErrorBody(json: unknown): { code?: string; message?: string } {
	if (!isObject(json) || !isObject(json.error)) return {};
	const { code, message } = json.error;
	return {
		...(typeof code === 'string' && { code }),
		...(typeof message === 'string' && { message }),
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
	const { statusCode, headers, json } = response;
	if (statusCode === 429) return true;
	if (statusCode < 400 || statusCode >= 500 || proxyStatuses.has(statusCode)) return false;
	const { code } = parseErrorBody(json);
	// Separates the words of `userRateLimit`.
	const words = code?.replace(/([a-z])([A-Z])/g, '$1 $2') ?? '';
	if (rateLimitCode.test(words)) return true;
	// After a 408 (timeout), the request may still be processed. The documented code for credits has
	// a cause of its own.
	if (statusCode === 408 || code === 'insufficient_credits') return false;
	const reset = parseTimestamp(headers['x-ratelimit-reset'], now) ?? 0;
	return headers['x-ratelimit-remaining'] === '0' && reset > now;
}

/**
 * Statuses that only something in front of the service sends: RFC 9110, section 15.5.8 (407), RFC
 * 7725 (451) and RFC 6585, section 6 (511).
 */
const proxyStatuses = new Set([407, 451, 511]);

/**
 * Returns whether a proxy, a firewall or a login page in front of the service sent the response, so
 * that the service didn't get the request.
 *
 * service-api.md, "Errors": the service's own errors are JSON.
 */
export function isBlockedByProxy({ statusCode, json, excerpt }: ServiceResponse): boolean {
	if (proxyStatuses.has(statusCode)) return true;
	return (statusCode === 401 || statusCode === 403) && json === undefined && excerpt !== '';
}
