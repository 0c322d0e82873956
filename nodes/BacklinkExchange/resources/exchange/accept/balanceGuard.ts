import { type ExchangeStatus, isAcceptedStatus } from '../../../../shared/api/exchangeStatus';
import { fetchBalance } from '../../../../shared/api/fetchBalance';
import { type ErrorResult, isErrorResult } from '../../../../shared/errors';
import type { ApiClient } from '../../../../shared/transport/apiClient';
import { noCache } from '../../../../shared/transport/requestCache';
import { BoundedMap } from '../../../../shared/utils/boundedMap';
import { monotonicNow } from '../../../../shared/utils/time';
import { consistencyDelayMs } from '../../../helpers/recentWrites';

/** Balance requests while waiting for a price: about ten seconds in all. */
const maxVerifyAttempts = 6;

/** The charge of an accept request, until the balance shows it or it is known to cost nothing. */
interface OpenCharge {
	readonly exchangeId: string;
	/** `undefined` if it couldn't be read. */
	readonly lifetimeSpentBefore: number | undefined;
	/** `lifetime_spent` up to which every increase has paid for another charge. */
	countedUpTo: number;
	/** Whether no other charge of the account was open at the same time. */
	isOnlyCharge: boolean;
	/** Monotonic. `undefined` while the request is running. */
	endedAt?: number;
	/** Whether the response or the list has shown that the offer is accepted. */
	isConfirmed: boolean;
}

/** An exchange as the list shows it. */
interface ListedStatus {
	status?: ExchangeStatus;
	/** Monotonic. */
	requestedAt: number;
}

interface BalanceSnapshot {
	balance: number;
	lifetimeSpent: number | undefined;
	/** Monotonic. The snapshot may be as old as this. */
	requestedAt: number;
}

/** The open charges that a balance may show, with the keys of their offers. */
type Candidates = ReadonlyArray<readonly [key: string, charge: OpenCharge]>;

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
 * processed. Then call `confirm` and perhaps `fetchCost` if the offer is accepted, and `discard` if
 * it provably isn't. Otherwise, a later list shows it to `settle`.
 */
export class BalanceGuard {
	#lastSnapshot: BalanceSnapshot | undefined;

	#invalidatedCount = 0;

	/** By the key of the offer, in the order of the requests. */
	readonly #openCharges = new Map<string, OpenCharge>();

	/** In credits, by the key of the offer: prices of requests that `fetchCost` hasn't returned. */
	readonly #prices = new BoundedMap<string, number>(1000);

	#highestPrice = 0;

	/** Returns the guard of an account, which all executions of this process share. */
	static forAccount(client: ApiClient): BalanceGuard {
		return guards.getOrCreate(client.scopedKey('balance guard'), () => new BalanceGuard());
	}

