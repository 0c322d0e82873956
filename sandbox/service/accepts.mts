import type { Dialect } from '../dialects.mts';
import { ServiceError } from '../errors.mts';
import type { Exchange } from '../store/records.mts';
import { integer, optionalInteger, type Store, text } from '../store/store.mts';
import type { Credits } from './credits.mts';
import type { Exchanges } from './exchanges.mts';

export type AcceptDialect = Pick<
	Dialect,
	'acceptAgain' | 'insufficientCredits' | 'settlement' | 'settlementSeconds'
>;

export interface Accept {
	exchange: Exchange;
	/** With `again`, the exchange was accepted before; with `unsettled`, the accept takes effect later. */
	outcome: 'accepted' | 'again' | 'unsettled';
}

/** Accepts, which cost credits. These are deducted on confirmation, so state and ledger change together or not at all. */
export class Accepts {
	readonly #store: Store;
	readonly #clock: () => number;
	readonly #credits: Credits;
	readonly #exchanges: Exchanges;

	constructor(store: Store, clock: () => number, credits: Credits, exchanges: Exchanges) {
		this.#store = store;
		this.#clock = clock;
		this.#credits = credits;
		this.#exchanges = exchanges;
	}

	/**
	 * @param dialect what becomes of the accept, and of one that is not the first
	 * @throws ServiceError exchange_not_found, exchange_not_pending or insufficient_credits
	 */
	accept(id: string, dialect: AcceptDialect): Accept {
		return this.#store.transaction(() => {
			const exchange = this.#exchanges.get(id);
			if (exchange.status !== 'pending' || this.#isUnsettled(id)) {
				this.#acceptAgain(exchange, dialect.acceptAgain);
				return { exchange, outcome: exchange.status === 'pending' ? 'unsettled' : 'again' };
			}
			const { balance } = this.#credits.balance();
			if (balance < exchange.cost) {
				throw new ServiceError(
					Number(dialect.insufficientCredits),
					'insufficient_credits',
					`You need ${exchange.cost} credits to accept this exchange, but you have ${balance}.`,
				);
			}
			if (dialect.settlement === 'at-once') {
				return { exchange: this.#confirm(exchange), outcome: 'accepted' };
			}
			this.#store.run(
				'UPDATE exchanges SET settlement_due_at = ? WHERE id = ?',
				this.#clock() + dialect.settlementSeconds * 1000,
				id,
			);
			return { exchange, outcome: 'unsettled' };
		});
	}

	/** The exchanges whose accept has yet to take effect, and when it does (milliseconds since 1970); the earliest first. */
	unsettled(): { id: string; dueAt: number }[] {
		return this.#store
			.all(
				'SELECT id, settlement_due_at FROM exchanges WHERE settlement_due_at IS NOT NULL ORDER BY settlement_due_at, number',
			)
			.map((row) => ({ id: text(row, 'id'), dueAt: integer(row, 'settlement_due_at') }));
	}

	/** Lets an accept take effect; undefined when the credits are gone by now, and the offer is pending as before. */
	settle(id: string): Exchange | undefined {
		return this.#store.transaction(() => {
			this.#store.run('UPDATE exchanges SET settlement_due_at = NULL WHERE id = ?', id);
			const exchange = this.#exchanges.get(id);
			const isAffordable = this.#credits.balance().balance >= exchange.cost;
			return isAffordable ? this.#confirm(exchange) : undefined;
		});
	}

	#isUnsettled(id: string): boolean {
		const row = this.#store.get('SELECT settlement_due_at FROM exchanges WHERE id = ?', id);
		return row !== undefined && optionalInteger(row, 'settlement_due_at') !== undefined;
	}

	#confirm({ id, cost }: Exchange): Exchange {
		this.#credits.enter(-cost, 'exchange_accepted', id);
		return this.#exchanges.markAccepted(id);
	}

	#acceptAgain({ id, status }: Exchange, acceptAgain: Dialect['acceptAgain']): void {
		if (acceptAgain === '200') return;
		throw new ServiceError(
			Number(acceptAgain),
			'exchange_not_pending',
			`The exchange ${id} is ${status === 'pending' ? 'being accepted' : status}. Only a pending one can be accepted.`,
		);
	}
}
