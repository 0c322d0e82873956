import type { IDataObject } from 'n8n-workflow';

import { type ErrorResult, isErrorResult } from '../errors';
import type { ApiClient } from '../transport/apiClient';
import type { CacheOptions } from '../transport/requestCache';
import { furthest, paidStates, type State, stateOf, states } from './exchangeStatus';
import { type ListRequest, type ListResult, readWholeList } from './fetchList';

interface ExchangesRequest extends CacheOptions, Pick<ListRequest, 'id'> {
	/** The states of which no exchange may be missing; all of them if left out. */
	wanted?: readonly State[];
	/** Names the states whose lists are read as well, by what the whole list shows. */
	alsoIn?: (listed: IDataObject[]) => readonly State[];
}

export const afterPending = states.filter((state) => state !== 'pending');

/** The states after pending of which the whole list shows no exchange: a service may leave some out where no status is asked for. */
export function notListed(listed: IDataObject[]): readonly State[] {
	const shown = listed.map(stateOf);
	return afterPending.filter((state) => !shown.includes(state));
}

/**
 * The exchanges of the account. The whole list is read first. If the service caps it, or it is not enough, lists per
 * status are read as well, in the order of the life cycle, so that an exchange that moves on meanwhile is seen twice rather
 * than missed, and its later entry is the newer one.
 */
export async function readExchanges(
	client: ApiClient,
	{ wanted = states, alsoIn = () => [], ...request }: ExchangesRequest = {},
): Promise<ListResult | ErrorResult> {
	const whole = await readWholeList(client, 'exchanges', request);
	if (isErrorResult(whole)) return whole;
	let { entries } = whole;
	// Lists per status that were asked for before the whole one was there would miss an exchange that has moved on in between.
	const notBefore = whole.completedAt;
	const parts: ListResult[] = [];
	for (const status of whole.truncated ? wanted : alsoIn(entries)) {
		const query = { status };
		const part = await readWholeList(client, 'exchanges', { ...request, notBefore, query });
		if (isErrorResult(part)) return part;
		entries = entries.concat(part.entries);
		parts.push(part);
	}
	const completedAt = Math.max(notBefore, ...parts.map((part) => part.completedAt));
	return { ...whole, entries, completedAt, truncated: parts.some(({ truncated }) => truncated) };
}

/** Finds an exchange in the list, because there is no endpoint for a single one: every record of it, and the furthest. */
export async function findExchange(
	client: ApiClient,
	id: string,
	{ ifMissing = paidStates, ...cacheOptions }: CacheOptions & { ifMissing?: readonly State[] },
): Promise<(ListResult & ReturnType<typeof furthest>) | ErrorResult> {
	const alsoIn = (found: IDataObject[]) => (found.length === 0 ? ifMissing : []);
	const result = await readExchanges(client, { ...cacheOptions, id, alsoIn });
	return isErrorResult(result) ? result : { ...furthest(result.entries), ...result };
}
