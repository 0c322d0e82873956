import type { ServiceConnection } from '../../../shared/connection';
import { type Explanation, isExplanation } from '../../../shared/explanation';
import { readBalance } from '../credit/balance';

/** So many milliseconds a balance counts as the current one: it was read after the accept before this one. */
const recent = 1000;

/** Watches the balance over a run, for the option Minimum Balance. All figures in whole credits. */
export class CreditGuard {
	#balance: number | undefined;

	#readAt = 0;

	/** The most that one accept has cost in this run: the service does not tell a price beforehand. */
	#highestCost = 0;

	readonly #connection: ServiceConnection;

	constructor(connection: ServiceConnection) {
		this.#connection = connection;
	}

	/** Why nothing more may be spent, or undefined when it may. */
	async refusal(minimum: number): Promise<string | undefined | Explanation> {
		// Too little stays too little for the rest of the run: no request for each of many offers that are skipped.
		if (this.#balance !== undefined) {
			const refusal = this.#refusalAt(this.#balance, minimum);
			if (refusal !== undefined) return refusal;
		}
		const isRecent = Date.now() - this.#readAt < recent;
		const balance = isRecent && this.#balance !== undefined ? this.#balance : await this.#refresh();
		return typeof balance === 'number' ? this.#refusalAt(balance, minimum) : balance;
	}

	#refusalAt(balance: number, minimum: number): string | undefined {
		if (balance <= minimum) {
			return `The balance of ${balance} credits is not above the minimum of ${minimum}`;
		}
		if (balance - this.#highestCost < minimum) {
			return `The balance of ${balance} credits would fall below the minimum of ${minimum}: an accept has cost ${this.#highestCost} in this run`;
		}
		return undefined;
	}

	/**
	 * After an accept: what it cost and what is left. The cost is the difference of two balances, so something else that
	 * spends or earns at the same time shows in it.
	 */
	async settle(): Promise<{ creditsSpent: number; balance: number } | Explanation> {
		const before = this.#balance ?? 0;
		const balance = await this.#refresh();
		if (typeof balance !== 'number') return balance;
		const creditsSpent = Math.max(before - balance, 0);
		this.#highestCost = Math.max(this.#highestCost, creditsSpent);
		return { creditsSpent, balance };
	}

	async #refresh(): Promise<number | Explanation> {
		const result = await readBalance(this.#connection, { fresh: true });
		if (isExplanation(result)) return result;
		this.#balance = result.record.balance as number;
		this.#readAt = Date.now();
		return this.#balance;
	}
}
