import type { IDataObject } from 'n8n-workflow';
/** The minimum of the balance where none is set. */
export const noMinimumBalance = -Infinity;

export interface AcceptLimits {
	dryRun: boolean;
	/** Infinity where it is not set. */
	maxAccepts: number;
	minimumBalance: number;
	/** Why the offer is not to be accepted, by the record that the list shows; asked again after each look. */
	getDenial?: (record: IDataObject | undefined) => Denial | undefined;
}

/** What becomes of an offer that is not to be accepted. */
export type Denial = { outcome: 'skipped' | 'refused' | 'undecided'; reason: string };
