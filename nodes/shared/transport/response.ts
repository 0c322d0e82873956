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

/** Returns whether the service rejected the request because of the rate limit (429). */
export function isRateLimited(result: RequestResult | { kind: 'vetoed' }): boolean {
	return result.kind === 'response' && result.response.statusCode === 429;
}
