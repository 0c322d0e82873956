import { BoundedMap } from '../../shared/utils/boundedMap';

/** Milliseconds after which a request that ended unclear has shown in the list, if it was carried out. */
const consistencyDelayMs = 60_000;

/** The last request of this process for an offer or a site, and how it ended. */
interface RecentWrite {
	/** By `steadyNow`. A list that was asked for before it may not show it. */
	completedAt: number;
	result: 'succeeded' | 'rejected' | 'unknown';
}

/** The last request for each offer and site, by its key. */
export const recentWrites = new BoundedMap<string, RecentWrite>(10_000);

/** The moment, by `steadyNow`, since which a list has to be asked for, so that it shows the last request for this key. */
export function getMinReadTime(key: string): number {
	// What was asked for in the same millisecond may not show it.
	return (recentWrites.get(key)?.completedAt ?? -Infinity) + 1;
}

/**
 * Whether the last request for this key may have been carried out without showing yet.
 * @param requestedAt when the list that does not show it was asked for, by `steadyNow`
 */
export function mayStillAppear(key: string, requestedAt: number): boolean {
	const lastWrite = recentWrites.get(key);
	return (
		lastWrite?.result === 'unknown' && requestedAt - lastWrite.completedAt < consistencyDelayMs
	);
}
