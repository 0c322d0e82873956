import { BoundedMap } from '../../shared/utils/boundedMap';

/** Milliseconds after which a request that ended unclear has shown in the list, if it was carried out. */
const settlingTime = 60_000;

/** The last request of this process for an offer or a site, and how it ended. */
interface LastRequest {
	/** By `steadyNow`. A list that was asked for before it may not show it. */
	endedAt: number;
	ended: 'done' | 'refused' | 'unclear';
}

/** The last request for each offer and site, by its key. */
export const lastRequests = new BoundedMap<string, LastRequest>(10_000);

/** The moment, by `steadyNow`, since which a list has to be asked for, so that it shows the last request for this key. */
export function afterLastRequest(key: string): number {
	// What was asked for in the same millisecond may not show it.
	return (lastRequests.get(key)?.endedAt ?? -Infinity) + 1;
}

/**
 * Whether the last request for this key may have been carried out without showing yet.
 * @param requestedAt when the list that does not show it was asked for, by `steadyNow`
 */
export function mayStillShow(key: string, requestedAt: number): boolean {
	const last = lastRequests.get(key);
	return last?.ended === 'unclear' && requestedAt - last.endedAt < settlingTime;
}
