import type { IDataObject } from 'n8n-workflow';

import type { ExchangeEnds } from '../../../../shared/utils/direction';

/** Stands for a Minimum Balance that isn't set. */
export const noMinimumBalance = -Infinity;

export interface AcceptLimits {
	dryRun: boolean;
	/** Infinity if it isn't set. */
	maxAccepts: number;
	minimumBalance: number;
}

/** Reason for not accepting an offer although nothing failed. */
export type Denial = { outcome: 'skipped' | 'blocked' | 'needsReview'; reason: string };

/**
 * Evaluates rules on the record of an offer; called again whenever the list was fetched again.
 *
 * @param listed `undefined` if no list has shown the offer
 * @returns `undefined` if the rules allow the offer
 */
export type GetDenial = (listed: ListedOffer | undefined) => Denial | undefined;

export interface ListedOffer {
	record: IDataObject;
	ends: ExchangeEnds;
}
