import { readBalance } from '../../../../shared/reading/balance';
import type { ServiceConnection } from '../../../../shared/service/connection';
import { steadyNow } from '../../../../shared/time';
import { type Explanation, isExplanation } from '../../../../shared/words/explanation';
import { isSettling, type Journal } from './journal';

/** A balance that is older than this many milliseconds is read again before a request. */
const recent = 1000;
/** How often the balance is read for a price that has not shown: about ten seconds in all. */
const mostChecks = 6;

/**
 * Keeps the balance of an account above a floor, for the option Minimum Balance. All figures in whole credits. The service
 * shows no price in advance, so a price that has not been seen is not 0: while the cost of one accept has not shown in the
 * balance, no other is sent; and what is in doubt counts with the highest price that was seen.
 */
export class Floor {
	/** The balance that was last read. */
	balance = -Infinity;

	/** Why the balance could not be read the last time; undefined when it could. */
	failure: Explanation | undefined;

	#readAt = -Infinity;

	/** When it was asked for: what it shows may be as old as that. */
	#askedAt = -Infinity;

	/** The last answer of `refusal`; it holds as long as `asOf` stays the same, which has all that it depends on. */
	#answer: { asOf: string; reason: string | undefined } = { asOf: '', reason: undefined };

	/** How many requests to accept had left this process before the balance was read: once another has left, it is not current. */
	#requestsBefore = -1;

	readonly #connection: ServiceConnection;

	readonly #journal: Journal;

	constructor(connection: ServiceConnection, journal: Journal) {
		this.#connection = connection;
		this.#journal = journal;
	}

	/** Whether a request that leaves now may rely on the balance. */
	get isCurrent(): boolean {
		const isUnspent = this.#requestsBefore === this.#journal.requests;
		return isUnspent && steadyNow() - this.#readAt < recent;
	}

	/** Why the balance cannot be read, or undefined when it can. */
	async unreadable(): Promise<Explanation | undefined> {
		const balance = await this.#read();
		return isExplanation(balance) ? balance : undefined;
	}

	/**
	 * Why nothing more may be spent; undefined when it may.
	 * @param minimum the floor, in credits
	 * @param wouldAccept how many other offers a dry run would have accepted before
	 */
	async refusal(minimum: number, wouldAccept: number): Promise<string | undefined | Explanation> {
		const balance = this.isCurrent ? this.balance : await this.#read();
		if (isExplanation(balance)) return balance;
		// The journal is not searched again for each of thousands of offers.
		const asOf = [minimum, wouldAccept, this.#readAt, this.#journal.changes].join();
		if (this.#answer.asOf !== asOf) {
			this.#answer = { asOf, reason: this.#refusalAt(minimum, wouldAccept) };
		}
		return this.#answer.reason;
	}

	/** The balance after an accept, once it shows what that has cost, or has not for about ten seconds. */
	async afterAccept(): Promise<number | undefined> {
		// While another request may show in the balance, too, waiting would not tell what this one has cost.
		const checks = this.#journal.doubts().some((at) => isSettling(at)) ? 1 : mostChecks;
		const balance = await this.#connection.checkAgain(
			checks,
			async () => await this.#read(),
			(read) => isExplanation(read) || this.#journal.unpriced.length === 0,
		);
		return isExplanation(balance) ? undefined : balance;
	}

	#refusalAt(minimum: number, wouldAccept: number): string | undefined {
		const { balance } = this;
		const { unpriced, highestPrice } = this.#journal;
		const inDoubt = this.#journal.doubts(this.#askedAt).length;
		if (unpriced.length > 0) {
			return 'The balance does not show the cost of an earlier accept yet, so it is not known how many credits are left';
		}
		if (balance <= minimum) {
			return `The balance of ${balance} credits is not above the minimum of ${minimum}`;
		}
		if (inDoubt > 0 && highestPrice === 0) {
			return `The balance of ${balance} credits may fall below the minimum of ${minimum}: the cost of earlier accepts (${inDoubt}) is not known`;
		}
		if (balance - highestPrice * (1 + inDoubt + wouldAccept) < minimum) {
			const doubt = inDoubt === 0 ? '' : `, and the outcome of ${inDoubt} more is not known`;
			const others = wouldAccept === 0 ? '' : `, and ${wouldAccept} more would be accepted before`;
			return `The balance of ${balance} credits could fall below the minimum of ${minimum}: an accept has cost up to ${highestPrice}${doubt}${others}`;
		}
		return undefined;
	}

	async #read(): Promise<number | Explanation> {
		const requestsBefore = this.#journal.requests;
		const askedAt = steadyNow();
		const mayBeUnseen = (at: number) => isSettling(at, askedAt);
		const result = await readBalance(this.#connection, { fresh: true });
		this.failure = isExplanation(result) ? result : undefined;
		if (isExplanation(result)) return result;
		const balance = result.balance as number;
		this.balance = balance;
		this.#readAt = steadyNow();
		this.#askedAt = askedAt;
		this.#requestsBefore = requestsBefore;
		// While something else may show in the balance, too, nobody knows whose price it is.
		if (this.#journal.doubts(askedAt).some(mayBeUnseen)) return balance;
		for (const cost of this.#journal.unpriced) {
			const credits = (cost.balanceBefore ?? balance) - balance;
			// What has not shown in time cost nothing.
			if (credits > 0 || !mayBeUnseen(cost.at)) cost.credits = Math.max(credits, 0);
		}
		return balance;
	}
}
