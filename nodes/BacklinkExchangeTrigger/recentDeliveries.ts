import { createHash } from 'crypto';

/** At most so many are remembered; the oldest are forgotten first. */
const mostRemembered = 10_000;

/**
 * Deliveries that were accepted a short while ago, so that one that comes again (or twice at once) starts one execution.
 * It lives in this process alone: the lasting remedy is `eventKey` with n8n's Remove Duplicates node.
 */
export class RecentDeliveries {
	/** Key to the moment (milliseconds) at which it is forgotten; in the order in which they came. */
	private readonly forgottenAt = new Map<string, number>();

	/** Remembers a delivery for so many minutes; false if it is remembered already. */
	remember(key: string, minutes: number, now = Date.now()): boolean {
		const known = this.forgottenAt.get(key);
		if (known !== undefined && known > now) return false;
		this.forgottenAt.delete(key);
		for (const [oldest, moment] of this.forgottenAt) {
			if (moment > now && this.forgottenAt.size < mostRemembered) break;
			this.forgottenAt.delete(oldest);
		}
		this.forgottenAt.set(key, now + minutes * 60_000);
		return true;
	}

	/** For a delivery that was not accepted after all: when it comes again, it counts. */
	forget(key: string): void {
		this.forgottenAt.delete(key);
	}
}

/** The same for the same bytes to the same URL. */
export function deliveryKey(parts: Array<string | Buffer>): string {
	const hash = createHash('sha256');
	for (const part of parts) hash.update(`${part.length}:`).update(part);
	return hash.digest('base64');
}
