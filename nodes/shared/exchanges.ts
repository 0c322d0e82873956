import type { IDataObject } from 'n8n-workflow';

import type { ServiceConnection } from './connection';
import { type Explanation, isExplanation } from './explanation';
import { isId } from './identity';
import { type ListResult, readWholeList } from './list';
import { furthestState, type State, stateOf, states } from './state';

/** The states of an offer that has been accepted, and paid for. */
const paidStates = ['accepted', 'live'] as const;

interface ExchangesRequest {
	/** Ask the service even if the list was read before in this run. */
	fresh?: boolean;
	/** Only these exchanges are kept; all of them without it. */
	keep?: (exchange: IDataObject) => boolean;
	/** If none is kept, the lists of these states are read as well, until one is. */
	alsoIn?: readonly State[];
}

/**
 * Every exchange of the account. The whole list is read first. If the service caps it, or it does not hold what is looked
 * for, the lists per status are read as well, in the order of the life cycle: an exchange that moves on meanwhile is then
 * seen twice and never missed, and its later entry is the newer one.
 */
export async function readExchanges(
	connection: ServiceConnection,
	{ fresh, keep, alsoIn }: ExchangesRequest = {},
): Promise<ListResult | Explanation> {
	const request = {
		name: 'exchanges' as const,
		path: ['exchanges'],
		action: 'list the exchanges',
		fresh,
		keep,
	};
	const whole = await readWholeList(connection, request);
	if (isExplanation(whole)) return whole;
	const isFound = ({ entries }: ListResult) => alsoIn !== undefined && entries.length > 0;
	if (isFound(whole)) return whole;
	const more = whole.truncated ? states : (alsoIn ?? []);

	let list = whole;
	for (const [index, status] of more.entries()) {
		const part = await readWholeList(connection, { ...request, query: { status } });
		if (isExplanation(part)) return part;
		list = {
			entries: list.entries.concat(part.entries),
			truncated: part.truncated || (index > 0 && list.truncated),
		};
		if (isFound(list)) break;
	}
	return list;
}

/** What the lists of the service say of one exchange. */
export interface FoundExchange {
	/** The record of its furthest state; undefined when no list holds it. */
	record: IDataObject | undefined;
	/** Undefined when it is not listed, or its state cannot be read. */
	state: State | undefined;
	/** Every record of it, in whatever state. */
	entries: IDataObject[];
	/** The service has more exchanges than it lists. */
	truncated: boolean;
}

interface FindOptions {
	/** Ask the service even if the list was read before in this run. */
	fresh?: boolean;
	/** Of an exchange that the whole list does not show: the further lists that are read. Those that tell of spent credits. */
	alsoIn?: readonly State[];
}

/**
 * Looks an exchange up in the list, because there is no endpoint for a single one. Of several entries of it, the furthest
 * state counts.
 */
export async function findExchange(
	connection: ServiceConnection,
	id: string,
	{ fresh, alsoIn = paidStates }: FindOptions,
): Promise<FoundExchange | Explanation> {
	const isIt = (entry: IDataObject) => isId(entry.id) && String(entry.id) === id;
	const result = await readExchanges(connection, { fresh, keep: isIt, alsoIn });
	if (isExplanation(result)) return result;
	const { entries, truncated } = result;
	const state = furthestState(entries);
	const record = entries.find((entry) => stateOf(entry) === state);
	return { record, state, entries, truncated };
}
