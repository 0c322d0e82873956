import { fetchBalance } from '../../../../shared/api/fetchBalance';
import { type ErrorResult, isErrorResult } from '../../../../shared/errors';
import type { ApiClient } from '../../../../shared/transport/apiClient';
import { noCache } from '../../../../shared/transport/requestCache';
import { BoundedMap } from '../../../../shared/utils/boundedMap';
import { monotonicNow } from '../../../../shared/utils/time';

/** Balance requests while waiting for a price: about ten seconds in all. */
const maxVerifyAttempts = 6;

/** An accept request whose price isn't known yet. */
interface PendingCharge {
	/** `undefined` if it couldn't be read. */
	lifetimeSpentBefore: number | undefined;
	/** Whether no other charge of the account was pending at the same time. */
	isOnlyCharge: boolean;
}

interface BalanceSnapshot {
	balance: number;
	lifetimeSpent: number | undefined;
	/** Monotonic. The snapshot may be as old as this. */
	requestedAt: number;
}

const guards = new BoundedMap<string, BalanceGuard>(1000);

/**
 * Enforces Minimum Balance for one account, and derives the prices of accepted offers.
 *
 * The service shows no price in advance. A price is the increase of the documented `lifetime_spent`
 * (service-api.md, "Credit balance"), because earned credits change the balance, too. Until it has
 * increased, the price isn't known, regardless of the time since the request: credits are deducted
 * "on confirmation" (service-api.md, "Endpoints").
 *
 * For each request, call `onSent`. When it ends, call `onCompleted`, or `discard` if it wasn't
 * processed. Then call `fetchCost` or `stopTracking` if the offer is accepted, and `discard` if it
 * provably isn't.
 */
export class BalanceGuard {
	#lastSnapshot: BalanceSnapshot | undefined;

	#completedCount = 0;

	/** By the key of the offer. */
	readonly #pendingCharges = new Map<string, PendingCharge>();

	/** In credits, by the key of the offer. */
	readonly #prices = new BoundedMap<string, number>(1000);

	#highestPrice = 0;

	/** Returns the guard of an account, which all executions of this process share. */
	static forAccount(client: ApiClient): BalanceGuard {
		return guards.getOrCreate(client.scopedKey('balance guard'), () => new BalanceGuard());
	}

	/** Starts tracking the charge of an accept request that is being sent. */
	onSent(key: string): void {
		for (const other of this.#pendingCharges.values()) other.isOnlyCharge = false;
		this.#pendingCharges.set(key, {
			lifetimeSpentBefore: this.#lastSnapshot?.lifetimeSpent,
			isOnlyCharge: this.#pendingCharges.size === 0,
		});
	}

	/** Invalidates the last snapshot, because an accept request has ended. */
	onCompleted(): void {
		this.#completedCount++;
		this.#lastSnapshot = undefined;
	}

	/** Removes a charge, because its request cost nothing. */
	discard(key: string): void {
		this.#pendingCharges.delete(key);
	}

	/**
	 * Stops waiting for a price that can't become known, because `lifetime_spent` wasn't known when
	 * the request was sent.
	 */
	stopTracking(key: string): void {
		if (this.#pendingCharges.get(key)?.lifetimeSpentBefore === undefined) this.discard(key);
	}

	/** Fetches the balance, unless a snapshot was requested less than `maxAgeMs` ago. */
	async fetchBalance(client: ApiClient, maxAgeMs = 0): Promise<BalanceSnapshot | ErrorResult> {
		const requestedAt = monotonicNow();
		if (this.#lastSnapshot && requestedAt - this.#lastSnapshot.requestedAt < maxAgeMs) {
			return this.#lastSnapshot;
		}
		const completedBefore = this.#completedCount;
		const record = await fetchBalance(client, noCache);
		if (isErrorResult(record)) return record;
		const { balance, lifetime_spent: lifetimeSpent } = record;
		const isReadable = Number.isInteger(lifetimeSpent);
		const snapshot: BalanceSnapshot = {
			balance: balance as number,
			lifetimeSpent: isReadable ? (lifetimeSpent as number) : undefined,
			requestedAt,
		};
		if (completedBefore === this.#completedCount) this.#lastSnapshot = snapshot;
		if (snapshot.lifetimeSpent !== undefined) this.#recordPrices(snapshot.lifetimeSpent);
		return snapshot;
	}

	/**
	 * Checks Minimum Balance.
	 *
	 * @param plannedCount how many other offers a dry run would have accepted before
	 * @returns why nothing more may be spent, or `undefined` if the minimum allows another accept
	 */
	getSkipReason(
		{ balance, lifetimeSpent }: BalanceSnapshot,
		minimum: number,
		plannedCount: number,
	): string | undefined {
		if (this.#pendingCharges.size > 0 || lifetimeSpent === undefined) {
			return 'The balance does not show the cost of an earlier accept yet. If nothing was charged for it, accept one offer without Minimum Balance to go on';
		}
		if (balance <= minimum) {
			return `The balance of ${balance} credits is not above the minimum of ${minimum}`;
		}
		if (balance - this.#highestPrice * (1 + plannedCount) < minimum) {
			const plannedNote =
				plannedCount === 0 ? '' : `, and ${plannedCount} more would be accepted before`;
			return `The balance of ${balance} credits could fall below the minimum of ${minimum}: an accept has cost up to ${this.#highestPrice}${plannedNote}`;
		}
		return undefined;
	}

	/**
	 * Fetches the balance after an accept, and returns the cost if it is known.
	 *
	 * @param waitsForPrice whether to fetch again if the balance doesn't show the price yet
	 * @returns `undefined` if the balance couldn't be fetched
	 */
	async fetchCost(
		client: ApiClient,
		key: string,
		waitsForPrice: boolean,
	): Promise<{ creditsSpent?: number; balance?: number } | undefined> {
		const snapshot = await client.retryUntil(
			waitsForPrice ? maxVerifyAttempts : 1,
			async () => await this.fetchBalance(client),
			(snapshot) => isErrorResult(snapshot) || !this.#pendingCharges.has(key),
		);
		this.stopTracking(key);
		if (isErrorResult(snapshot)) return undefined;
		return { creditsSpent: this.#prices.get(key), balance: snapshot.balance };
	}

	/** Derives the prices of pending charges from a new `lifetime_spent`. */
	#recordPrices(lifetimeSpent: number): void {
		for (const [key, { lifetimeSpentBefore, isOnlyCharge }] of this.#pendingCharges) {
			if (lifetimeSpentBefore === undefined || lifetimeSpent <= lifetimeSpentBefore) continue;
			this.discard(key);
			// An increase that several charges share is the price of none of them.
			if (!isOnlyCharge) continue;
			this.#prices.set(key, lifetimeSpent - lifetimeSpentBefore);
			this.#highestPrice = Math.max(this.#highestPrice, lifetimeSpent - lifetimeSpentBefore);
		}
	}
}
