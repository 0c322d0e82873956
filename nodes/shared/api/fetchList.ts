import type { IDataObject } from 'n8n-workflow';

import { errorMessages } from '../errorMessages';
import { ServiceError } from '../errors';
import type { ApiClient, GetOptions } from '../transport/apiClient';
import { maxBodyBytes } from '../transport/body';
import type { ServiceResponse } from '../transport/response';
import { getId, groupById } from '../utils/ids';
import { hasMoreEntries, type ListName, parseList, parseNextLink } from './forms/lists';
import { createUnexpectedBodyError, unwrapResponse } from './httpErrors';

const maxPages = 1000;

export interface ListResult {
	/**
	 * Entries that match the request. Shared with everyone who fetches the same list: never change
	 * them.
	 */
	entries: IDataObject[];
	/** Whether the service indicates more entries in a way that can't be followed. */
	truncated: boolean;
	/** When the first page was requested (monotonic). Entries may be as old as that. */
	requestedAt: number;
	/**
	 * When the last page arrived (monotonic). A request sent after this time returns newer data than
	 * all pages.
	 */
	completedAt: number;
}

export interface ListRequest extends GetOptions {
	/** Keeps only entries with this ID. */
	id?: string;
	/** Stops fetching pages after this many entries. */
	limit?: number;
}

/**
 * A parsed response. Cached, because thousands of items may search the same response for their own
 * entry.
 */
interface Page {
	entries: IDataObject[] | undefined;
	/** Entries by ID, built on first use. */
	index?: ReturnType<typeof groupById>;
}

const pages = new WeakMap<ServiceResponse, Page>();

/** Lists of the service (service-api.md, "Endpoints"). */
const lists: Record<ListName, { path: string[]; noun: string }> = {
	exchanges: { path: ['exchanges'], noun: 'exchanges' },
	ledger: { path: ['credits', 'balance'], noun: 'ledger entries' },
	sites: { path: ['sites'], noun: 'sites' },
	watchdogEvents: { path: ['watchdog', 'events'], noun: 'alerts' },
};

/**
 * Fetches a list, page by page.
 *
 * Pagination isn't documented (service-api.md, "Endpoints"): RFC 8288 links below the base URL are
 * followed; any other indication of more entries is reported as `truncated`.
 *
 * @throws {ServiceError} if a page can't be fetched or parsed, or if the list is too large
 */
export async function fetchList(
	client: ApiClient,
	name: ListName,
	{ query, id, limit = Infinity, ...cacheOptions }: ListRequest = {},
): Promise<ListResult> {
	const { path, noun } = lists[name];
	const entries: IDataObject[] = [];
	const indexes = new Map<string, number>();
	let count = 0;
	let totalBytes = 0;
	let requestedAt: number | undefined;
	const visitedUrls = new Set<string>();
	let pageResult = await client.get(path, { query, ...cacheOptions });
	for (;;) {
		const response = unwrapResponse(pageResult, { action: `list the ${noun}` });
		const page = parsePage(response, name);
		if (page.entries === undefined) {
			throw createUnexpectedBodyError(response, `a list of ${noun}`);
		}
		count += page.entries.length;
		const pageStart = entries.length;
		for (const entry of id === undefined ? page.entries : getEntriesById(page, id)) {
			// An entry that moved to the next page in the meantime comes again there.
			const key = getEntryKey(name, entry);
			const index = key === undefined ? undefined : indexes.get(key);
			if (index !== undefined && index < pageStart) {
				entries[index] = entry;
				count--;
			} else {
				if (key !== undefined) indexes.set(key, entries.length);
				entries.push(entry);
			}
		}
		requestedAt ??= response.requestedAt;
		const result = { entries, requestedAt, completedAt: response.receivedAt };
		visitedUrls.add(response.url);
		totalBytes += response.size ?? 0;

		const nextUrl = parseNextLink(response);
		if (nextUrl === undefined) return { ...result, truncated: hasMoreEntries(response, count) };
		if (entries.length >= limit) return { ...result, truncated: false };
		if (totalBytes >= maxBodyBytes || visitedUrls.size >= maxPages) {
			throw createListTooLargeError(noun, visitedUrls.size, totalBytes);
		}
		// A next page that was requested before this page arrived would miss an entry that moved
		// between the two in the meantime.
		const notBefore = Math.max(cacheOptions.notBefore ?? -Infinity, response.receivedAt);
		const nextPage = visitedUrls.has(nextUrl)
			? undefined
			: await client.getNextPage(nextUrl, { ...cacheOptions, notBefore });
		// Don't follow links to pages that were already fetched, or to URLs outside the base URL.
		if (nextPage === undefined) return { ...result, truncated: true };
		pageResult = nextPage;
	}
}

function createListTooLargeError(noun: string, pages: number, totalBytes: number): ServiceError {
	const megabytes = Math.round(totalBytes / 1024 / 1024);
	return new ServiceError({
		message: errorMessages.listTooLarge(noun),
		description: `The node read ${pages} pages with ${megabytes} MB, and the list has more. The node reads at most ${maxPages} pages and ${maxBodyBytes / 1024 / 1024} MB of a list. No part of this list was used.`,
	});
}

function parsePage(response: ServiceResponse, name: ListName): Page {
	const page = pages.get(response) ?? { entries: parseList(response, name) };
	pages.set(response, page);
	return page;
}

/**
 * Returns what identifies an entry on several pages. Alerts may share the ID of their exchange, and
 * ledger entries have no documented fields.
 */
function getEntryKey(name: ListName, entry: IDataObject): string | undefined {
	const id = getId(entry);
	if (id === undefined || name === 'ledger') return undefined;
	return name === 'watchdogEvents' ? JSON.stringify(entry) : id;
}

function getEntriesById(page: Page, id: string): IDataObject[] {
	page.index ??= groupById(page.entries ?? []);
	return page.index.get(id) ?? [];
}
