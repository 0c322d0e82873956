/**
 * Works on all entries, at most `most` of them at the same time. After the first that throws, no other is begun.
 * @throws what the work on an entry threw, once all work that was under way has ended
 */
export async function forEachConcurrent<Entry>(
	concurrency: number,
	entries: Entry[],
	task: (entry: Entry) => Promise<void>,
): Promise<void> {
	// A loop that throws closes the generator, for the other loops as well.
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
