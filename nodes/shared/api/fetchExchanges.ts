import type { IDataObject } from 'n8n-workflow';

import type { OwnSites } from '../sites/ownSites';
import type { ApiClient } from '../transport/apiClient';
import { type CacheOptions, recentMs } from '../transport/requestCache';
import { createYielder } from '../transport/yieldToEventLoop';
import { groupById } from '../utils/ids';
import { monotonicNow } from '../utils/time';
import { acceptedStatuses, Exchange } from './exchange';
import { fetchList, type ListRequest, type ListResult } from './fetchList';
import {
	type ExchangeStatus,
	exchangeStatuses,
	fillInStatus,
	getStatus,
} from './forms/exchangeStatus';
import { fetchOwnSites } from './ownSites';

const minLookupIntervalMs = 10 * 60_000;

interface ExchangesRequest extends CacheOptions, Pick<ListRequest, 'id'> {
	/** Returns statuses whose lists are also fetched, based on the full list. */
	extraStatuses?: (listed: IDataObject[]) => readonly ExchangeStatus[];
}

export interface ExchangeList extends Omit<ListResult, 'entries'> {
	/** Each exchange once, in the order of the list. */
	exchanges: Exchange[];
}

export const nonPendingStatuses = exchangeStatuses.filter((status) => status !== 'pending');

/**
 * Returns the statuses after pending of which the list contains no exchange. The service may leave
 * some out of a list without a status filter.
 */
export function getMissingStatuses(listed: IDataObject[]): readonly ExchangeStatus[] {
	const listedStatuses = listed.map(getStatus);
	return nonPendingStatuses.filter((status) => !listedStatuses.includes(status));
}

/**
 * Fetches the exchanges of the account, and its sites, which show their direction.
 *
 * If it lacks statuses, their lists follow, in the order of the life cycle: an exchange that
 * advances in between appears twice instead of being missed, and its later entry is the newer one.
 *
 * @throws {ServiceError} if a request fails
 */
export async function fetchExchanges(
	client: ApiClient,
	{ extraStatuses = () => [], ...request }: ExchangesRequest = {},
): Promise<ExchangeList> {
	let list = await fetchList(client, 'exchanges', request);
	// Lists per status that were requested before the full list arrived would miss an exchange that
	// advanced in between.
	const notBefore = Math.max(request.notBefore ?? -Infinity, list.completedAt);
	for (const status of extraStatuses(list.entries)) {
		const query = { status };
		const { entries, truncated, completedAt } = await fetchList(client, 'exchanges', {
			...request,
			notBefore,
			query,
		});
		list = {
			...list,
			entries: list.entries.concat(entries.map((entry) => fillInStatus(entry, status))),
			truncated: list.truncated || truncated,
			completedAt: Math.max(list.completedAt, completedAt),
		};
	}
	const { entries, ...rest } = list;
	// The service decides about an exchange that isn't listed.
	const isMissing = request.id !== undefined && entries.length === 0;
	const groups = [...groupById(entries).values()];
	return { ...rest, exchanges: isMissing ? [] : await parseAll(client, groups) };
}

/**
 * Fetches one list of exchanges, as the service returns it. In a list that is filtered by status,
 * an exchange without one has that status.
 *
 * @throws {ServiceError} if a request fails
 */
export async function listExchanges(client: ApiClient, request: ListRequest) {
	const { entries, ...list } = await fetchList(client, 'exchanges', request);
	const status = exchangeStatuses.find((each) => each === request.query?.status);
	const groups = entries.map((record) => [status ? fillInStatus(record, status) : record]);
	return { ...list, entries: await parseAll(client, groups) };
}

/**
 * Searches the list for an exchange, because there is no endpoint for a single one.
 *
 * @param fallbackStatuses statuses whose lists are searched, too, if the full list lacks it
 * @throws {ServiceError} if a request fails
 */
export async function findExchange(
	client: ApiClient,
	id: string,
	cacheOptions: CacheOptions = {},
	fallbackStatuses: readonly ExchangeStatus[] = acceptedStatuses,
): Promise<Omit<ExchangeList, 'exchanges'> & { exchange: Exchange | undefined }> {
	const extraStatuses = (entries: IDataObject[]) => (entries.length === 0 ? fallbackStatuses : []);
	const { exchanges, ...list } = await fetchExchanges(client, {
		...cacheOptions,
		id,
		extraStatuses,
	});
	return { ...list, exchange: exchanges[0] };
}

/**
 * Parses exchanges. If your sites include neither end of one, they are fetched again, at most once
 * in ten minutes: its site may have been added meanwhile.
 */
async function parseAll(client: ApiClient, groups: IDataObject[][]): Promise<Exchange[]> {
	const yieldIfBusy = createYielder(client.signal);
	const parse = async (ownSites: OwnSites) => {
		const exchanges: Exchange[] = [];
		for (const records of groups) {
			exchanges.push(Exchange.parse(records, ownSites));
			await yieldIfBusy();
		}
		return exchanges;
	};
	const known = await fetchOwnSites(client);
	const exchanges = await parse(known);
	if (exchanges.every(({ hasOwnSite }) => hasOwnSite)) return exchanges;
	const { account } = client;
	const sinceLookupMs = monotonicNow() - account.sitesLookedUpAt;
	// Others that look for a site at the same time share the response.
	if (sinceLookupMs > recentMs && sinceLookupMs < minLookupIntervalMs) return exchanges;
	if (sinceLookupMs > recentMs) account.sitesLookedUpAt = monotonicNow();
	const latest = await fetchOwnSites(client, recentMs);
	return latest === known ? exchanges : await parse(latest);
}
