import { fetchBalance } from '../../../../shared/api/fetchBalance';
import { type ErrorResult, isErrorResult } from '../../../../shared/errors';
import type { ApiClient } from '../../../../shared/transport/apiClient';
import { noCache } from '../../../../shared/transport/requestCache';
import { BoundedMap } from '../../../../shared/utils/boundedMap';
import { monotonicNow } from '../../../../shared/utils/time';

/** How often the balance is read for a price that has not shown: about ten seconds in all. */
const maxVerifyAttempts = 6;

/** A request to accept whose price has not shown. */
interface PendingCharge {
	/** `lifetime_spent` before it; undefined where that could not be read. */
	before: number | undefined;
	/** Whether no other accept of the account was under way, or had still to show its price. */
	isAlone: boolean;
}

interface BalanceSnapshot {
	balance: number;
	spent: number | undefined;
	/** By `steadyNow`: what it shows may be as old as that. */
	requestedAt: number;
}

const guards = new BoundedMap<string, BalanceGuard>(1000);

/**
 * What accepts cost an account, and whether its balance allows another one. The service shows no price in advance: it is the
 * rise of the documented `lifetime_spent` (service-api.md, "Credit balance"), because the balance also changes when something is
 * earned. A price that has not shown is not known, however long ago the accept was: credits go "on confirmation".
 */
export class BalanceGuard {
	#lastSnapshot: BalanceSnapshot | undefined;

	/** How many requests to accept have ended. */
	#completedCount = 0;

	/** By the key of the offer. */
	readonly #pendingCharges = new Map<string, PendingCharge>();

	/** What accepts have cost, in credits, by the key of the offer. */
	readonly #prices = new BoundedMap<string, number>(1000);

	#highestPrice = 0;

	/** The one of an account in this process. */
	static forAccount(client: ApiClient): BalanceGuard {
		return guards.getOrCreate(client.scopedKey('balance guard'), () => new BalanceGuard());
	}

	/** To be called when a request to accept leaves. */
	onSent(key: string): void {
		for (const other of this.#pendingCharges.values()) other.isAlone = false;
		this.#pendingCharges.set(key, {
			before: this.#lastSnapshot?.spent,
			isAlone: this.#pendingCharges.size === 0,
		});
	}

	/** To be called when it has ended, whatever came of it: what was read before is over. */
	onCompleted(): void {
		this.#completedCount++;
		this.#lastSnapshot = undefined;
	}

	/** The request was not carried out. */
	discard(key: string): void {
		this.#pendingCharges.delete(key);
	}

	/** Its price is not looked for any more; where nothing is known of the time before, it can never show. */
	stopTracking(key: string): void {
		if (this.#pendingCharges.get(key)?.before === undefined) this.discard(key);
	}

	/** The balance; one that was asked for less than so many milliseconds ago is good enough. */
	async fetchBalance(client: ApiClient, maxAgeMs = 0): Promise<BalanceSnapshot | ErrorResult> {
		const requestedAt = monotonicNow();
		if (this.#lastSnapshot && requestedAt - this.#lastSnapshot.requestedAt < maxAgeMs) {
			return this.#lastSnapshot;
		}
		const completedBefore = this.#completedCount;
		const record = await fetchBalance(client, noCache);
		if (isErrorResult(record)) return record;
		const { balance, lifetime_spent: spent } = record;
		const isKnown = Number.isInteger(spent);
		const snapshot: BalanceSnapshot = {
			balance: balance as number,
			spent: isKnown ? (spent as number) : undefined,
			requestedAt,
		};
		if (completedBefore === this.#completedCount) this.#lastSnapshot = snapshot;
		if (snapshot.spent !== undefined) this.#recordPrices(snapshot.spent);
		return snapshot;
	}

	/**
	 * Why nothing more may be spent; undefined when it may.
	 * @param minimum credits that have to be left
	 * @param others how many other offers a dry run would have accepted before
	 */
	checkMinimum(
		{ balance, spent }: BalanceSnapshot,
		minimum: number,
		others: number,
	): string | undefined {
		if (this.#pendingCharges.size > 0 || spent === undefined) {
			return 'The balance does not show the cost of an earlier accept yet. If nothing was charged for it, accept one offer without Minimum Balance to go on';
		}
		if (balance <= minimum) {
			return `The balance of ${balance} credits is not above the minimum of ${minimum}`;
		}
		if (balance - this.#highestPrice * (1 + others) < minimum) {
			const before = others === 0 ? '' : `, and ${others} more would be accepted before`;
			return `The balance of ${balance} credits could fall below the minimum of ${minimum}: an accept has cost up to ${this.#highestPrice}${before}`;
		}
		return undefined;
	}

	/**
	 * What an accept has cost, and the balance after it, as far as they can be seen.
	 * @param waits whether to wait for a price that does not show at once
	 */
	async fetchCost(
		client: ApiClient,
		key: string,
		waits: boolean,
	): Promise<{ creditsSpent?: number; balance?: number } | undefined> {
		const snapshot = await client.retryUntil(
			waits ? maxVerifyAttempts : 1,
			async () => await this.fetchBalance(client),
			(snapshot) => isErrorResult(snapshot) || !this.#pendingCharges.has(key),
		);
		this.stopTracking(key);
		if (isErrorResult(snapshot)) return undefined;
		return { creditsSpent: this.#prices.get(key), balance: snapshot.balance };
	}

	#recordPrices(spent: number): void {
		for (const [key, { before, isAlone }] of this.#pendingCharges) {
			if (before === undefined || spent <= before) continue;
			this.discard(key);
			if (!isAlone) continue;
			this.#prices.set(key, spent - before);
			this.#highestPrice = Math.max(this.#highestPrice, spent - before);
		}
	}
}
