import type { IDataObject } from 'n8n-workflow';

import { explainAnswer } from '../../../shared/errors';
import { findExchange, isAccepted, type Sighting } from '../../../shared/exchanges';
import { type Explanation, isExplanation } from '../../../shared/explanation';
import type { ServiceResponse } from '../../../shared/response';
import { lookAgain } from '../../lookAgain';
import { readAcceptAnswer } from './acceptAnswer';
import { acceptMemory, type Remembered } from './acceptMemory';
import {
	type AcceptResult,
	brokenLink,
	memoryIsFull,
	notLookedUp,
	refusedButAccepted,
	unknownOutcome,
} from './acceptResult';
import type { Offer } from './offer';

/** Looks at an exchange whose state is in doubt: this many times at most, with growing pauses (about ten seconds in all). */
const mostLooks = 6;

/** One request, and what became of it. */
export async function sendRequest(
	offer: Offer,
): Promise<AcceptResult | Explanation | 'stillPending'> {
	const { connection, execution, credits } = offer.run;
	const before = acceptMemory.recall(offer.key);
	const sentBefore = execution.sentAt(offer.key);
	if (!acceptMemory.posting(offer.key)) return memoryIsFull(offer.id);
	execution.posting(offer.key);
	credits.posting();
	const outcome = await connection.post(['exchanges', offer.id, 'accept']).finally(() => {
		// It may have waited for the limit before it was sent, so the time counts from its end.
		acceptMemory.posting(offer.key);
		execution.posting(offer.key);
	});
	const answer = readAcceptAnswer(connection, outcome, offer.id);
	switch (answer.kind) {
		case 'accepted': {
			const exchange = { ...withoutStatus(offer.record), ...answer.record };
			acceptMemory.accepted(offer.key, exchange);
			return await offer.settled({
				id: offer.id,
				outcome: 'accepted',
				confirmedBy: 'response',
				...(Object.keys(exchange).length > 0 && { exchange }),
			});
		}
		case 'inDoubt':
			offer.inDoubtSince = Date.now();
			offer.cause = answer.cause;
			return await lookUntilSettled(offer);
		case 'refused':
			return await lookAfterRefusal(offer, answer.response, before, sentBefore);
		case 'declined':
			acceptMemory.declined(offer.key, before);
			execution.declined(offer.key, sentBefore);
			return offer.declined(answer.explanation);
		case 'notSent':
			acceptMemory.notSent(offer.key, before);
			execution.declined(offer.key, sentBefore);
			return offer.declined(answer.explanation);
	}
}

/** After a request in doubt: looks until the exchange is accepted, or has stayed pending long enough. */
async function lookUntilSettled(
	offer: Offer,
): Promise<AcceptResult | Explanation | 'stillPending'> {
	const isSettled = (sighting: Sighting | Explanation) =>
		!isExplanation(sighting) && isAccepted(sighting.record);
	const look = async () => await findExchange(offer.run.connection, offer.id, { fresh: true });
	const sighting = await lookAgain(offer.run.connection, mostLooks, look, isSettled);
	if (isExplanation(sighting)) return unknownOutcome(offer.id, offer.cause, sighting);
	if (isAccepted(sighting.record)) return await offer.seen(sighting.record, 'readBack');
	return sighting.record?.status === 'pending'
		? 'stillPending'
		: unknownOutcome(offer.id, offer.cause);
}

/** After a refusal that does not settle it: what the exchange is now. */
async function lookAfterRefusal(
	offer: Offer,
	response: ServiceResponse,
	before: Remembered | undefined,
	sentBefore: number | undefined,
): Promise<AcceptResult | Explanation> {
	const { connection, execution } = offer.run;
	const sighting = await findExchange(connection, offer.id, { fresh: true });
	const explained = explainAnswer(connection, response, {
		action: `accept the offer ${offer.id}`,
		notFound: {
			message: `The service does not know the exchange ${offer.id}`,
			description: 'Take the ID from "Get many exchanges" with status Pending.',
		},
	});
	// Not to be seen: it counts as spent, and stays unknown.
	if (isExplanation(sighting)) return notLookedUp(explained);
	const { record } = sighting;
	if (isAccepted(record) && sentBefore === undefined) {
		acceptMemory.accepted(offer.key, record);
		// It counts for the bounds like an accept: that somebody else was faster is the service's word alone.
		return await offer.settled({
			id: offer.id,
			outcome: 'alreadyAccepted',
			confirmedBy: 'readBack',
			reason: refusedButAccepted(response.statusCode),
			...(record && { exchange: record }),
		});
	}
	if (isAccepted(record)) return await offer.seen(record, 'readBack');
	acceptMemory.declined(offer.key, before);
	execution.declined(offer.key, sentBefore);
	if (record?.status === 'broken') return brokenLink(offer.id);
	return offer.declined(explained);
}

/** What was known before the accept; its status is no longer true. */
function withoutStatus(exchange: IDataObject | undefined): IDataObject {
	return Object.fromEntries(Object.entries(exchange ?? {}).filter(([name]) => name !== 'status'));
}
