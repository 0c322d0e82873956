import { raceWithAbort } from '../../shared/transport/delay';

/** The end of the last task of each key: an account, an offer or a site. */
const tails = new Map<string, Promise<unknown>>();

/**
 * Runs a task under a mutex: tasks of this process with the same key run one after the other, in
 * the order of the calls. Workers of n8n's queue mode don't share it.
 *
 * @throws the error of the task, or the signal's reason if it is aborted while the task waits
 */
export async function runExclusive<Result>(
	key: string,
	task: () => Promise<Result>,
	signal?: AbortSignal,
): Promise<Result> {
	const previous = tails.get(key) ?? Promise.resolve();
	const result = raceWithAbort(previous, signal).then(task);
	// The next task also waits for the previous ones, even if this one was aborted while waiting.
	const tail = previous.then(async () => await result).catch(() => undefined);
	tails.set(key, tail);
	void tail.then(() => {
		if (tails.get(key) === tail) tails.delete(key);
	});
	return await result;
}
