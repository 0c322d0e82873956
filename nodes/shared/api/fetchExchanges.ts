import type { IDataObject } from 'n8n-workflow';

import { type ErrorResult, isErrorResult } from '../errors';
import type { ApiClient } from '../transport/apiClient';
import type { CacheOptions } from '../transport/requestCache';
import {
	acceptedStatuses,
	type ExchangeStatus,
	exchangeStatuses,
	fillInStatus,
	getMostAdvanced,
	getStatus,
} from './exchangeStatus';
import { fetchList, type ListRequest, type ListResult } from './fetchList';

interface ExchangesRequest extends CacheOptions, Pick<ListRequest, 'id'> {
	/** Statuses of which no exchange may be missing. Default: all. */
	statuses?: readonly ExchangeStatus[];
	/** Returns statuses whose lists are also fetched, based on the full list. */
	extraStatuses?: (listed: IDataObject[]) => readonly ExchangeStatus[];
}

export const nonPendingStatuses = exchangeStatuses.filter((status) => status !== 'pending');

/**
 * Returns the statuses after pending of which the list contains no exchange. The service may leave
 * some out of a list without a status filter.
 */
export function missingStatuses(listed: IDataObject[]): readonly ExchangeStatus[] {
	const listedStatuses = listed.map(getStatus);
	return nonPendingStatuses.filter((status) => !listedStatuses.includes(status));
}

/**
 * Fetches the exchanges of the account.
 *
 * If the full list is truncated or incomplete, lists per status follow, in the order of the life
 * cycle: an exchange that advances in between appears twice instead of being missed, and its later
 * entry is the newer one.
 */
export async function fetchExchanges(
	client: ApiClient,
	{ statuses = exchangeStatuses, extraStatuses = () => [], ...request }: ExchangesRequest = {},
): Promise<ListResult | ErrorResult> {
	const fullList = await fetchList(client, 'exchanges', request);
	if (isErrorResult(fullList)) return fullList;
	let { entries } = fullList;
	// Lists per status that were requested before the full list arrived would miss an exchange that
	// advanced in between.
	const notBefore = Math.max(request.notBefore ?? -Infinity, fullList.completedAt);
	const statusLists: ListResult[] = [];
	for (const status of fullList.truncated ? statuses : extraStatuses(entries)) {
		const query = { status };
		const statusList = await fetchList(client, 'exchanges', { ...request, notBefore, query });
		if (isErrorResult(statusList)) return statusList;
		entries = entries.concat(statusList.entries.map((entry) => fillInStatus(entry, status)));
		statusLists.push(statusList);
	}
	const completedAt = Math.max(
		fullList.completedAt,
		...statusLists.map((statusList) => statusList.completedAt),
	);
	return {
		...fullList,
		entries,
		completedAt,
		truncated: statusLists.some(({ truncated }) => truncated),
	};
}

/**
 * Searches the list for an exchange, because there is no endpoint for a single one.
 *
 * @returns all records of it, and the most advanced one
 */
export async function findExchange(
	client: ApiClient,
	id: string,
	{
		fallbackStatuses = acceptedStatuses,
		...cacheOptions
	}: CacheOptions & { fallbackStatuses?: readonly ExchangeStatus[] },
): Promise<(ListResult & ReturnType<typeof getMostAdvanced>) | ErrorResult> {
	const extraStatuses = (entries: IDataObject[]) => (entries.length === 0 ? fallbackStatuses : []);
	const result = await fetchExchanges(client, { ...cacheOptions, id, extraStatuses });
	return isErrorResult(result) ? result : { ...getMostAdvanced(result.entries), ...result };
}
