import type { IDataObject } from 'n8n-workflow';

import { type ErrorResult, errorResult, isErrorResult } from '../errors';
import type { ApiClient, GetOptions } from '../transport/apiClient';
import { maxBodyBytes } from '../transport/body';
import type { ServiceResponse } from '../transport/response';
import { groupById } from '../utils/ids';
import { tryParseUrl } from '../utils/url';
import { okOrError, toUnexpectedBodyError } from './httpErrors';
import { hasMorePages, type ListName, parseList } from './parseResponse';

/** The most pages that are followed for one list. */
const maxPages = 1000;

export interface ListResult {
	/** The entries that the request keeps, shared with everything that reads the same list: never change them. */
	entries: IDataObject[];
	/** The service says that there is more, in a way that cannot be followed. */
	truncated: boolean;
	/** When the first of its pages was asked for, by `steadyNow`: what the list shows may be as old as that. */
	requestedAt: number;
	/** When the last of them was complete: what is asked for since then is newer than all of it. */
	completedAt: number;
}

export interface ListRequest extends GetOptions {
	/** Only entries with this ID are kept. */
	id?: string;
	/** Tells which entries are kept; without it, all of them are. */
	filter?: (entry: IDataObject) => boolean;
	/** No further page is fetched once this many entries are kept. */
	limit?: number;
}

/** What an answer shows, read once, because each of thousands of items may look for its own entry in the same one. */
interface Page {
	entries: IDataObject[] | undefined;
	/** The entries by ID; made when the first one is looked for. */
	index?: ReturnType<typeof groupById>;
}

const pages = new WeakMap<ServiceResponse, Page>();

/** The lists of the service (service-api.md, "Endpoints"): where they are, and what is in them. */
const lists: Record<ListName, { path: string[]; noun: string }> = {
	exchanges: { path: ['exchanges'], noun: 'exchanges' },
	ledger: { path: ['credits', 'balance'], noun: 'ledger entries' },
	sites: { path: ['sites'], noun: 'sites' },
	watchdogEvents: { path: ['watchdog', 'events'], noun: 'alerts' },
};

/**
 * Reads a list of the service, page by page. Pagination is not documented (service-api.md, "Endpoints"): RFC 8288 links
 * below the base URL are followed, any other sign of more is reported as `truncated`.
 * @returns why there is no list, where a page cannot be had or read, or the list is too large
 */
export async function fetchList(
	client: ApiClient,
	name: ListName,
	{ query, id, filter, limit = Infinity, ...cacheOptions }: ListRequest = {},
): Promise<ListResult | ErrorResult> {
	const { path, noun } = lists[name];
	const entries: IDataObject[] = [];
	let totalBytes = 0;
	let requestedAt: number | undefined;
	const visitedUrls = new Set<string>();
	let pageResult = await client.get(path, { query, ...cacheOptions });
	for (;;) {
		const response = okOrError(pageResult, { action: `list the ${noun}` });
		if (isErrorResult(response)) return response;
		const page = parsePage(response, name);
		if (page.entries === undefined) return toUnexpectedBodyError(response, `a list of ${noun}`);
		for (const entry of id === undefined ? page.entries : getEntriesById(page, id)) {
			if (filter?.(entry) ?? true) entries.push(entry);
		}
		requestedAt ??= response.requestedAt;
		const result = { entries, requestedAt, completedAt: response.receivedAt };
		visitedUrls.add(response.url);
		totalBytes += response.size ?? 0;

		const nextUrl = parseNextLink(response);
		if (nextUrl === undefined) return { ...result, truncated: hasMorePages(response.json) };
		if (entries.length >= limit) return { ...result, truncated: false };
		if (totalBytes >= maxBodyBytes || visitedUrls.size >= maxPages) {
			return listTooLargeError(noun, visitedUrls.size, totalBytes);
		}
		// A next page that was asked for before this one was there would miss an entry that has moved from this page to it in between.
		const notBefore = Math.max(cacheOptions.notBefore ?? -Infinity, response.receivedAt);
		const nextPage = visitedUrls.has(nextUrl)
			? undefined
			: await client.getNextPage(nextUrl, { ...cacheOptions, notBefore });
		// A link that leads back to a page that was read, or out of what is below the base URL, is not followed.
		if (nextPage === undefined) return { ...result, truncated: true };
		pageResult = nextPage;
	}
}

/** One link of the header (RFC 8288): the address in angle brackets, and the parameters behind it. */
const linkPattern = /<([^<>]*)>([^<]*)/g;

/** The next page (`Link: <…>; rel="next"`); undefined where the header names none, empty where it names one that cannot be read. */
function parseNextLink({ headers, url }: ServiceResponse): string | undefined {
	for (const [, target = '', parameters = ''] of (headers.link ?? '').matchAll(linkPattern)) {
		if (!parameters.split(';').some(isRelNext)) continue;
		const nextUrl = tryParseUrl(target, url);
		if (nextUrl !== undefined) nextUrl.hash = '';
		return nextUrl?.href ?? '';
	}
	return undefined;
}

/** Whether a parameter of a link is `rel="next"`, with or without quotes, alone or among other relations. */
function isRelNext(parameter: string): boolean {
	const [name = '', value = ''] = parameter.split('=', 2);
	const relations = value.toLowerCase().split(/[\s",]+/);
	return name.trim().toLowerCase() === 'rel' && relations.includes('next');
}

function listTooLargeError(noun: string, pages: number, totalBytes: number): ErrorResult {
	const megabytes = Math.round(totalBytes / 1024 / 1024);
	return errorResult({
		message: `The list of ${noun} is too large to read`,
		description: `The list goes on after ${pages} pages with ${megabytes} MB. At most ${maxPages} pages and ${maxBodyBytes / 1024 / 1024} MB are read of one list. What was read was not used.`,
	});
}

function parsePage(response: ServiceResponse, name: ListName): Page {
	const page = pages.get(response) ?? { entries: parseList(response, name) };
	pages.set(response, page);
	return page;
}

function getEntriesById(page: Page, id: string): IDataObject[] {
	page.index ??= groupById(page.entries ?? []);
	return page.index.get(id) ?? [];
}
