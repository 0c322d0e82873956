import type { IDataObject } from 'n8n-workflow';

import type { ServiceConnection } from './connection';
import { explainUnreadable, successOrExplain } from './errors';
import { type Explanation, isExplanation } from './explanation';
import { readNextLink } from './links';
import { type ListName, readList } from './response';
import { saysThereIsMore } from './signsOfMore';

/** The most pages that are followed for one list; a chain of links longer than this is taken for a loop. */
const mostPages = 1000;

export interface ListResult {
	/** Those that the request keeps. They are shared with everything that reads the same list: never change them. */
	entries: IDataObject[];
	/** The service says that there is more, in a way that cannot be followed. */
	truncated: boolean;
}

interface ListRequest {
	name: ListName;
	path: readonly string[];
	query?: Record<string, string>;
	/** For messages: "list the sites". */
	action: string;
	/** Only these entries are kept; all of them without it. */
	keep?: (entry: IDataObject) => boolean;
	/** No further page is fetched once this many entries are kept. */
	wanted?: number;
	/** Ask the service even if the same list was read before in this run. */
	fresh?: boolean;
}

/**
 * Reads a list of the service, page by page. Pagination is not documented (service-api.md, "Endpoints"): RFC 8288 links
 * to the same origin are followed, any other sign of more is reported as `truncated`.
 */
export async function readWholeList(
	connection: ServiceConnection,
	{ name, path, query, action, keep, wanted = Infinity, fresh }: ListRequest,
): Promise<ListResult | Explanation> {
	const entries: IDataObject[] = [];
	let entriesRead = 0;
	const visited = new Set<string>();
	let outcome = await connection.get(path, { query, fresh });
	for (;;) {
		const response = successOrExplain(outcome, { action });
		if (isExplanation(response)) return response;
		const page = readList(response.json, name);
		if (page === undefined) return explainUnreadable(response, `a list of ${nouns[name]}`);
		for (const entry of page) {
			if (keep?.(entry) ?? true) entries.push(entry);
		}
		entriesRead += page.length;
		visited.add(response.url);

		const next = readNextLink(response.headers, response.url);
		if (next === undefined) {
			const read = { entries: entriesRead, pages: visited.size };
			return { entries, truncated: saysThereIsMore(response, name, read) };
		}
		if (entries.length >= wanted) return { entries, truncated: false };
		if (
			next.url === undefined ||
			!connection.isOwnOrigin(next.url) ||
			visited.has(next.url) ||
			visited.size >= mostPages
		) {
			return { entries, truncated: true };
		}
		outcome = await connection.getNextPage(next.url, { fresh });
	}
}

const nouns: Record<ListName, string> = {
	sites: 'sites',
	exchanges: 'exchanges',
	watchdogEvents: 'watchdog events',
	ledger: 'ledger entries',
};
