import { createHash } from 'crypto';

/** The most that are remembered; the oldest are forgotten first. */
const mostRemembered = 10_000;

/** What is needed of the response to a delivery: whether n8n has answered it, and how. */
export interface PendingResponse {
	statusCode: number;
	writableEnded: boolean;
	once(event: 'close', listener: () => void): unknown;
}

interface Remembered {
	/** Milliseconds since the epoch. */
	forgottenAt: number;
	/** Until it is known how n8n answered. */
	response?: PendingResponse;
	closed: Promise<void>;
}

/**
 * Deliveries that were accepted a short while ago, so that one that comes again (or twice at once) starts one execution.
 * It lives in this process alone: what lasts is `eventKey`.
 */
export class RecentDeliveries {
	/** In the order in which they came. */
	readonly #remembered = new Map<string, Remembered>();

	/**
	 * Takes a delivery and remembers it for `minutes`, unless n8n answers it with anything but success. If n8n has yet to
	 * answer the same delivery, it waits for that answer. Returns `new`, `accepted` for one that was accepted before, or
	 * `pending` if n8n still has the first one, whose sender has gone away without an answer.
	 */
	async take(
		key: string,
		minutes: number,
		response: PendingResponse,
	): Promise<'new' | 'accepted' | 'pending'> {
		let waitedFor: Remembered | undefined;
		for (;;) {
			const earlier = this.#lookUp(key);
			if (earlier === undefined) {
				// Without any await since the look: of two at once, only one gets here.
				this.#remember(key, minutes, response);
				return 'new';
			}
			if (earlier.response === undefined) return 'accepted';
			if (earlier === waitedFor) return 'pending';
			await earlier.closed;
			waitedFor = earlier;
		}
	}

	#lookUp(key: string): Remembered | undefined {
		const entry = this.#remembered.get(key);
		if (entry === undefined || entry.forgottenAt <= Date.now()) return undefined;
		this.#settle(key, entry);
		return this.#remembered.get(key);
	}

	#remember(key: string, minutes: number, response: PendingResponse): void {
		this.#remembered.delete(key);
		for (const oldest of this.#remembered.keys()) {
			if (this.#remembered.size < mostRemembered) break;
			this.#remembered.delete(oldest);
		}
		const entry: Remembered = {
			forgottenAt: Date.now() + minutes * 60_000,
			response,
			closed: new Promise((resolve) => {
				response.once('close', () => {
					this.#settle(key, entry);
					resolve();
				});
			}),
		};
		this.#remembered.set(key, entry);
	}

	/** Notes n8n's answer once there is one, and drops the response, so that it does not stay in memory. */
	#settle(key: string, entry: Remembered): void {
		const { response } = entry;
		if (response === undefined || !response.writableEnded) return;
		if (response.statusCode >= 300 && this.#remembered.get(key) === entry) {
			this.#remembered.delete(key);
		}
		entry.response = undefined;
	}
}

/** The same for the same bytes to the same URL. */
export function deliveryKey(parts: Array<string | Buffer>): string {
	const hash = createHash('sha256');
	for (const part of parts) hash.update(`${Buffer.byteLength(part)}:`).update(part);
	return hash.digest('base64');
}
