import type { IDataObject } from 'n8n-workflow';

import { byId } from '../identity';
import { mostBytes } from '../service/body';
import type { GetOptions, ServiceConnection } from '../service/connection';
import { readNextLink } from '../service/links';
import { type Explanation, explanation, isExplanation } from '../words/explanation';
import { type ListName, readList } from './content';
import { explainUnreadable, successOrExplain } from './errors';
import { saysThereIsMore } from './signsOfMore';

/** The most pages that are followed for one list. */
const mostPages = 1000;

export interface ListResult {
	/** Those that the request keeps. They are shared with everything that reads the same list: never change them. */
	entries: IDataObject[];
	/** The service says that there is more, in a way that cannot be followed. */
	truncated: boolean;
	/** When the first of its pages was read, by `steadyNow`. */
	readAt: number;
}

export interface ListRequest extends GetOptions {
	/** Only the entries with this ID are read. */
	id?: string;
	/** Only these entries are kept; all of them without it. */
	keep?: (entry: IDataObject) => boolean;
	/** No further page is fetched once this many entries are kept. */
	wanted?: number;
}

/** Of a page, made once: each of many items may look for its own in the same answer. */
const indexes = new WeakMap<IDataObject[], ReturnType<typeof byId>>();

/** The lists of the service (service-api.md, "Endpoints"): where they are, and what is in them. */
const lists: Record<ListName, { path: string[]; noun: string }> = {
	exchanges: { path: ['exchanges'], noun: 'exchanges' },
	ledger: { path: ['credits', 'balance'], noun: 'ledger entries' },
	sites: { path: ['sites'], noun: 'sites' },
	watchdogEvents: { path: ['watchdog', 'events'], noun: 'watchdog events' },
};

/**
 * Reads a list of the service, page by page. Pagination is not documented (service-api.md, "Endpoints"): RFC 8288 links
 * below the base URL are followed, any other sign of more is reported as `truncated`.
 */
export async function readWholeList(
	connection: ServiceConnection,
	name: ListName,
	{ query, id, keep, wanted = Infinity, ...freshness }: ListRequest = {},
): Promise<ListResult | Explanation> {
	const { path, noun } = lists[name];
	const entries: IDataObject[] = [];
	let entriesRead = 0;
	let size = 0;
	let readAt = Infinity;
	const visited = new Set<string>();
	let outcome = await connection.get(path, { query, ...freshness });
	for (;;) {
		const response = successOrExplain(outcome, { action: `list the ${noun}` });
		if (isExplanation(response)) return response;
		const page = readList(response.json, name);
		if (page === undefined) return explainUnreadable(response, `a list of ${noun}`);
		for (const entry of id === undefined ? page : withId(page, id)) {
			if (keep?.(entry) ?? true) entries.push(entry);
		}
		entriesRead += page.length;
		readAt = Math.min(readAt, response.receivedAt);
		visited.add(response.url);
		size += response.size ?? 0;

		const next = readNextLink(response.headers, response.url);
		if (next === undefined) {
			const read = { entries: entriesRead, pages: visited.size };
			return { entries, truncated: saysThereIsMore(response, name, read), readAt };
		}
		if (entries.length >= wanted) return { entries, truncated: false, readAt };
		if (size >= mostBytes || visited.size >= mostPages) return tooLarge(noun, visited.size, size);
		// Read before this page, it would miss what has moved from there to here in between.
		const since = Math.max(freshness.since ?? -Infinity, response.receivedAt);
		const isLoop = visited.has(next);
		const answer = isLoop ? undefined : await connection.getNextPage(next, { ...freshness, since });
		if (answer === undefined) return { entries, truncated: true, readAt };
		outcome = answer;
	}
}

function tooLarge(noun: string, pages: number, size: number): Explanation {
	const megabytes = Math.round(size / 1024 / 1024);
	return explanation({
		message: `The list of ${noun} is too large to read`,
		description: `The service goes on after ${pages} pages with ${megabytes} MB. At most ${mostPages} pages and ${mostBytes / 1024 / 1024} MB are read of one list. Nothing was done with them.`,
	});
}

function withId(page: IDataObject[], id: string): IDataObject[] {
	const index = indexes.get(page) ?? byId(page);
	indexes.set(page, index);
	return index.get(id) ?? [];
}
