import type { NetworkError } from './networkError';

/** What the service answered. */
export interface ServiceResponse {
	/** The address that was asked. */
	url: string;
	/** When the request was passed on, by `steadyNow`: what the answer shows may be as old as that. */
	requestedAt: number;
	/** When the answer was complete, by `steadyNow`. */
	receivedAt: number;
	statusCode: number;
	/** Names in lower case. */
	headers: Record<string, string>;
	/** The first thousand characters of the body, without the blanks before it. */
	excerpt: string;
	/** How many bytes the body has; left out where none was read. */
	size?: number;
	/** The parsed body; undefined when it is empty, not JSON, or too large to read. */
	json: unknown;
	isTooLarge?: boolean;
}

/** What came of one attempt to send a request. */
export type RequestResult =
	| { kind: 'response'; response: ServiceResponse }
	/** No answer came: the request never left, or it was interrupted. */
	| { kind: 'networkError'; error: NetworkError; url: string };

export function isSuccess({ statusCode }: ServiceResponse): boolean {
	return statusCode >= 200 && statusCode < 300;
}

/** Whether the service refused the request because of the limit. */
export function isRateLimited(result: RequestResult | { kind: 'vetoed' }): boolean {
	return result.kind === 'response' && result.response.statusCode === 429;
}