	/** Starts tracking the charge of an accept request that is being sent. */
	onSent(key: string, exchangeId: string): void {
		// A price belongs to a request: this one may cost nothing although an earlier one did.
		this.#prices.delete(key);
		this.#openCharges.delete(key);
		for (const other of this.#openCharges.values()) other.isOnlyCharge = false;
		const lifetimeSpentBefore = this.#lastSnapshot?.lifetimeSpent;
		this.#openCharges.set(key, {
			exchangeId,
			lifetimeSpentBefore,
			countedUpTo: lifetimeSpentBefore ?? Infinity,
			isOnlyCharge: this.#openCharges.size === 0,
			isConfirmed: false,
		});
	}

	/** Invalidates the last snapshot, because an accept request has ended. */
	onCompleted(key: string): void {
		const charge = this.#openCharges.get(key);
		if (charge !== undefined) charge.endedAt = monotonicNow();
		this.#invalidateSnapshot();
	}

	/**
	 * Marks the offer of an ended request as accepted. Only then can an increase of `lifetime_spent`
	 * be its price; before, another charge may have caused it. The charge isn't tracked any longer if
	 * `lifetime_spent` wasn't known when the request was sent, because its price can't become known.
	 */
	confirm(key: string): void {
		const charge = this.#openCharges.get(key);
		if (charge === undefined || charge.isConfirmed) return;
		if (charge.lifetimeSpentBefore === undefined) this.discard(key);
		charge.isConfirmed = true;
		this.#invalidateSnapshot();
	}

	/**
	 * Settles the charges of ended requests whose outcome isn't known, from the list: an accepted
	 * offer confirms its charge; one that isn't accepted a minute after its request wasn't charged.
	 *
	 * @param fetchListed looks up an exchange in a list that was requested after `notBefore`
	 */
	async settle(
		fetchListed: (exchangeId: string, notBefore: number) => Promise<ListedStatus | ErrorResult>,
	): Promise<void> {
		for (const [key, charge] of [...this.#openCharges]) {
			const { exchangeId, endedAt, isConfirmed } = charge;
			if (endedAt === undefined || isConfirmed) continue;
			const shownFrom = endedAt + consistencyDelayMs;
			const notBefore = monotonicNow() >= shownFrom ? shownFrom : endedAt + 1;
			const listed = await fetchListed(exchangeId, notBefore);
			if (isErrorResult(listed)) return;
			// Another request for the offer may have been sent in the meantime.
			if (this.#openCharges.get(key) !== charge) continue;
			// A broken link was accepted and published before.
			const isAccepted = isAcceptedStatus(listed.status) || listed.status === 'broken';
			if (isAccepted) this.confirm(key);
			else if (listed.requestedAt >= shownFrom) this.discard(key);
		}
	}

	/** Removes a charge, because its request cost nothing. */
	discard(key: string): void {
		this.#openCharges.delete(key);
	}

	/** Fetches the balance, unless a snapshot was requested less than `maxAgeMs` ago. */
	async fetchBalance(client: ApiClient, maxAgeMs = 0): Promise<BalanceSnapshot | ErrorResult> {
		const requestedAt = monotonicNow();
		if (this.#lastSnapshot && requestedAt - this.#lastSnapshot.requestedAt < maxAgeMs) {
			return this.#lastSnapshot;
		}
		const invalidatedBefore = this.#invalidatedCount;
		const candidates = [...this.#openCharges].filter(([, { isConfirmed }]) => isConfirmed);
		const record = await fetchBalance(client, noCache);
		if (isErrorResult(record)) return record;
		const { balance, lifetime_spent: lifetimeSpent } = record;
		const isReadable = Number.isInteger(lifetimeSpent);
		const snapshot: BalanceSnapshot = {
			balance: balance as number,
			lifetimeSpent: isReadable ? (lifetimeSpent as number) : undefined,
			requestedAt,
		};
		if (invalidatedBefore === this.#invalidatedCount) this.#lastSnapshot = snapshot;
		this.#recordPrices(candidates, snapshot);
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
		if (this.#openCharges.size > 0 || lifetimeSpent === undefined) {
			return "The balance doesn't show yet what an earlier offer cost. If you weren't charged for it, accept one offer without Minimum Balance to continue";
		}
		if (balance <= minimum) {
			return `The balance of ${balance} credits isn't above the minimum of ${minimum}. Get more credits, or lower Minimum Balance`;
		}
		if (balance - this.#highestPrice * (1 + plannedCount) < minimum) {
			const plannedNote =
				plannedCount === 0 ? '' : `, and ${plannedCount} more would be accepted first`;
			return `The balance of ${balance} credits could fall below the minimum of ${minimum}, because an offer has cost up to ${this.#highestPrice} credits${plannedNote}`;
		}
		return undefined;
	}

	/**
	 * Fetches the balance after an accept, and returns the cost if it is known. The cost of a request
	 * is returned only once.
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
			(snapshot) => isErrorResult(snapshot) || !this.#openCharges.has(key),
		);
		if (isErrorResult(snapshot)) return undefined;
		const creditsSpent = this.#prices.get(key);
		this.#prices.delete(key);
		return { creditsSpent, balance: snapshot.balance };
	}

	/**
	 * Closes the charges that a new `lifetime_spent` shows, and derives the price if there was only
	 * one.
	 *
	 * An increase pays for at least one charge, perhaps for several. The others stay open until the
	 * next increase, or until a minute after their requests: by then, the increase that was seen
	 * shows them, too.
	 *
	 * @param candidates the charges that were confirmed before the balance was requested
	 */
	#recordPrices(candidates: Candidates, { lifetimeSpent, requestedAt }: BalanceSnapshot): void {
		if (lifetimeSpent === undefined) return;
		let isIncreaseCounted = false;
		for (const [key, charge] of candidates) {
			const { lifetimeSpentBefore = Infinity, endedAt = Infinity } = charge;
			// Another snapshot may have closed it in the meantime.
			if (this.#openCharges.get(key) !== charge || lifetimeSpent <= lifetimeSpentBefore) continue;
			const isPaid: boolean = !isIncreaseCounted && lifetimeSpent > charge.countedUpTo;
			isIncreaseCounted ||= isPaid;
			if (!isPaid && requestedAt - endedAt < consistencyDelayMs) {
				charge.countedUpTo = Math.max(charge.countedUpTo, lifetimeSpent);
				continue;
			}
			this.discard(key);
			// An increase that several charges share is the price of none of them.
			if (charge.isOnlyCharge) this.#recordPrice(key, lifetimeSpent - lifetimeSpentBefore);
		}
	}

	#recordPrice(key: string, price: number): void {
		this.#prices.set(key, price);
		this.#highestPrice = Math.max(this.#highestPrice, price);
	}

	#invalidateSnapshot(): void {
		this.#invalidatedCount++;
		this.#lastSnapshot = undefined;
	}
}
