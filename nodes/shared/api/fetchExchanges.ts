import type { IDataObject } from 'n8n-workflow';

import { type ErrorResult, isErrorResult } from '../errors';
import type { ApiClient } from '../transport/apiClient';
import type { CacheOptions } from '../transport/requestCache';
import {
	acceptedStatuses,
	type ExchangeStatus,
	exchangeStatuses,
	getMostAdvanced,
	getStatus,
} from './exchangeStatus';
import { fetchList, type ListRequest, type ListResult } from './fetchList';

interface ExchangesRequest extends CacheOptions, Pick<ListRequest, 'id'> {
	/** The states of which no exchange may be missing; all of them if left out. */
	statuses?: readonly ExchangeStatus[];
	/** Names the states whose lists are read as well, by what the whole list shows. */
	extraStatuses?: (listed: IDataObject[]) => readonly ExchangeStatus[];
}

export const nonPendingStatuses = exchangeStatuses.filter((status) => status !== 'pending');

/** The states after pending of which the whole list shows no exchange: a service may leave some out where no status is asked for. */
export function missingStatuses(listed: IDataObject[]): readonly ExchangeStatus[] {
	const listedStatuses = listed.map(getStatus);
	return nonPendingStatuses.filter((status) => !listedStatuses.includes(status));
}

/**
 * The exchanges of the account. The whole list is read first. If the service caps it, or it is not enough, lists per
 * status are read as well, in the order of the life cycle, so that an exchange that moves on meanwhile is seen twice rather
 * than missed, and its later entry is the newer one.
 */
export async function fetchExchanges(
	client: ApiClient,
	{ statuses = exchangeStatuses, extraStatuses = () => [], ...request }: ExchangesRequest = {},
): Promise<ListResult | ErrorResult> {
	const fullList = await fetchList(client, 'exchanges', request);
	if (isErrorResult(fullList)) return fullList;
	let { entries } = fullList;
	// Lists per status that were asked for before the whole one was there would miss an exchange that has moved on in between.
	const notBefore = Math.max(request.notBefore ?? -Infinity, fullList.completedAt);
	const statusLists: ListResult[] = [];
	for (const status of fullList.truncated ? statuses : extraStatuses(entries)) {
		const query = { status };
		const statusList = await fetchList(client, 'exchanges', { ...request, notBefore, query });
		if (isErrorResult(statusList)) return statusList;
		entries = entries.concat(statusList.entries);
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

/** Finds an exchange in the list, because there is no endpoint for a single one: every record of it, and the furthest. */
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
