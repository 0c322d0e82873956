import type { IDataObject, IExecuteFunctions } from 'n8n-workflow';

import type { ServiceConnection } from '../../../../shared/service/connection';
import type { Explanation } from '../../../../shared/words/explanation';
import type { Decision } from '../decision';
import { Floor } from './floor';
import { Journal } from './journal';

export interface AcceptSettings {
	dryRun: boolean;
	/** Infinity where it is not set. */
	maxAccepts: number;
	minimumBalance?: number;
	/** Why an offer is not to be accepted, by all that the list shows of it. Asked again when the request leaves. */
	objection?: (entries: IDataObject[]) => Objection | undefined;
}

/** What becomes of an offer that is not to be accepted. */
export type Objection = { outcome: 'skipped' | 'refused' | 'undecided'; reason: string };

/** What the items of one run and account share. */
export interface AcceptRun {
	connection: ServiceConnection;
	journal: Journal;
	floor: Floor;
}

export function beginAccepts(context: IExecuteFunctions, connection: ServiceConnection): AcceptRun {
	const journal = new Journal(context, connection);
	const floor = new Floor(connection, journal);
	return { connection, journal, floor };
}

/** An offer that is being accepted, and what is known of it. */
export interface Offer extends AcceptRun {
	id: string;
	settings: AcceptSettings;
	/** A name for this exchange of this account. */
	key: string;
	/** The record as it was last seen; undefined while no list has shown it. */
	record?: IDataObject;
	/** What came back from a request that got no clear answer, such as "HTTP 500". */
	cause?: string;
	/** All entries of it, in whatever state, in the list as it was last read. */
	listed: IDataObject[];
	/** When that list had been read, by `steadyNow`. */
	listedAt: number;
	/** When all that decides had been read: the list, and the balance under a floor. */
	decidedAt: number;
	/** The balance before the request for it, in credits; undefined without a floor. */
	balanceBefore?: number;
}

/** An outcome that could not be seen, or a request that came to nothing, is an explanation. */
export type Reached = Decision | Explanation;
