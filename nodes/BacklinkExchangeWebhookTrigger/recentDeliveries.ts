import { createHash } from 'crypto';

import { BoundedMap } from '../shared/boundedMap';

/** The most deliveries that are remembered. */
const mostRemembered = 10_000;

/** The part of a response to a delivery that shows whether n8n has answered it, and how. */
export interface PendingResponse {
	statusCode: number;
	writableEnded: boolean;
	once(event: 'close', listener: () => void): unknown;
}

interface Remembered {
	/** When n8n took it, by `performance.now`, a clock that nobody corrects. */
	takenAt: number;
	answer: Pick<PendingResponse, 'statusCode' | 'writableEnded'>;
}

/**
 * The deliveries of the last minutes, so that one which comes again, or twice at once, starts one execution. This process
 * forgets them when it ends; what tells repeated events apart for good is `eventKey` (docs/decisions/0007-duplicates.md).
 */
export class RecentDeliveries {
	readonly #remembered = new BoundedMap<string, Remembered>(mostRemembered);

	/**
	 * Whether n8n has taken the same delivery within the last `minutes`: `accepted` for one that it has answered with success,
	 * `pending` for one that it has not answered yet, otherwise `new`.
	 */
	take(key: string, minutes: number, response: PendingResponse): 'new' | 'accepted' | 'pending' {
		const earlier = this.#remembered.get(key);
		const takenAt = performance.now();
		if (earlier !== undefined && takenAt - earlier.takenAt < minutes * 60_000) {
			if (!earlier.answer.writableEnded) return 'pending';
			if (earlier.answer.statusCode < 300) return 'accepted';
		}
		const entry: Remembered = { takenAt, answer: response };
		this.#remembered.set(key, entry);
		response.once('close', () => {
			// Only the result is kept, so that the response does not stay in memory. Where the sender went away before n8n answered,
			// the result is still to come, and the response stays.
			const { statusCode, writableEnded } = response;
			if (writableEnded) entry.answer = { statusCode, writableEnded };
		});
		return 'new';
	}
}

/** A key that is the same for the same bytes to the same node; URL and headers do not count, because they are not signed. */
export function deliveryKey(node: string, body: Buffer): string {
	return createHash('sha256').update(JSON.stringify(node)).update(body).digest('base64');
}
