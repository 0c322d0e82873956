import { isObject } from '../utils/isObject';
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

/**
 * Statuses that only something in front of the service sends: RFC 9110, section 15.5.8 (407), RFC
 * 7725 (451) and RFC 6585, section 6 (511).
 */
export const proxyStatuses = new Set([407, 451, 511]);

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
