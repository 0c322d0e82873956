import type { IDataObject } from 'n8n-workflow';

import type { ServiceConnection } from './connection';
import { explainUnreadable, successOrExplain } from './errors';
import { type Explanation, isExplanation } from './explanation';
import { type ListName, readList, readNextLink, saysThereIsMore } from './response';

/** The most pages that are followed for one list; a chain of links longer than this is taken for a loop. */
const mostPages = 1000;

export interface ListResult {
	entries: IDataObject[];
	/** The service says that there is more, in a way that cannot be followed. */
	truncated: boolean;
}

interface ListRequest {
	name: ListName;
	path: string[];
	query?: Record<string, string>;
	/** For messages: "list the sites". */
	action: string;
	/** No further page is fetched once this many entries are there. */
	enough?: (entries: IDataObject[]) => boolean;
	/** Ask the service even if the same list was read before in this run. */
	fresh?: boolean;
}

/**
 * Reads a list of the service, page by page. Pagination is not documented (service-api.md, "Endpoints"): RFC 8288 links
 * to the same origin are followed, any other sign of more is reported as `truncated`.
 */
export async function readWholeList(
	connection: ServiceConnection,
	request: ListRequest,
): Promise<ListResult | Explanation> {
	const { name, path, query, action, fresh } = request;
	const entries: IDataObject[] = [];
	const visited = new Set<string>();
	let outcome = await connection.get(path, { query, fresh });
	for (;;) {
		const response = successOrExplain(connection, outcome, { action });
		if (isExplanation(response)) return response;
		const page = readList(response.json, name);
		if (page === undefined) return explainUnreadable(response, `a list of ${nouns[name]}`);
		entries.push(...page);
		visited.add(response.url);

		const next = readNextLink(response.headers, response.url);
		if (next === undefined) return { entries, truncated: saysThereIsMore(response.json) };
		if (request.enough?.(entries)) return { entries, truncated: false };
		if (!connection.isOwnOrigin(next) || visited.has(next) || visited.size >= mostPages) {
			return { entries, truncated: true };
		}
		outcome = await connection.getNextPage(next, { fresh });
	}
}

const nouns: Record<ListName, string> = {
	sites: 'sites',
	exchanges: 'exchanges',
	watchdogEvents: 'watchdog events',
	ledger: 'ledger entries',
};
