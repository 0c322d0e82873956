import { quote, sanitize } from '../formatting/message';
import { maxBodyBytes } from '../transport/body';
import type { ServiceResponse } from '../transport/response';
import { isObject } from '../utils/isObject';
import { findEmbeddedError } from './forms/records';

/** Describes a response for messages, for example `HTTP 200 with an empty body`. */
export function describeResponse(response: ServiceResponse): string {
	return `HTTP ${response.statusCode} with ${findEmbeddedError(response.json) ?? describeBody(response)}`;
}

/** Describes a body in one short line for error messages, and never repeats all of it. */
export function describeBody(response: ServiceResponse): string {
	if (response.isTooLarge) {
		return `more than ${maxBodyBytes / 1024 / 1024} MB, which is too large to read`;
	}
	if (response.excerpt === '') return 'an empty body';
	if (response.json === undefined) {
		const kind = isHtml(response) ? 'a web page (HTML)' : "text that isn't JSON";
		const contentType = quote(response.headers['content-type'] ?? 'none', 60);
		return `${kind} with the content type ${contentType}`;
	}
	return describeJson(response.json);
}

export function isHtml({ excerpt }: ServiceResponse): boolean {
	return excerpt.startsWith('<');
}

/**
 * Describes a JSON value in one short line: the names of its fields, and which of them are null. It
 * contains no values, so it can be logged.
 */
export function describeJson(json: unknown): string {
	if (Array.isArray(json)) return `a list of ${json.length} entries`;
	if (!isObject(json)) return `a single ${json === null ? 'null' : typeof json}`;
	const names = Object.entries(json).map(([name, value]) => {
		if (value === null) return `${name} (null)`;
		return isObject(value) ? `${name} (${Object.keys(value).join(', ')})` : name;
	});
	return `an object with ${sanitize(names.join(', '), 200) || 'no fields'}`;
}
