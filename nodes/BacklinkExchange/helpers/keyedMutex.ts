import { raceWithAbort } from '../../shared/transport/delay';

/** The end of the work that came last, for each key: accounts, offers and sites that are worked on. */
const last = new Map<string, Promise<unknown>>();

/**
 * Runs `work` when no other work of this process with the same key is under way, in the order in which they came.
 * @throws whatever `work` throws, or the signal's reason if it fires while others still have their turn
 */
export async function inTurn<Result>(
	key: string,
	work: () => Promise<Result>,
	signal?: AbortSignal,
): Promise<Result> {
	const before = last.get(key) ?? Promise.resolve();
	const turn = raceWithAbort(before, signal).then(work);
	// Whoever comes next waits for those before as well, even if this one has given up.
	const over = before.then(async () => await turn).catch(() => undefined);
	last.set(key, over);
	void over.then(() => {
		if (last.get(key) === over) last.delete(key);
	});
	return await turn;
}
