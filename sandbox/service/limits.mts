import type { Plan } from '../store/records.mts';
import { integer, type Store } from '../store/store.mts';

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
	/** How long "a day" is. */
	dayMilliseconds?: number;
}

export interface Quota {
	allowed: boolean;
	remaining: number;
	/** When the period ends, in milliseconds since 1970. */
	resetsAt: number;
	period: 'minute' | 'day';
}

/** Counts requests per key in fixed windows that begin with the first request. A refused request uses up nothing. */
export class Limits {
	readonly #store: Store;
	readonly #clock: () => number;
	readonly #options: LimitOptions;

	constructor(store: Store, clock: () => number, options: LimitOptions) {
		this.#store = store;
		this.#clock = clock;
		this.#options = options;
	}

	/** Counts one request. The answer is about the period of which fewer requests are left, which is the one that refuses if one does. */
	use(keyId: number, plan: Plan): Quota {
		const now = this.#clock();
		const minute = this.#window(
			keyId,
			'minute',
			this.#options.windowMilliseconds ?? 60_000,
			this.#options.perMinute ?? planLimits[plan].minute,
			now,
		);
		const day = this.#window(
			keyId,
			'day',
			this.#options.dayMilliseconds ?? 86_400_000,
			this.#options.perDay ?? planLimits[plan].day,
			now,
		);
		const allowed = minute.used < minute.limit && day.used < day.limit;
		if (allowed) {
			for (const window of [minute, day]) {
				window.used += 1;
				this.#store.run(
					'INSERT OR REPLACE INTO quota (key_id, period, started_at, used) VALUES (?, ?, ?, ?)',
					keyId,
					window.period,
					window.startedAt,
					window.used,
				);
			}
		}
		const [minuteLeft, dayLeft] = [minute, day].map((window) =>
			Math.max(0, window.limit - window.used),
		) as [number, number];
		const binding = dayLeft <= minuteLeft ? day : minute;
		return {
			allowed,
			remaining: Math.min(dayLeft, minuteLeft),
			resetsAt: binding.startedAt + binding.length,
			period: binding.period,
		};
	}

	#window(keyId: number, period: 'minute' | 'day', length: number, limit: number, now: number) {
		const row = this.#store.get(
			'SELECT started_at, used FROM quota WHERE key_id = ? AND period = ?',
			keyId,
			period,
		);
		const startedAt = row ? integer(row, 'started_at') : now;
		const isOver = !row || now >= startedAt + length || now < startedAt;
		return {
			period,
			length,
			limit,
			startedAt: isOver ? now : startedAt,
			used: isOver ? 0 : integer(row, 'used'),
		};
	}
}
