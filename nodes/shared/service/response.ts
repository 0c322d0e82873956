import { isObject } from '../objects';
import { shorten } from '../text';

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

/** Code and message of the documented error body (service-api.md, "Errors"); empty when the body is something else. */
export function readError(json: unknown): { code?: string; message?: string } {
	if (!isObject(json) || !isObject(json.error)) return {};
	const { code, message } = json.error;
	return {
		...(typeof code === 'string' && { code }),
		...(typeof message === 'string' && { message }),
	};
}

/** A short, one-line description of a body for an error message; never the whole body. */
export function describeBody(response: ServiceResponse): string {
	if (response.isTooLarge) {
		return 'a body that is too large to read (with its values more than 32 MB)';
	}
	if (response.text.trim() === '') return 'an empty body';
	if (response.json === undefined) {
		const kind = isPage(response) ? 'a web page (HTML)' : 'text that is not JSON';
		return `${kind}, content type "${shorten(response.headers['content-type'] ?? 'none', 60)}"`;
	}
	return describeJson(response.json);
}

/** Whether the body looks like HTML. */
export function isPage({ text }: ServiceResponse): boolean {
	return text.trimStart().startsWith('<');
}

/** A short, one-line description of a JSON value, for a log as well: the names of fields, and no value. */
export function describeJson(json: unknown): string {
	if (Array.isArray(json)) return `a list of ${json.length} entries`;
	if (!isObject(json)) return `a single ${json === null ? 'null' : typeof json}`;
	const names = Object.entries(json).map(([name, value]) =>
		isObject(value) ? `${name} (${Object.keys(value).join(', ')})` : name,
	);
	// The names are a stranger's, so no sign in them may act where they are shown.
	return `an object with ${shorten(names.join(', '), 200).replace(/[^\w (),…-]/g, '?') || 'no fields'}`;
}
