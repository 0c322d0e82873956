import type { ServiceConnection } from '../../../shared/connection';
import { type Explanation, isExplanation } from '../../../shared/explanation';
import { readBalance } from '../credit/balance';
import type { ExecutionAccepts } from './executionAccepts';

/** A balance that is older than this many milliseconds is read again before a request. */
const recent = 1000;

/** Requests that spend which this process has sent: a balance that was read before the last one is not the current one. */
let requests = 0;

/** Watches the balance over a run, for the option Minimum Balance. All figures in whole credits. */
export class CreditGuard {
	#balance: number | undefined;

	#readAt = 0;

	#requestsBefore = 0;

	/** This run has sent such a request since the balance was read. */
	#isOutdated = false;

	readonly #connection: ServiceConnection;

	readonly #execution: ExecutionAccepts;

	constructor(connection: ServiceConnection, execution: ExecutionAccepts) {
		this.#connection = connection;
		this.#execution = execution;
	}

	/**
	 * Why nothing more may be spent, or undefined when it may.
	 * @param unsettled offers that may still be paid: they count with the most that one has cost
	 */
	async refusal(minimum: number, unsettled: number): Promise<string | undefined | Explanation> {
		// Too little stays too little for the rest of the run: no request for each of many offers that are skipped.
		if (this.#balance !== undefined && !this.#isOutdated) {
			const refusal = this.#refusalAt(this.#balance, minimum, unsettled);
			if (refusal !== undefined) return refusal;
		}
		const isRecent = Date.now() - this.#readAt < recent;
		const isCurrent = isRecent && this.#requestsBefore === requests;
		const balance =
			isCurrent && this.#balance !== undefined ? this.#balance : await this.#refresh();
		return typeof balance === 'number' ? this.#refusalAt(balance, minimum, unsettled) : balance;
	}

	/** To be called before each request that spends. */
	posting(): void {
		requests++;
		this.#isOutdated = true;
	}

	/**
	 * After an accept: what it cost and what is left. The cost is the difference of two balances, so something else that
	 * spends or earns at the same time shows in it; undefined when no balance was read before.
	 */
	async settle(): Promise<{ creditsSpent?: number; balance: number } | Explanation> {
		const before = this.#balance;
		const balance = await this.#refresh();
		if (typeof balance !== 'number') return balance;
		return {
			balance,
			...(before !== undefined && { creditsSpent: Math.max(before - balance, 0) }),
		};
	}

	#refusalAt(balance: number, minimum: number, unsettled: number): string | undefined {
		const { highestCost } = this.#execution;
		if (balance <= minimum) {
			return `The balance of ${balance} credits is not above the minimum of ${minimum}`;
		}
		if (balance - highestCost * (1 + unsettled) < minimum) {
			const alsoUnsettled =
				unsettled === 0 ? '' : `, and the outcome of ${unsettled} more is not known`;
			return `The balance of ${balance} credits would fall below the minimum of ${minimum}: an accept has cost ${highestCost} in this execution${alsoUnsettled}`;
		}
		return undefined;
	}

	async #refresh(): Promise<number | Explanation> {
		const requestsBefore = requests;
		const result = await readBalance(this.#connection, { fresh: true });
		if (isExplanation(result)) return result;
		const balance = result.record.balance as number;
		// Whatever was spent since the last reading: an accept may cost that much.
		if (this.#isOutdated && this.#balance !== undefined) {
			this.#execution.hasCost(this.#balance - balance);
		}
		this.#balance = balance;
		this.#readAt = Date.now();
		this.#requestsBefore = requestsBefore;
		this.#isOutdated = false;
		return balance;
	}
}
