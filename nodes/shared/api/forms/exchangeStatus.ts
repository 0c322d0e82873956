/** The forms of an exchange's status. service-api.md shows its four values, and nothing else. */
import type { IDataObject } from 'n8n-workflow';

import { quoteValue } from '../../formatting/message';
import { isNonBlankScalar } from '../../utils/ids';

/**
 * Statuses of an exchange (service-api.md, "States and transitions"), in the order of its life
 * cycle.
 */
export const exchangeStatuses = ['pending', 'accepted', 'live', 'broken'] as const;

export type ExchangeStatus = (typeof exchangeStatuses)[number];

/**
 * `closed`: not documented, such as `declined` or `expired`, so it's neither an offer nor in any
 * other documented state.
 */
export type Status = ExchangeStatus | 'closed';

/** From the least to the most advanced status. */
const order = ['pending', undefined, 'closed', 'accepted', 'live', 'broken'] as const;

/**
 * Parses the status of a record, in upper or lower case.
 *
 * @returns `undefined` if it's missing or can't be read
 */
export function getStatus({ status }: IDataObject): Status | undefined {
	const normalized = typeof status === 'string' ? status.trim().toLowerCase() : '';
	if (normalized === '') return undefined;
	return exchangeStatuses.find((status) => status === normalized) ?? 'closed';
}

/** Returns the most advanced of the records of an exchange; among equals the last. */
export function getMostAdvanced(records: readonly IDataObject[]): IDataObject {
	let best: { rank: number; record: IDataObject } | undefined;
	for (const record of records) {
		const rank = order.indexOf(getStatus(record));
		if (best === undefined || rank >= best.rank) best = { rank, record };
	}
	return best?.record ?? {};
}

/** Filled-in records, so that the same record of a list gives the same object each time. */
const filledIn = new WeakMap<IDataObject, IDataObject>();

/** Returns a record of a list that was filtered by status, with this status if it has none. */
export function fillInStatus(record: IDataObject, status: ExchangeStatus): IDataObject {
	if (isNonBlankScalar(record.status)) return record;
	const known = filledIn.get(record);
	if (known?.status === status) return known;
	const result = { ...record, status };
	filledIn.set(record, result);
	return result;
}

/** Describes a record's unreadable status for messages. */
export function describeStatus({ status }: IDataObject): string {
	return isNonBlankScalar(status)
		? `"status": ${quoteValue(status)}`
		: 'no "status" that the node can read';
}
