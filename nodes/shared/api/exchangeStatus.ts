import type { IDataObject } from 'n8n-workflow';

import { quoteValue } from '../formatting/message';
import { isNonBlankScalar } from '../utils/ids';

/** The states of an exchange (service-api.md, "States and transitions"), in the order of its life. */
export const exchangeStatuses = ['pending', 'accepted', 'live', 'broken'] as const;

export type ExchangeStatus = (typeof exchangeStatuses)[number];

/**
 * The state that a record names in `status`, in upper or lower case; undefined when it names none of the documented ones. Lists,
 * answers and polls have no other reader of states.
 */
export function getStatus({ status }: IDataObject): ExchangeStatus | undefined {
	const normalized = typeof status === 'string' ? status.trim().toLowerCase() : undefined;
	return exchangeStatuses.find((status) => status === normalized);
}

/**
 * The entry of the furthest state among several of one exchange; among those that are as far, the last one, which was read
 * last. The state is undefined where it cannot be read, or there is no entry.
 */
export function getMostAdvanced(entries: IDataObject[]): {
	status?: ExchangeStatus;
	record?: IDataObject;
} {
	const statuses = entries.map(getStatus);
	const highestKnown = exchangeStatuses.filter((status) => statuses.includes(status)).at(-1);
	// An entry that cannot be read may be further than one that is pending.
	const status =
		highestKnown === 'pending' && statuses.includes(undefined) ? undefined : highestKnown;
	return { status, record: entries[statuses.lastIndexOf(status)] };
}

/** What a record has in the place of a state that can be read, for messages about it. */
export function describeStatus({ status }: IDataObject): string {
	return isNonBlankScalar(status) ? `"status": ${quoteValue(status)}` : 'no readable "status"';
}

/** The states of an offer that has been accepted, and paid for. */
export const acceptedStatuses: readonly ExchangeStatus[] = ['accepted', 'live'];

export function isAcceptedStatus(status: ExchangeStatus | undefined): boolean {
	return status !== undefined && acceptedStatuses.includes(status);
}
