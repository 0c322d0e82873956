import { readBalance } from '../../../../shared/api/fetchBalance';
import { type ErrorResult, isErrorResult } from '../../../../shared/errors';
import type { ApiClient } from '../../../../shared/transport/apiClient';
import { BoundedMap } from '../../../../shared/utils/boundedMap';
import { monotonicNow } from '../../../../shared/utils/time';

/** How often the balance is read for a price that has not shown: about ten seconds in all. */
const maxVerifyAttempts = 6;

/** A request to accept whose price has not shown. */
interface OpenAccept {
	/** `lifetime_spent` before it; undefined where that could not be read. */
	before: number | undefined;
	/** Whether no other accept of the account was under way, or had still to show its price. */
	isAlone: boolean;
}

interface Reading {
	balance: number;
	spent: number | undefined;
	/** By `steadyNow`: what it shows may be as old as that. */
	requestedAt: number;
}

const floors = new BoundedMap<string, Floor>(1000);

/**
 * What accepts cost an account, and whether its balance allows another one. The service shows no price in advance: it is the
 * rise of the documented `lifetime_spent` (service-api.md, "Credit balance"), because the balance also changes when something is
 * earned. A price that has not shown is not known, however long ago the accept was: credits go "on confirmation".
 */
export class Floor {
	#reading: Reading | undefined;

	/** How many requests to accept have ended. */
	#ended = 0;

	/** By the key of the offer. */
	readonly #open = new Map<string, OpenAccept>();

	/** What accepts have cost, in credits, by the key of the offer. */
	readonly #prices = new BoundedMap<string, number>(1000);

	#highestPrice = 0;

	/** The one of an account in this process. */
	static of(connection: ApiClient): Floor {
		return floors.of(connection.accountKey('floor'), () => new Floor());
	}

	/** To be called when a request to accept leaves. */
	begin(key: string): void {
		for (const other of this.#open.values()) other.isAlone = false;
		this.#open.set(key, { before: this.#reading?.spent, isAlone: this.#open.size === 0 });
	}

	/** To be called when it has ended, whatever came of it: what was read before is over. */
	ended(): void {
		this.#ended++;
		this.#reading = undefined;
	}

	/** The request was not carried out. */
	close(key: string): void {
		this.#open.delete(key);
	}

	/** Its price is not looked for any more; where nothing is known of the time before, it can never show. */
	giveUp(key: string): void {
		if (this.#open.get(key)?.before === undefined) this.close(key);
	}

	/** The balance; one that was asked for less than so many milliseconds ago is good enough. */
	async read(connection: ApiClient, maxAgeMs = 0): Promise<Reading | ErrorResult> {
		const requestedAt = monotonicNow();
		if (this.#reading && requestedAt - this.#reading.requestedAt < maxAgeMs) return this.#reading;
		const endedBefore = this.#ended;
		const record = await readBalance(connection, { noCache: true });
		if (isErrorResult(record)) return record;
		const { balance, lifetime_spent: spent } = record;
		const isKnown = Number.isInteger(spent);
		const reading: Reading = {
			balance: balance as number,
			spent: isKnown ? (spent as number) : undefined,
			requestedAt,
		};
		if (endedBefore === this.#ended) this.#reading = reading;
		if (reading.spent !== undefined) this.#learn(reading.spent);
		return reading;
	}

	/**
	 * Why nothing more may be spent; undefined when it may.
	 * @param minimum credits that have to be left
	 * @param others how many other offers a dry run would have accepted before
	 */
	objection({ balance, spent }: Reading, minimum: number, others: number): string | undefined {
		if (this.#open.size > 0 || spent === undefined) {
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
	async after(
		connection: ApiClient,
		key: string,
		waits: boolean,
	): Promise<{ creditsSpent?: number; balance?: number } | undefined> {
		const reading = await connection.retryUntil(
			waits ? maxVerifyAttempts : 1,
			async () => await this.read(connection),
			(read) => isErrorResult(read) || !this.#open.has(key),
		);
		this.giveUp(key);
		if (isErrorResult(reading)) return undefined;
		return { creditsSpent: this.#prices.get(key), balance: reading.balance };
	}

	#learn(spent: number): void {
		for (const [key, { before, isAlone }] of this.#open) {
			if (before === undefined || spent <= before) continue;
			this.close(key);
			if (!isAlone) continue;
			this.#prices.set(key, spent - before);
			this.#highestPrice = Math.max(this.#highestPrice, spent - before);
		}
	}
}
