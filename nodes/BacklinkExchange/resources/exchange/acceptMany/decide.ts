import type { IDataObject } from 'n8n-workflow';

import { whyNotASegment } from '../../../../shared/identity';
import { describeState, stateOf } from '../../../../shared/reading/state';
import type { Objection } from '../accept/offer';
import type { Judgement } from './rules';

/** What an offer is decided by, besides what the lists show of it, as it is at this moment. */
export interface Facts {
	/** What the rules say of a record. */
	judge: (offer: IDataObject) => Judgement;
	/** Why no other offer can be accepted in this run; undefined while one can. */
	end: string | undefined;
	/** Offers that were accepted within 24 hours, or may have been, without this one. */
	acceptedToday: number;
	/** Infinity where it is not set. */
	maxPerDay: number;
	/** Why Max Accepts allows no other offer in this execution; undefined while it does. */
	maxAcceptsReached: string | undefined;
}

/**
 * Why an offer is not to be accepted; undefined when it may be.
 * @param listed all that the lists show of it
 */
export function objectionTo(
	id: string,
	listed: IDataObject[],
	facts: Facts,
): Objection | undefined {
	if (whyNotASegment(id) !== undefined) return undecided('Its ID cannot be read');
	const unreadable = listed.find((entry) => stateOf(entry) === undefined);
	if (unreadable !== undefined) {
		return undecided(`Its state cannot be read: the list shows ${describeState(unreadable)}`);
	}
	// Of several entries of one offer, any may be the right one: refusal wins over doubt, and doubt over allowance.
	const judgements = listed.map(facts.judge);
	for (const outcome of ['refused', 'undecided'] as const) {
		const reason = judgements.find(({ verdict }) => verdict === outcome)?.reason;
		if (reason !== undefined) return { outcome, reason };
	}
	const limit = limitReached(facts);
	if (limit !== undefined) return { outcome: 'skipped', reason: limit };
	return listed.length === 0 ? undecided('The list no longer shows it') : undefined;
}

function limitReached({
	end,
	acceptedToday,
	maxPerDay,
	maxAcceptsReached,
}: Facts): string | undefined {
	const perDay = acceptedToday >= maxPerDay ? `Max per Day (${maxPerDay}) is reached` : undefined;
	return end ?? perDay ?? maxAcceptsReached;
}

function undecided(reason: string): Objection {
	return { outcome: 'undecided', reason };
}
