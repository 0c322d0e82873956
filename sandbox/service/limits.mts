import type { Plan } from '../store/records.mts';
import type { Store } from '../store/store.mts';

/**
 * service-api.md, "Limits".
 *
 * A plan without API access is rejected before it could reach a limit; its headers show Pro's
 * figures.
 */
const planLimits: Record<Plan, { minute: number; day: number }> = {
	pro: { minute: 60, day: 10_000 },
	agency: { minute: 240, day: 100_000 },
	none: { minute: 60, day: 10_000 },
};

export interface LimitOptions {
	/** Replaces the plan's limit. */
	perMinute?: number;
	/** Replaces the plan's limit. */
	perDay?: number;
	/** Length of the minute window; tests shorten it. */
	windowMilliseconds?: number;
}

export interface Quota {
	allowed: boolean;
	remaining: number;
	/** End of the window, in milliseconds since 1970. */
	resetsAt: number;
	period: 'minute' | 'day';
}

/** A rate limit window as it is stored. */
interface Window {
	keyId: number;
	period: Quota['period'];
	startedAt: number;
	used: number;
}

/**
 * Counts requests per key in fixed windows that begin with the first request.
 *
 * Rejected requests don't count.
 */
export class Limits {
	readonly #store: Store;
	readonly #options: LimitOptions;

	constructor(store: Store, options: LimitOptions) {
		this.#store = store;
		this.#options = options;
	}

	/**
	 * Counts one request.
	 *
	 * @returns the quota of the window with fewer requests left, which is the one that rejects
	 */
	use(keyId: number, plan: Plan): Quota {
		const { perMinute, perDay, windowMilliseconds = 60_000 } = this.#options;
		const { minute, day } = planLimits[plan];
		const windows = [
			{ ...this.#getWindow(keyId, 'day', 86_400_000), limit: perDay ?? day },
			{ ...this.#getWindow(keyId, 'minute', windowMilliseconds), limit: perMinute ?? minute },
		];
		const allowed = windows.every(({ used, limit }) => used < limit);
		const quotas = windows.map(({ period, startedAt, used, length, limit }) => {
			if (allowed) this.#store.put('quota', { keyId, period, startedAt, used: used + 1 });
			const remaining = Math.max(0, limit - used - Number(allowed));
			return { allowed, remaining, resetsAt: startedAt + length, period };
		}) as [Quota, Quota];
		return quotas[0].remaining <= quotas[1].remaining ? quotas[0] : quotas[1];
	}

	#getWindow(keyId: number, period: Window['period'], length: number): Window & { length: number } {
		const now = this.#store.now();
		const [stored] = this.#store.rows<Window>('quota', { keyId, period });
		const isCurrent = stored && now < stored.startedAt + length && now >= stored.startedAt;
		return { ...(isCurrent ? stored : { keyId, period, startedAt: now, used: 0 }), length };
	}
}
