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
 * @returns `undefined` if the status is missing or not documented
 */
export function getStatus({ status }: IDataObject): ExchangeStatus | undefined {
	const normalized = typeof status === 'string' ? status.trim().toLowerCase() : undefined;
	return exchangeStatuses.find((status) => status === normalized);
}

/**
 * Returns the most advanced of several records of one exchange; among equals the last, which was
 * fetched last.
 *
 * `status` is `undefined` if it can't be determined, or if there are no records.
 */
export function getMostAdvanced(entries: IDataObject[]): {
	status?: ExchangeStatus;
	record?: IDataObject;
} {
	const statuses = entries.map(getStatus);
	const highestKnown = exchangeStatuses.filter((status) => statuses.includes(status)).at(-1);
	// A record without a readable status may be more advanced than a pending one.
	const status =
		highestKnown === 'pending' && statuses.includes(undefined) ? undefined : highestKnown;
	return { status, record: entries[statuses.lastIndexOf(status)] };
}

/** Describes a record's unreadable status for messages. */
export function describeStatus({ status }: IDataObject): string {
	return isNonBlankScalar(status) ? `"status": ${quoteValue(status)}` : 'no readable "status"';
}

/** Statuses of an accepted offer, for which credits were spent. */
export const acceptedStatuses: readonly ExchangeStatus[] = ['accepted', 'live'];

export function isAcceptedStatus(status: ExchangeStatus | undefined): boolean {
	return status !== undefined && acceptedStatuses.includes(status);
}
