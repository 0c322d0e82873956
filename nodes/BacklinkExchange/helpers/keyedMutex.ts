import { raceWithAbort } from '../../shared/transport/delay';

/** The end of the work that came last, for each key: accounts, offers and sites that are worked on. */
const tails = new Map<string, Promise<unknown>>();

/**
 * Runs `work` when no other work of this process with the same key is under way, in the order in which they came.
 * @throws whatever `work` throws, or the signal's reason if it fires while others still have their turn
 */
export async function runExclusive<Result>(
	key: string,
	task: () => Promise<Result>,
	signal?: AbortSignal,
): Promise<Result> {
	const previous = tails.get(key) ?? Promise.resolve();
	const result = raceWithAbort(previous, signal).then(task);
	// Whoever comes next waits for those before as well, even if this one has given up.
	const tail = previous.then(async () => await result).catch(() => undefined);
	tails.set(key, tail);
	void tail.then(() => {
		if (tails.get(key) === tail) tails.delete(key);
	});
	return await result;
}
