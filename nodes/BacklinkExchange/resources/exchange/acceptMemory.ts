import type { IDataObject } from 'n8n-workflow';

/** How long an outcome is remembered at least, whatever the list says; in milliseconds. */
const lifetime = 24 * 60 * 60_000;
const mostRemembered = 10_000;
/** A larger record is not kept: bytes of JSON. */
const largestRecord = 4096;

/** What this process knows of an exchange that it has asked for, or seen as accepted. */
export type Remembered =
	/** Seen as accepted or live: not sent again, after 24 hours only if the list shows it as pending. */
	| { state: 'accepted'; at: number; record?: IDataObject }
	/** A request was sent at this time, and what became of it has not been seen. */
	| { state: 'unknown'; at: number }
	/** A request was sent, and the service declined it: the list is read before the next one, whatever the options say. */
	| { state: 'asked'; at: number };

/**
 * What became of accepts, for all executions of this process, so that none pays a second time because a list lags or
 * leaves something out. Bounded: when it is full, what is oldest of the settled goes first; what is unknown stays for 24
 * hours.
 * Other processes and a restarted one do not have it (docs/decisions/0003-accept-is-paid-once.md).
 */
export class AcceptMemory {
	/** In the order in which they were last written. */
	readonly #entries = new Map<string, Remembered>();

	readonly #most: number;

	constructor(most = mostRemembered) {
		this.#most = most;
	}

	recall(key: string): Remembered | undefined {
		return this.#entries.get(key);
	}

	/** To be called before a request is sent. False: there is no room to remember it, so it must not be sent. */
	posting(key: string): boolean {
		this.#entries.delete(key);
		if (!this.#makeRoom()) return false;
		this.#entries.set(key, { state: 'unknown', at: Date.now() });
		return true;
	}

	accepted(key: string, record?: IDataObject): void {
		const isSmall = record !== undefined && JSON.stringify(record).length <= largestRecord;
		this.#write(key, { state: 'accepted', at: Date.now(), ...(isSmall && { record }) });
	}

	/** After a request that was not carried out: what was known before it, or at least that it was sent. */
	declined(key: string, before: Remembered | undefined): void {
		this.#write(key, before ?? { state: 'asked', at: Date.now() });
	}

	/** After a request that never left. */
	notSent(key: string, before: Remembered | undefined): void {
		if (before === undefined) this.#entries.delete(key);
		else this.#write(key, before);
	}

	#write(key: string, entry: Remembered): void {
		this.#entries.delete(key);
		// What cannot be kept is looked up in the list the next time.
		if (this.#makeRoom()) this.#entries.set(key, entry);
	}

	#makeRoom(): boolean {
		if (this.#entries.size < this.#most) return true;
		const all = [...this.#entries];
		const outdated = all.filter(([, entry]) => !isRecent(entry));
		const settled = all.filter(([, entry]) => entry.state !== 'unknown').slice(0, 1);
		for (const [key] of outdated.length > 0 ? outdated : settled) this.#entries.delete(key);
		return this.#entries.size < this.#most;
	}
}

/** Less than 24 hours old. */
export function isRecent({ at }: Remembered): boolean {
	return Date.now() - at < lifetime;
}

/** The one memory of this process. */
export const acceptMemory = new AcceptMemory();
