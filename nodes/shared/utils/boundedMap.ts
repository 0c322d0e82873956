/** A map with a limited number of entries, which forgets the one that was set the longest ago to make room for another. */
export class BoundedMap<Key, Value> extends Map<Key, Value> {
	readonly #maxSize: number;

	constructor(maxSize: number) {
		super();
		this.#maxSize = maxSize;
	}

	/** Sets an entry, and makes it the newest one, even if it was there before. */
	override set(key: Key, value: Value): this {
		this.delete(key);
		super.set(key, value);
		const [oldest = key] = this.keys();
		if (this.size > this.#maxSize) this.delete(oldest);
		return this;
	}

	/** The entry, which is made where there is none, and is the newest one then. */
	getOrCreate(key: Key, create: () => Value): Value {
		const value = this.get(key) ?? create();
		this.set(key, value);
		return value;
	}
}
