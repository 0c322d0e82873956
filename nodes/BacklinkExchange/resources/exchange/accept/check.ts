/** What is seen of an offer: in the memory of this process, and in the lists of the service. Nothing is sent here. */
import type { IDataObject } from 'n8n-workflow';

import { idOf } from '../../../../shared/identity';
import { findExchange, type FoundExchange } from '../../../../shared/reading/exchanges';
import { describeState } from '../../../../shared/reading/state';
import { steadyNow } from '../../../../shared/time';
import { type Explanation, isExplanation } from '../../../../shared/words/explanation';
import type { Decision } from '../decision';
import { isFresh, isSettling, type Journal } from './journal';
import type { AcceptRun, Offer, Reached } from './offer';
import { brokenLink, stillPending, unknownOutcome, unreadableState } from './result';

/** A list that is older than this many milliseconds is read again before a request. */
const recent = 5000;
/** How often an offer in doubt is checked again: about ten seconds in all. */
const mostChecks = 6;

/**
 * What this execution has reached for the offer, or else that this process has seen it as accepted within 24 hours; undefined
 * where neither is known.
 */
export async function recall(offer: Offer): Promise<Reached | undefined> {
	const { journal, key } = offer;
	const entry = journal.recall(key);
	const isKnown = entry !== undefined && isFresh(entry);
	return journal.attempts.of(key).result ?? (isKnown ? await answer(offer, 'memory') : undefined);
}

/**
 * What is to be said of the offer by the list, and by what this node has sent before; undefined when a request may be sent.
 * @param fresh as `readList` has it
 */
export async function check(
	offer: Offer,
	{ fresh }: { fresh?: boolean } = {},
): Promise<Reached | undefined> {
	const { journal, id, key, cause } = offer;
	const wasAccepted = journal.recall(key)?.acceptedAt !== undefined;
	const doubtSince = journal.doubtSince(key);
	const found = await readList(offer, { fresh });
	if (isExplanation(found)) {
		if (wasAccepted) return await answer(offer, 'memory');
		return doubtSince === undefined ? found : unknownOutcome(id, cause, found);
	}
	switch (found.state) {
		case 'accepted':
		case 'live':
			return await seen(offer, 'check');
		case 'broken': {
			const isOwn = (await journal.askedFor([key])).has(key);
			return isOwn ? await seen(offer, 'check') : brokenLink(id);
		}
		case 'pending': {
			const mayStillSettle = doubtSince !== undefined && isSettling(doubtSince, found.askedAt);
			return mayStillSettle ? stillPending(id, cause) : undefined;
		}
		// No list shows it.
		case undefined:
			if (wasAccepted) return await answer(offer, 'memory');
			return doubtSince === undefined ? undefined : unknownOutcome(id, cause);
	}
}

/** Checks again, until the offer is seen as accepted or has not been for about ten seconds. */
export async function checkUntilSeen(offer: Offer): Promise<Reached> {
	return await offer.connection.checkAgain(
		mostChecks,
		async () => (await check(offer, { fresh: true })) ?? stillPending(offer.id, offer.cause),
		(reached) => !isExplanation(reached),
	);
}

/**
 * What the list shows of the offer; an explanation where the list, or the state in it, cannot be read. Unless it has to be fresh, a
 * list is good enough that was read a moment ago, and after the last request for this offer.
 */
export async function readList(
	offer: Offer,
	{ fresh }: { fresh?: boolean } = {},
): Promise<FoundExchange | Explanation> {
	const { askedUntil = -Infinity } = offer.journal.recall(offer.key) ?? {};
	// What was asked for in the same millisecond may not show the request.
	const freshness = { since: askedUntil + 1, for: recent, fresh };
	const found = await findExchange(offer.connection, offer.id, freshness);
	if (isExplanation(found)) return found;
	const { entries, record, state } = found;
	Object.assign(offer, { listed: entries, listedAt: steadyNow() });
	offer.record = record ?? offer.record;
	if (record === undefined || state !== undefined) return found;
	return unreadableState(offer.id, describeState(record));
}

/** Whether what was read at this time, the list or all that decides, is still good enough for a request. */
export function isRecent(at: number): boolean {
	return steadyNow() - at <= recent;
}

/**
 * What is said of those exchanges that this node has asked for, by their keys; nothing of those that were returned before.
 * @param listed exchanges that a list has just shown as accepted, live or broken, by their keys
 */
export async function ownAccepts(
	{ journal }: AcceptRun,
	listed: ReadonlyMap<string, IDataObject>,
): Promise<Map<string, Decision>> {
	const own = new Map<string, Decision>();
	const open = [...listed.keys()].filter((key) => !journal.isReturned(key));
	for (const key of await journal.askedFor(open)) {
		const exchange = listed.get(key) ?? {};
		journal.accepted(key, exchange);
		const said = ownAnswer(journal, key, idOf(exchange) ?? '');
		const { result } = journal.attempts.of(key);
		own.set(key, result ?? { ...said, confirmedBy: 'readBack', exchange });
	}
	return own;
}

/** Writes down that the offer was seen as accepted or live just now, and says so. */
export async function seen(
	offer: Offer,
	confirmedBy: 'response' | 'check' | 'readBack',
): Promise<Decision> {
	offer.journal.accepted(offer.key, offer.record, offer.balanceBefore);
	return await answer(offer, confirmedBy);
}

/** What is said of an offer that is accepted: the same whoever asks, by whether this node has asked for it. */
async function answer(
	offer: Offer,
	confirmedBy: 'response' | 'check' | 'readBack' | 'memory',
): Promise<Decision> {
	const { journal, floor, id, key, settings } = offer;
	const isMemory = confirmedBy === 'memory';
	const exchange = isMemory ? journal.recall(key)?.record : offer.record;
	const isOwn = (await journal.askedFor([key])).has(key);
	if (!isOwn) return { id, outcome: 'alreadyAccepted', confirmedBy, exchange };
	// Under a floor, the item shows the balance, so what the accept cost is waited for.
	const isShown = settings.minimumBalance !== undefined && !isMemory;
	const balance = isShown ? await floor.afterAccept() : undefined;
	// A check finds what others have accepted; what this node has asked for, it reads back.
	const how = confirmedBy === 'check' ? 'readBack' : confirmedBy;
	const result = { ...ownAnswer(journal, key, id), confirmedBy: how, balance, exchange };
	journal.attempts.keep(key, { result });
	return result;
}

/** What is said of an offer that is accepted, and that this node has asked for. */
function ownAnswer(journal: Journal, key: string, id: string): Decision {
	const { dispute: reason, cost } = journal.recall(key) ?? {};
	const outcome = reason === undefined ? 'accepted' : 'alreadyAccepted';
	// 0 is no price that was seen: the balance has shown none in time.
	return { id, outcome, reason, creditsSpent: cost?.credits || undefined };
}
