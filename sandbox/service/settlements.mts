import type { LogActivity } from '../activity.mts';
import type { Store } from '../store/store.mts';
import type { Accepts } from './accepts.mts';
import type { Deliveries } from './deliveries.mts';

interface Parts {
	store: Store;
	clock: () => number;
	accepts: Accepts;
	deliveries: Deliveries;
	logActivity: LogActivity;
}

/**
 * Lets accepts take effect later, in the dialect `settlement=later`: each one when its time has come, or at the latest
 * when somebody looks. That time is in the store, so a restart loses none.
 */
export class Settlements {
	readonly #parts: Parts;
	#timer: NodeJS.Timeout | undefined;
	#isStopped = false;
	#onSettled: (() => void)[] = [];

	constructor(parts: Parts) {
		this.#parts = parts;
	}

	/** Settles what is due, and waits for the next one. Call it at the start, after each accept and before each look. */
	settleDue(): void {
		const { store, clock, accepts } = this.#parts;
		for (const { id, dueAt } of accepts.unsettled()) {
			if (dueAt > clock()) break;
			store.transaction(() => {
				this.#settle(id);
			});
		}
		store.afterCommit(() => {
			this.#wait();
		});
	}

	/** Resolves when no accept waits any more. */
	settled(): Promise<void> {
		if (this.#parts.accepts.unsettled().length === 0) return Promise.resolve();
		return new Promise((resolve) => this.#onSettled.push(resolve));
	}

	/** Stops waiting; what has not taken effect does so after the next start. */
	stop(): void {
		this.#isStopped = true;
		clearTimeout(this.#timer);
		for (const resolve of this.#onSettled.splice(0)) resolve();
	}

	#settle(id: string): void {
		const { store, accepts, deliveries, logActivity } = this.#parts;
		const exchange = accepts.settle(id);
		if (exchange) deliveries.announce('exchange.accepted', exchange);
		store.afterCommit(() => {
			const text = exchange
				? `The accept of ${id} has taken effect, for ${exchange.cost} credits`
				: `The accept of ${id} has lapsed, because the credits no longer suffice`;
			logActivity(text);
		});
	}

	#wait(): void {
		clearTimeout(this.#timer);
		if (this.#isStopped) return;
		const [next] = this.#parts.accepts.unsettled();
		if (!next) {
			for (const resolve of this.#onSettled.splice(0)) resolve();
			return;
		}
		this.#timer = setTimeout(
			() => {
				this.settleDue();
			},
			Math.min(Math.max(1, next.dueAt - this.#parts.clock()), 1_000_000_000),
		);
	}
}
