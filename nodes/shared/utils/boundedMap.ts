/** Map with a maximum size. It evicts the entry that was set the longest ago. */
export class BoundedMap<Key, Value> extends Map<Key, Value> {
	readonly #maxSize: number;

	constructor(maxSize: number) {
		super();
		this.#maxSize = maxSize;
	}

	/** Sets an entry. An existing entry becomes the newest one, too. */
	override set(key: Key, value: Value): this {
		this.delete(key);
		super.set(key, value);
		const [oldest = key] = this.keys();
		if (this.size > this.#maxSize) this.delete(oldest);
		return this;
	}

	/** Returns an entry, or creates it. It becomes the newest one in both cases. */
	getOrCreate(key: Key, create: () => Value): Value {
		const value = this.get(key) ?? create();
		this.set(key, value);
		return value;
	}
}
