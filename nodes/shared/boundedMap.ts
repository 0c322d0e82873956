/** A map of at most so many entries: when there is one more, that is forgotten which was set the longest ago. */
export class BoundedMap<Key, Value> extends Map<Key, Value> {
	readonly #most: number;

	constructor(most: number) {
		super();
		this.#most = most;
	}

	/** Sets an entry, which is the newest then, also if it was there before. */
	override set(key: Key, value: Value): this {
		this.delete(key);
		super.set(key, value);
		const [oldest = key] = this.keys();
		if (this.size > this.#most) this.delete(oldest);
		return this;
	}
}
