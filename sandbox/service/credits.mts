import type { Balance, LedgerEntry } from '../store/records.mts';
import { integer, optionalText, type Store, text } from '../store/store.mts';

const asOf = "WHERE created_at <= ? OR kind = 'opening'";

/** The ledger, and the figures that follow from it. */
export class Credits {
	readonly #store: Store;
	readonly #clock: () => number;

	constructor(store: Store, clock: () => number) {
		this.#store = store;
		this.#clock = clock;
	}

	/** @param moment when the balance was like this, in milliseconds since 1970; the opening balance always counts */
	balance(moment = Infinity): Balance {
		const row = this.#store.get(
			`SELECT coalesce(sum(amount), 0) AS balance, coalesce(sum(max(amount, 0)), 0) AS earned, coalesce(sum(max(-amount, 0)), 0) AS spent FROM ledger ${asOf}`,
			moment,
		);
		if (!row) throw new TypeError('A sum has one row.');
		return {
			balance: integer(row, 'balance'),
			lifetimeEarned: integer(row, 'earned'),
			lifetimeSpent: integer(row, 'spent'),
		};
	}

	/** The entries that there were at that moment, in milliseconds since 1970, the newest first. */
	entries(moment = Infinity): LedgerEntry[] {
		return this.#store.all(`SELECT * FROM ledger ${asOf} ORDER BY id DESC`, moment).map((row) => ({
			id: integer(row, 'id'),
			amount: integer(row, 'amount'),
			kind: text(row, 'kind') as LedgerEntry['kind'],
			exchangeId: optionalText(row, 'exchange_id'),
			createdAt: integer(row, 'created_at'),
		}));
	}

	/** Writes down credits that came in (positive) or went out (negative); for zero it writes nothing. */
	enter(amount: number, kind: LedgerEntry['kind'], exchangeId?: string): void {
		if (amount === 0) return;
		this.#store.run(
			'INSERT INTO ledger (amount, kind, exchange_id, created_at) VALUES (?, ?, ?, ?)',
			amount,
			kind,
			exchangeId ?? null,
			this.#clock(),
		);
	}

	/** The total that accepting the exchange has cost so far. */
	spentOn(exchangeId: string): number {
		const row = this.#store.get(
			'SELECT coalesce(-sum(amount), 0) AS spent FROM ledger WHERE exchange_id = ?',
			exchangeId,
		);
		return row ? integer(row, 'spent') : 0;
	}

	/** How many times credits were deducted for the exchange. */
	deductionsFor(exchangeId: string): number {
		const row = this.#store.get(
			'SELECT count(*) AS times FROM ledger WHERE exchange_id = ? AND amount < 0',
			exchangeId,
		);
		return row ? integer(row, 'times') : 0;
	}
}
