import type { Balance, LedgerEntry } from '../store/records.mts';
import type { Store } from '../store/store.mts';

/** Time of a charge that waits for something, for example for a link to go live. */
export const notYet = Number.MAX_SAFE_INTEGER;

/**
 * Returns the balance and both lifetime figures, computed from the ledger. An entry whose time is
 * in the future isn't charged yet.
 */
export function getBalance(store: Store): Balance {
	return store.get(
		`SELECT coalesce(sum(amount), 0) AS balance, coalesce(sum(max(amount, 0)), 0) AS lifetimeEarned,
		coalesce(sum(max(-amount, 0)), 0) AS lifetimeSpent FROM ledger WHERE createdAt <= ?`,
		store.now(),
	) as unknown as Balance;
}

/** Adds a ledger entry: positive for credits earned, negative for credits spent, none for zero. */
export function addLedgerEntry(
	store: Store,
	amount: number,
	kind: LedgerEntry['kind'],
	exchangeId?: string,
	createdAt = store.now(),
): void {
	if (amount !== 0) store.insert('ledger', { amount, kind, exchangeId, createdAt });
}
