/** Keeps pieces of work with the same key apart, within this process, in the order in which they came. */
export class Turns {
	readonly #last = new Map<string, Promise<unknown>>();

	/**
	 * Runs `work` when no other work with this key is under way.
	 * @throws whatever `work` throws, or the signal's reason if it fires while others still have their turn
	 */
	async inTurn<Result>(
		key: string,
		work: () => Promise<Result>,
		signal?: AbortSignal,
	): Promise<Result> {
		const before = this.#last.get(key) ?? Promise.resolve();
		const turn = untilAborted(before, signal).then(work);
		// Whoever comes next waits for those before as well, even if this one has given up.
		const over = before.then(async () => await turn).catch(() => undefined);
		this.#last.set(key, over);
		void over.then(() => {
			if (this.#last.get(key) === over) this.#last.delete(key);
		});
		return await turn;
	}
}

/** Waits for a promise that never rejects, or until the signal fires. */
async function untilAborted(promise: Promise<unknown>, signal?: AbortSignal): Promise<void> {
	if (signal === undefined) {
		await promise;
		return;
	}
	signal.throwIfAborted();
	let stop = () => {};
	const aborted = new Promise<never>((_resolve, reject) => {
		stop = () => {
			reject(signal.reason as Error);
		};
		signal.addEventListener('abort', stop);
	});
	try {
		await Promise.race([promise, aborted]);
	} finally {
		signal.removeEventListener('abort', stop);
	}
}
