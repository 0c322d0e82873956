/** Keeps pieces of work with the same key apart, within this process, in the order in which they came. */
export class Turns {
	readonly #last = new Map<string, Promise<unknown>>();

	/** Runs `work` when no other work with this key is under way. */
	async inTurn<Result>(key: string, work: () => Promise<Result>): Promise<Result> {
		const before = this.#last.get(key) ?? Promise.resolve();
		const turn = before.then(work, work);
		this.#last.set(key, turn);
		try {
			return await turn;
		} finally {
			if (this.#last.get(key) === turn) this.#last.delete(key);
		}
	}
}
