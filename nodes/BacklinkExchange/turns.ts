import { orAborted } from '../shared/service/pause';

/** Keeps pieces of work with the same key apart, in the order in which they came. */
class Turns {
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
		const turn = orAborted(before, signal).then(work);
		// Whoever comes next waits for those before as well, even if this one has given up.
		const over = before.then(async () => await turn).catch(() => undefined);
		this.#last.set(key, over);
		void over.then(() => {
			if (this.#last.get(key) === over) this.#last.delete(key);
		});
		return await turn;
	}
}

/** The turns of this process: for accounts, offers and sites that are worked on, and for nodes' records in n8n's database. */
export const turns = new Turns();
