/**
 * Runs a task for each entry with limited concurrency. After the first failure, no other starts.
 *
 * @throws the error of a failed task, after all running tasks have ended
 */
export async function forEachConcurrent<Entry>(
	concurrency: number,
	entries: Entry[],
	task: (entry: Entry) => Promise<void>,
): Promise<void> {
	// The workers share one generator: a loop that throws closes it, which stops the others.
	const remaining = (function* () {
		yield* entries;
	})();
	const worker = async () => {
		for (const entry of remaining) await task(entry);
	};
	const workers = await Promise.allSettled(Array.from({ length: concurrency }, worker));
	const rejected = workers.find((worker) => worker.status === 'rejected');
	if (rejected) throw rejected.reason as Error;
}
