/** The forms of lists and their pages, of which service-api.md shows only that of the sites. */
import type { IDataObject } from 'n8n-workflow';

import type { ServiceResponse } from '../../transport/response';
import { isObject } from '../../utils/isObject';
import { tryParseUrl } from '../../utils/url';
import { parseNumber } from './records';

/**
 * Keys that may contain a list. The shape is documented for sites only (service-api.md,
 * "Endpoints").
 */
const listKeys = {
	sites: ['sites'],
	exchanges: ['exchanges'],
	watchdogEvents: ['events'],
	ledger: ['ledger', 'ledger_entries'],
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
	return Number(headers['x-total-count']) > count || indicatesMore(json, count);
}

/** One link of the header (RFC 8288): a URL in angle brackets, followed by its parameters. */
const linkPattern = /<([^<>]*)>([^<]*)/g;

/**
 * Parses the `Link` header.
 *
 * @returns the URL with `rel="next"`, `undefined` if there is none, `''` if it's malformed
 */
export function parseNextLink({ headers, url }: ServiceResponse): string | undefined {
	for (const [, target = '', parameters = ''] of (headers.link ?? '').matchAll(linkPattern)) {
		if (!parameters.split(';').some(isRelNext)) continue;
		const nextUrl = tryParseUrl(target, url);
		if (nextUrl !== undefined) nextUrl.hash = '';
		return nextUrl?.href ?? '';
	}
	return undefined;
}

function indicatesMore(json: unknown, count: number): boolean {
	if (!isObject(json)) return false;
	return Object.entries(json).some(([name, value]) => {
		if (/^has_?more$/i.test(name)) return value === true || value === 'true';
		if (/^total$/i.test(name)) return (parseNumber(value) ?? 0) > count;
		return /^next/i.test(name) ? Boolean(value) : indicatesMore(value, count);
	});
}

/**
 * Returns whether a link parameter is `rel="next"`, with or without quotes, alone or among other
 * relations.
 */
function isRelNext(parameter: string): boolean {
	const [name = '', value = ''] = parameter.split('=', 2);
	const relations = value.toLowerCase().split(/[\s",]+/);
	return name.trim().toLowerCase() === 'rel' && relations.includes('next');
}
