import type { IDataObject } from 'n8n-workflow';

import { BoundedMap } from '../../shared/utils/boundedMap';
import { monotonicNow } from '../../shared/utils/time';

/** After this time, lists and the balance show every request that was processed. */
export const consistencyDelayMs = 60_000;

type WriteResult = 'succeeded' | 'rejected' | 'unknown';

/** Last accept or create request of this process for an offer or a site. */
interface RecentWrite {
	/** Monotonic. A list that was requested earlier may not show the write. */
	completedAt: number;
	result: WriteResult;
	/** The created record, if the request succeeded. */
	record?: IDataObject;
}

/** By the scoped key of the offer or site. */
const recentWrites = new BoundedMap<string, RecentWrite>(10_000);

/** Stores the result of a request that has just ended, and the record that it created. */
export function recordWrite(key: string, result: WriteResult, record?: IDataObject): void {
	recentWrites.set(key, { completedAt: monotonicNow(), result, record });
}

/**
 * Returns the record that this process created within the last minute, which the list may not show
 * yet.
 */
export function getRecentRecord(key: string): IDataObject | undefined {
	const { completedAt = -Infinity, record } = recentWrites.get(key) ?? {};
	return monotonicNow() - completedAt < consistencyDelayMs ? record : undefined;
}

/** Marks the last write, if there is one, as succeeded, without changing when it was completed. */
export function confirmWrite(key: string): void {
	const write = recentWrites.get(key);
	if (write) recentWrites.set(key, { ...write, result: 'succeeded' });
}

export function getRecentWrite(key: string): Readonly<RecentWrite> | undefined {
	return recentWrites.get(key);
}

/**
 * Returns the earliest time of a list request whose response shows the last write (monotonic).
 */
export function getMinReadTime(key: string): number {
	// A list that was requested within the same millisecond may not show the write.
	return (recentWrites.get(key)?.completedAt ?? -Infinity) + 1;
}

/**
 * Returns whether the last write may have been processed without being in the list yet.
 *
 * @param requestedAt when the list that doesn't show it was requested (monotonic)
 */
export function mayStillAppear(key: string, requestedAt: number): boolean {
	return getResultAfter(key, requestedAt) === 'unknown';
}

/**
 * Returns whether the last write succeeded within a minute before a list was requested, so that the
 * list may not show it yet.
 *
 * @param requestedAt when the list was requested (monotonic)
 */
export function hasRecentSuccess(key: string, requestedAt: number): boolean {
	return getResultAfter(key, requestedAt) === 'succeeded';
}

/** Returns the result of the last write, if a list may not show it yet. */
function getResultAfter(key: string, requestedAt: number): WriteResult | undefined {
	const { completedAt = -Infinity, result } = recentWrites.get(key) ?? {};
	return requestedAt - completedAt < consistencyDelayMs ? result : undefined;
}
