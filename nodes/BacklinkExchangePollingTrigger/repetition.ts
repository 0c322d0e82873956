import type { IDataObject } from 'n8n-workflow';

/** Characters of what is kept. n8n writes it all with each execution of the trigger. */
const most = 500_000;

/** How often an event is repeated at least, however rare the looks are. */
const leastTimes = 3;

/** Milliseconds for which it is repeated, counted from the first repetition, or from the start of n8n if that is later. */
const longest = 30 * 60_000;

/** The same, however often n8n starts. */
const longestOverStarts = 12 * 60 * 60_000;

/** An event that was given out, how often it was repeated, and when for the first time (epoch milliseconds). */
export interface GivenOut {
	item: IDataObject;
	times: number;
	repeatedAt?: number;
}

/**
 * What earlier looks gave out, once more. n8n saves that an event was given out, and then starts the execution; if it is
 * stopped in between, or the execution is, nobody has worked on it. If n8n stops again and again, it looks at each start and
 * is stopped before the work is done, so what counts is how long it has been running.
 * @param kept what `keepForLaterLooks` returned; nothing is repeated of anything else
 * @param now epoch milliseconds
 */
export function repetitions(kept: unknown, now: number): GivenOut[] {
	return read(kept)
		.filter(({ times, repeatedAt = now }) => {
			const since = Math.max(repeatedAt, performance.timeOrigin);
			const isOver = now - since > longest || now - repeatedAt > longestOverStarts;
			return times < leastTimes || !isOver;
		})
		.map(({ item, times, repeatedAt = now }) => ({ item, times: times + 1, repeatedAt }));
}

/** As text for the state: n8n wraps every object in its static data in a proxy. The latest are kept, as many as fit. */
export function keepForLaterLooks(givenOut: GivenOut[]): string | undefined {
	let length = 0;
	const kept = [...givenOut].reverse().filter((each) => {
		const own = JSON.stringify(each).length;
		if (length + own > most) return false;
		length += own;
		return true;
	});
	return kept.length === 0 ? undefined : JSON.stringify(kept.reverse());
}

function read(kept: unknown): GivenOut[] {
	if (typeof kept !== 'string') return [];
	try {
		return JSON.parse(kept) as GivenOut[];
	} catch {
		return [];
	}
}
