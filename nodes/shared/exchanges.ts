import type { IDataObject } from 'n8n-workflow';

import type { ServiceConnection } from './connection';
import { isId } from './events';
import { type Explanation, isExplanation } from './explanation';
import { type ListResult, readWholeList } from './list';
import { isPaid, stateOf, states } from './state';

/** The states of an offer that has been accepted, and paid for. */
const paidStates = ['accepted', 'live'] as const;

export interface ExchangesRequest {
	/** Ask the service even if the list was read before in this run. */
	fresh?: boolean;
	/** Only these exchanges are kept; all of them without it. */
	keep?: (exchange: IDataObject) => boolean;
	/** No further page or list is fetched once this many are kept. */
	wanted?: number;
}

/**
 * Every exchange of the account. The whole list is read first. If the service caps it, or it does not hold what is looked
 * for, the lists per status are read as well, in the order of the life cycle: an exchange that moves on meanwhile is then
 * seen twice and never missed, and its later entry is the newer one.
 */
export async function readExchanges(
	connection: ServiceConnection,
	{ fresh, keep, wanted = Infinity }: ExchangesRequest = {},
): Promise<ListResult | Explanation> {
	const request = {
		name: 'exchanges' as const,
		path: ['exchanges'],
		action: 'list the exchanges',
		fresh,
		keep,
		wanted,
	};
	const whole = await readWholeList(connection, request);
	if (isExplanation(whole) || whole.entries.length >= wanted) return whole;
	// What is not in a list that seems complete may still be in the lists that tell of spent credits.
	const isLookedFor = wanted < Infinity;
	const statuses = whole.truncated ? states : isLookedFor ? paidStates : [];
	if (statuses.length === 0) return whole;

	let { entries } = whole;
	let truncated = false;
	for (const status of statuses) {
		const part = await readWholeList(connection, { ...request, query: { status } });
		if (isExplanation(part)) return part;
		entries = entries.concat(part.entries);
		truncated ||= part.truncated;
		if (entries.length >= wanted) break;
	}
	return { entries, truncated };
}

/** What the service's list says of an exchange; `record` is undefined when no list holds it. */
export interface Sighting {
	record: IDataObject | undefined;
	/** The service has more exchanges than it lists. */
	truncated: boolean;
}

/** Looks an exchange up in the list, because there is no endpoint for a single one. */
export async function findExchange(
	connection: ServiceConnection,
	id: string,
	{ fresh }: { fresh: boolean },
): Promise<Sighting | Explanation> {
	const keep = (entry: IDataObject) => isId(entry.id) && String(entry.id) === id;
	const result = await readExchanges(connection, { fresh, keep, wanted: 1 });
	if (isExplanation(result)) return result;
	return { record: result.entries[0], truncated: result.truncated };
}

/** Accepted or live: the offer has been accepted, and paid for. */
export function isAccepted(exchange: IDataObject | undefined): boolean {
	return exchange !== undefined && isPaid(stateOf(exchange));
}
