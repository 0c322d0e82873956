import type { Balance, LedgerEntry } from '../store/records.mts';
import type { Store } from '../store/store.mts';

/** The figures that follow from the ledger. */
export function getBalance(store: Store): Balance {
	return store.get(
		`SELECT coalesce(sum(amount), 0) AS balance, coalesce(sum(max(amount, 0)), 0) AS lifetimeEarned,
		coalesce(sum(max(-amount, 0)), 0) AS lifetimeSpent FROM ledger`,
	) as unknown as Balance;
}

/** Writes down credits that came in (positive) or went out (negative); for zero it writes nothing. */
export function addLedgerEntry(
	store: Store,
	amount: number,
	kind: LedgerEntry['kind'],
	exchangeId?: string,
	createdAt = store.now(),
): void {
	if (amount !== 0) store.insert('ledger', { amount, kind, exchangeId, createdAt });
}
