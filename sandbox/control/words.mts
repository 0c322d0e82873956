/** What the dashboard calls plans and kinds of ledger entries. */
import type { LedgerEntry, Plan } from '../store/records.mts';

export const planWords: Record<Plan, string> = {
	pro: 'Pro',
	agency: 'Agency',
	none: 'No API access',
};

export const ledgerWords: Record<LedgerEntry['kind'], string> = {
	opening: 'Opening balance',
	exchange_accepted: 'Exchange accepted',
	adjustment: 'Adjustment',
};
