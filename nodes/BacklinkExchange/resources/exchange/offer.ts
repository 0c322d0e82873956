import type { IDataObject } from 'n8n-workflow';

import type { ServiceConnection } from '../../../shared/connection';
import { type Explanation, isExplanation } from '../../../shared/explanation';
import { acceptMemory } from './acceptMemory';
import { type AcceptResult, inDoubtAllTheSame } from './acceptResult';
import type { CreditGuard } from './creditGuard';
import type { ExecutionAccepts } from './executionAccepts';

export interface AcceptSettings {
	checkFirst: boolean;
	dryRun: boolean;
	/** 0 for no limit. */
	maxAccepts: number;
	minimumBalance?: number;
	retryUnconfirmed: boolean;
}

/** What the items of one run share. */
export interface AcceptRun {
	connection: ServiceConnection;
	credits: CreditGuard;
	execution: ExecutionAccepts;
}

/** An offer that is being accepted: what is known of it, and what its item puts out. */
export class Offer {
	/** A name for this exchange of this account. */
	readonly key: string;

	readonly run: AcceptRun;

	readonly id: string;

	readonly settings: AcceptSettings;

	/** The record as it was last seen. */
	record: IDataObject | undefined;

	/** When a request was last sent whose outcome is not known (milliseconds). */
	inDoubtSince: number | undefined;

	/** What came back from it, such as "HTTP 500". */
	cause: string | undefined;

	constructor(run: AcceptRun, id: string, settings: AcceptSettings) {
		this.run = run;
		this.id = id;
		this.settings = settings;
		this.key = run.connection.accountKey(id);
	}

	/** It is accepted or live. If this execution has asked for it, that is its own accept. */
	async seen(
		record: IDataObject | undefined,
		confirmedBy: 'check' | 'memory' | 'readBack',
	): Promise<AcceptResult> {
		// What is only remembered becomes no newer by it.
		if (confirmedBy !== 'memory') acceptMemory.accepted(this.key, record);
		const exchange = record && { exchange: record };
		if (this.run.execution.sentAt(this.key) === undefined) {
			return { id: this.id, outcome: 'alreadyAccepted', confirmedBy, ...exchange };
		}
		return await this.settled({
			id: this.id,
			outcome: 'accepted',
			confirmedBy: confirmedBy === 'check' ? 'readBack' : confirmedBy,
			...exchange,
		});
	}

	/** Keeps the result for later items and tries, and adds what it cost, where the balance is watched. */
	async settled(result: AcceptResult): Promise<AcceptResult> {
		const { execution, credits } = this.run;
		execution.settled(this.key, result);
		if (this.settings.minimumBalance === undefined) return result;
		const spending = await credits.settle();
		// The offer is accepted; that what it cost could not be read must not look like anything else.
		if (isExplanation(spending)) return result;
		const { creditsSpent, balance } = spending;
		// Of several that may have been paid by now, it is not known which one cost what.
		const isOwn = result.confirmedBy !== 'memory' && execution.countUnsettledOthers(this.key) === 0;
		const withCost = { ...result, ...(isOwn && { creditsSpent }), balance };
		execution.settled(this.key, withCost);
		return withCost;
	}

	/** Why it was not accepted now; an earlier request may still be in doubt. */
	declined(why: Explanation): Explanation {
		return this.inDoubtSince === undefined ? why : inDoubtAllTheSame(why);
	}

	/** The record for the output, if there is one. */
	exchange(): Pick<AcceptResult, 'exchange'> {
		return this.record ? { exchange: this.record } : {};
	}
}
