/** What the service answered. */
export interface ServiceResponse {
	/** The address that was asked. */
	url: string;
	/** When the answer was complete, by `steadyNow`. */
	receivedAt: number;
	statusCode: number;
	/** Names in lower case. */
	headers: Record<string, string>;
	/** The beginning of the body, without the blanks before it. */
	text: string;
	/** The memory that the body takes, about, in bytes; left out where none was read. */
	size?: number;
	/** Parsed body; undefined when the body is empty, not JSON, or too large to read. */
	json: unknown;
	isTooLarge?: boolean;
}

export function isSuccess({ statusCode }: ServiceResponse): boolean {
	return statusCode >= 200 && statusCode < 300;
}
