import type { Exchange } from '../../../../shared/api/exchange';

/** Stands for a Minimum Balance that isn't set. */
export const noMinimumBalance = -Infinity;

/** The user's settings for one accept. */
export interface AcceptOptions {
	dryRun: boolean;
	/** Infinity if it isn't set. */
	maxAccepts: number;
	minimumBalance: number;
	/** Whether the decision contains the service's own record. */
	includesRecord: boolean;
}

/** Reason for not accepting an offer although nothing failed. */
export type Denial = { outcome: 'skipped' | 'blocked' | 'needsReview'; reason: string };

/**
 * Evaluates rules on an offer; called again whenever the list was fetched again.
 *
 * @param exchange `undefined` if no list has shown the offer
 * @returns `undefined` if the rules allow the offer
 */
export type GetDenial = (exchange: Exchange | undefined) => Denial | undefined;
