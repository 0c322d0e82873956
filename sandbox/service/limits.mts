import type { Plan } from '../store/records.mts';
import type { Store } from '../store/store.mts';

/** The limits of service-api.md ("Limits"). A plan without API access is refused before it could use up anything; its headers show Pro's figures. */
const planLimits: Record<Plan, { minute: number; day: number }> = {
	pro: { minute: 60, day: 10_000 },
	agency: { minute: 240, day: 100_000 },
	none: { minute: 60, day: 10_000 },
};

export interface LimitOptions {
	/** Requests per minute, whatever the plan. */
	perMinute?: number;
	/** Requests per day, whatever the plan. */
	perDay?: number;
	/** How long "a minute" is, so that a test can see it end. */
	windowMilliseconds?: number;
}

export interface Quota {
	allowed: boolean;
	remaining: number;
	/** When the period ends, in milliseconds since 1970. */
	resetsAt: number;
	period: 'minute' | 'day';
}

/** What is kept of a window. */
interface Used {
	keyId: number;
	period: Quota['period'];
	startedAt: number;
	used: number;
}

/** Counts requests per key in fixed windows that begin with the first request. A refused request uses up nothing. */
export class Limits {
	readonly #store: Store;
	readonly #options: LimitOptions;

	constructor(store: Store, options: LimitOptions) {
		this.#store = store;
		this.#options = options;
	}

	/** Counts one request. The answer is about the period of which fewer requests are left, which is the one that refuses if one does. */
	use(keyId: number, plan: Plan): Quota {
		const { perMinute, perDay, windowMilliseconds = 60_000 } = this.#options;
		const { minute, day } = planLimits[plan];
		const windows = [
			{ ...this.#used(keyId, 'day', 86_400_000), limit: perDay ?? day },
			{ ...this.#used(keyId, 'minute', windowMilliseconds), limit: perMinute ?? minute },
		];
		const allowed = windows.every(({ used, limit }) => used < limit);
		const left = windows.map(({ period, startedAt, used, length, limit }) => {
			if (allowed) this.#store.put('quota', { keyId, period, startedAt, used: used + 1 });
			const remaining = Math.max(0, limit - used - Number(allowed));
			return { allowed, remaining, resetsAt: startedAt + length, period };
		}) as [Quota, Quota];
		return left[0].remaining <= left[1].remaining ? left[0] : left[1];
	}

	#used(keyId: number, period: Used['period'], length: number): Used & { length: number } {
		const now = this.#store.now();
		const [kept] = this.#store.rows<Used>('quota', { keyId, period });
		const holds = kept && now < kept.startedAt + length && now >= kept.startedAt;
		return { ...(holds ? kept : { keyId, period, startedAt: now, used: 0 }), length };
	}
}
