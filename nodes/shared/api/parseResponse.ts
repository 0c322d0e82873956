import type { IDataObject } from 'n8n-workflow';

import { joinWords, quote, quoteValue, sanitize } from '../formatting/message';
import { maxBodyBytes } from '../transport/body';
import { parseErrorBody, type ServiceResponse } from '../transport/response';
import { isObject } from '../utils/isObject';

/**
 * Keys that may contain a list. The shape is documented for sites only (service-api.md,
 * "Endpoints").
 */
const listKeys = {
	sites: ['sites'],
	exchanges: ['exchanges'],
	watchdogEvents: ['events', 'watchdog_events'],
	ledger: ['ledger', 'ledger_entries', 'entries', 'transactions'],
} as const;

export type ListName = keyof typeof listKeys;

/** Fields beside an empty place that show a failure instead of an empty list. */
const failureFields = ['error', 'errors', 'message', 'status'];

/**
 * Parses the list in a response: a bare array, or an array under the resource's own name, `data`,
 * `items` or `results`.
 *
 * `null` in its place, or a 204, is an empty list, unless a field beside it may show a failure.
 *
 * @returns `undefined` if there is no list, or an entry isn't an object: callers report that, and
 * never continue with an empty list
 */
export function parseList(
	{ statusCode, json }: Pick<ServiceResponse, 'statusCode' | 'json'>,
	name: ListName,
): IDataObject[] | undefined {
	if (statusCode === 204) return [];
	const keys = [...listKeys[name], 'data', 'items', 'results'];
	const candidates: unknown[] = isObject(json) ? keys.map((key) => json[key]) : [json];
	const list = candidates.find((candidate) => Array.isArray(candidate));
	const mayBeFailure = isObject(json) && failureFields.some((field) => field in json);
	if (list === undefined && candidates.includes(null) && !mayBeFailure) return [];
	return list?.every(isObject) ? list : undefined;
}

/** Keys of a next page, for example `next`, `next_page_url` or `nextCursor`. */
const nextPageKey = /^next(_?(page|url|link|cursor|token|offset))*$/i;

/**
 * Returns whether a response indicates more entries in a way that can't be followed: `has_more`, a
 * key that begins with `next`, or a `total` above their number, beside the list or in an object
 * beside it, or the header X-Total-Count (service-api.md, "Endpoints": pagination is not shown).
 *
 * @param count number of entries of all pages
 */
export function hasMoreEntries(
	{ json, headers }: Pick<ServiceResponse, 'json' | 'headers'>,
	count: number,
): boolean {
	if (Number(headers['x-total-count']) > count) return true;
	if (!isObject(json)) return false;
	return [json, ...Object.values(json).filter(isObject)].some((part) =>
		Object.entries(part).some(([name, value]) => {
			if (/^has_?more$/i.test(name)) return value === true;
			if (/^total$/i.test(name)) return typeof value === 'number' && value > count;
			return nextPageKey.test(name) && Boolean(value);
		}),
	);
}

/**
 * Parses the record in a response: bare, or in an envelope named after the resource or `data`.
 *
 * @returns `undefined` if no object has the given field
 */
export function parseRecord(
	json: unknown,
	envelope: string,
	identifyingField = 'id',
): IDataObject | undefined {
	const candidates = isObject(json) ? [json, json[envelope], json.data] : [];
	return candidates.filter(isObject).find((candidate) => candidate[identifyingField] !== undefined);
}

/**
 * Searches a 2xx body for an error: the documented error object (service-api.md, "Errors"), or a
 * field `success` that isn't true.
 *
 * @returns a phrase that follows "HTTP 200 with", such as `"error": no more offers
 * (limit_reached)`; `undefined` if there is no error
 */
export function findEmbeddedError(json: unknown): string | undefined {
	if (!isObject(json)) return undefined;
	if (isObject(json.error)) {
		const { code, message } = parseErrorBody(json);
		const details = joinWords(message, code === undefined ? undefined : `(${code})`);
		return details === '' ? 'an "error" without details' : `"error": ${sanitize(details, 200)}`;
	}
	const { success = true } = json;
	return success === true ? undefined : `"success": ${quoteValue(success)}`;
}

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
