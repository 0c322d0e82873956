import type { IDataObject } from 'n8n-workflow';

import { quoteValue } from '../formatting/message';
import { isNonBlankScalar } from '../utils/ids';

/**
 * Statuses of an exchange (service-api.md, "States and transitions"), in the order of its life
 * cycle.
 */
export const exchangeStatuses = ['pending', 'accepted', 'live', 'broken'] as const;

export type ExchangeStatus = (typeof exchangeStatuses)[number];

/**
 * Parses the status of a record, in upper or lower case. The only parser of statuses.
 *
 * @returns `undefined` if the status is missing or not documented (see `isClosed`)
 */
export function getStatus({ status }: IDataObject): ExchangeStatus | undefined {
	const normalized = typeof status === 'string' ? status.trim().toLowerCase() : undefined;
	return exchangeStatuses.find((status) => status === normalized);
}

/**
 * Returns whether a record has a status that isn't documented, such as `declined` or `expired`: the
 * exchange is neither an offer nor in any other documented state. A missing status, or one that
 * isn't text, can't be read instead.
 */
export function isClosed(record: IDataObject): boolean {
	return hasStatusText(record) && getStatus(record) === undefined;
}

/** Returns a record of a list that was filtered by status, with this status if it has none. */
export function fillInStatus(record: IDataObject, status: ExchangeStatus): IDataObject {
	return isNonBlankScalar(record.status) ? record : { ...record, status };
}

/**
 * Returns the most advanced of several records of one exchange; among equals the last, which was
 * fetched last. A closed record is more advanced than a pending one.
 *
 * `status` is `undefined` if it can't be determined, if the exchange is closed, or if there are no
 * records.
 */
export function getMostAdvanced(entries: IDataObject[]): {
	status?: ExchangeStatus;
	record?: IDataObject;
} {
	const statuses = entries.map(getStatus);
	const highestKnown = exchangeStatuses.filter((status) => statuses.includes(status)).at(-1);
	if (highestKnown === undefined || highestKnown === 'pending') {
		const closedRecord = entries.filter(isClosed).at(-1);
		if (closedRecord !== undefined) return { record: closedRecord };
	}
	// A record without a readable status may be more advanced than a pending one.
	const status =
		highestKnown === 'pending' && statuses.includes(undefined) ? undefined : highestKnown;
	return { status, record: entries[statuses.lastIndexOf(status)] };
}

/** Describes a record's unreadable status for messages. */
export function describeStatus({ status }: IDataObject): string {
	return isNonBlankScalar(status)
		? `"status": ${quoteValue(status)}`
		: 'no "status" that the node can read';
}

/** Statuses of an accepted offer, for which credits were spent. */
export const acceptedStatuses: readonly ExchangeStatus[] = ['accepted', 'live'];

export function isAcceptedStatus(status: ExchangeStatus | undefined): boolean {
	return status !== undefined && acceptedStatuses.includes(status);
}

function hasStatusText({ status }: IDataObject): boolean {
	return typeof status === 'string' && status.trim() !== '';
}
