import type { IDataObject, IExecuteFunctions } from 'n8n-workflow';

import { idOf } from '../../../../shared/identity';
import { findExchange, type FoundExchange } from '../../../../shared/reading/exchanges';
import { describeState, isPaid } from '../../../../shared/reading/state';
import type { Outcome, ServiceConnection } from '../../../../shared/service/connection';
import { steadyNow } from '../../../../shared/time';
import { type Explanation, isExplanation } from '../../../../shared/words/explanation';
import { turns } from '../../../turns';
import type { Decision } from '../decision';
import { readAnswer } from './answer';
import { Floor } from './floor';
import { isFresh, isSettling, Journal, type Withheld } from './journal';
import {
	brokenLink,
	inDoubtAllTheSame,
	refusalNotChecked,
	refusedButAccepted,
	stillPending,
	unknownOutcome,
	unreadableState,
	withheld,
} from './result';

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
interface Offer extends AcceptRun {
	id: string;
	settings: AcceptSettings;
	/** A name for this exchange of this account. */
	key: string;
	/** The record as it was last seen; undefined while no list has shown it. */
	record?: IDataObject;
	/** What came back from a request that got no clear answer, such as "HTTP 500". */
	cause?: string;
	/** What the list has shown of it, in whatever state, when it was last read; and when that was, by `steadyNow`. */
	listed: IDataObject[];
	listedAt: number;
	/** The balance before its request, under a floor. */
	balanceBefore?: number;
}

type Reached = Decision | Explanation;

/** A list that is older than this many milliseconds is read again before a request. */
const recent = 5000;
/** How often a request may have to wait for quota for so long that what was read before it is outdated. */
const mostRounds = 5;
/** Milliseconds after which a request of another worker has usually been answered. */
const othersHaveSettled = 1000;
/** How often an offer in doubt is checked again: about ten seconds in all. */
const mostChecks = 6;

/**
 * Accepts one offer, once (docs/decisions/0003-accept-is-paid-once.md): recall, check, guard, claim and send, read the
 * answer, check again. An outcome that could not be seen is an explanation to throw, never a result.
 */
export async function acceptOffer(
	run: AcceptRun,
	id: string,
	settings: AcceptSettings,
): Promise<Reached> {
	const { connection } = run;
	const key = connection.accountKey(id);
	const offer: Offer = { ...run, id, settings, key, listed: [], listedAt: -Infinity };
	const accept = async () => (await recall(offer)) ?? (await checkAndSend(offer));
	const inTurn = async () => await turns.inTurn(offer.key, accept, connection.signal);
	const { maxAccepts, minimumBalance } = settings;
	if (maxAccepts === Infinity && minimumBalance === undefined) return await inTurn();
	// Otherwise two executions, or tool calls of one, could both see enough credits, or room below a limit, for one accept.
	return await turns.inTurn(connection.accountKey(''), inTurn, connection.signal);
}

/** Why this execution accepts no other offer; undefined while it may. */
export function maxAcceptsReached(
	journal: Journal,
	key: string,
	{ maxAccepts, dryRun }: AcceptSettings,
): string | undefined {
	const isReached = journal.countOthers(key, { dryRun }) >= maxAccepts;
	return isReached ? `Max Accepts (${maxAccepts}) is reached` : undefined;
}

/**
 * Of exchanges that a list has just shown as accepted, live or broken, what is said of those that this node has asked for,
 * by their keys.
 */
export async function ownAccepts(
	{ journal }: AcceptRun,
	listed: ReadonlyMap<string, IDataObject>,
): Promise<Map<string, Decision>> {
	const own = new Map<string, Decision>();
	for (const key of await journal.askedFor([...listed.keys()])) {
		const exchange = listed.get(key) ?? {};
		journal.accepted(key, exchange);
		const said = ownAnswer(journal, key, idOf(exchange) ?? '');
		const { result } = journal.attempt(key);
		own.set(key, result ?? { ...said, confirmedBy: 'readBack', exchange });
	}
	return own;
}

/** 1. Recall: what this execution has reached, and what this process has seen as accepted. */
async function recall(offer: Offer): Promise<Reached | undefined> {
	const { journal, key } = offer;
	const entry = journal.recall(key);
	const isKnown = entry !== undefined && isFresh(entry);
	return journal.attempt(key).result ?? (isKnown ? await answer(offer, 'memory') : undefined);
}

async function checkAndSend(offer: Offer): Promise<Reached> {
	for (let rounds = 1; ; rounds++) {
		const settled = (await check(offer)) ?? (await guard(offer));
		if (settled !== undefined) return settled;
		const sent = await send(offer);
		// The list or the balance grew old while the request waited for quota.
		if (sent === 'outdated' && rounds < mostRounds) continue;
		if (sent === 'claimed') {
			// Another worker that is still at it settles its claim itself.
			await offer.connection.pause(othersHaveSettled);
			return await checkUntilSeen(offer);
		}
		if (typeof sent === 'string') return asDoubtful(offer, withheld(offer.id, sent));
		return await readOutcome(offer, sent);
	}
}

/** 2. Check: what the list says of the offer; undefined when a request may be sent. */
async function check(offer: Offer): Promise<Reached | undefined> {
	const { journal, id, key, cause } = offer;
	const entry = journal.recall(key);
	const doubtSince = journal.doubtSince(key);
	// Once it was asked for, a list that was read before is not believed.
	const found = await readList(offer, { fresh: entry !== undefined });
	const state = isExplanation(found) ? undefined : found.state;
	if (isPaid(state)) return await seen(offer, 'check');
	if (state === undefined && entry?.acceptedAt !== undefined) return await answer(offer, 'memory');
	if (isExplanation(found)) {
		return doubtSince === undefined ? found : unknownOutcome(id, cause, found);
	}
	if (state === 'broken') {
		const isOwn = (await journal.askedFor([key])).has(key);
		return isOwn ? await seen(offer, 'check') : brokenLink(id);
	}
	if (doubtSince === undefined) return undefined;
	if (state === undefined) return unknownOutcome(id, cause);
	return isSettling(doubtSince) ? stillPending(id, cause) : undefined;
}

/** 3. Guard: what keeps the request from being sent; undefined when nothing does. A dry run ends here. */
async function guard(offer: Offer): Promise<Reached | undefined> {
	const { journal, floor, id, key, settings, record: exchange } = offer;
	const { minimumBalance, dryRun } = settings;
	let objection = objectionTo(offer);
	if (objection === undefined && minimumBalance !== undefined) {
		const reason = await floor.refusal(minimumBalance);
		if (isExplanation(reason)) return asDoubtful(offer, reason);
		if (reason !== undefined) objection = { outcome: 'skipped', reason };
	}
	if (objection !== undefined) {
		// "Skipped" would say that nothing was asked for.
		const isDoubtful = journal.doubtSince(key) !== undefined;
		if (isDoubtful) return stillPending(id, offer.cause, objection.reason);
		return { id, ...objection, exchange };
	}
	if (!dryRun) return undefined;
	journal.keep(key, { wouldAccept: true });
	return { id, outcome: 'wouldAccept', exchange };
}

/** As far as this process knows at this moment. */
function objectionTo({ journal, key, settings, listed }: Offer): Objection | undefined {
	const objection = settings.objection?.(listed);
	const reason = maxAcceptsReached(journal, key, settings);
	return objection ?? (reason === undefined ? undefined : { outcome: 'skipped', reason });
}

/** 4. Claim and send, once: the claim is written when the request leaves, and taken back if it was not carried out. */
async function send(offer: Offer): Promise<Outcome | Withheld> {
	const { connection, journal, floor, id, key, settings } = offer;
	const hasFloor = settings.minimumBalance !== undefined;
	const isListed = () => steadyNow() - offer.listedAt <= recent;
	const isCurrent = () =>
		isListed() && (!hasFloor || floor.isCurrent) && objectionTo(offer) === undefined;
	const request: { claim?: 'open' | Withheld } = {};
	const leaving = async () => {
		request.claim = await journal.open(key, isCurrent);
		if (request.claim !== 'open') throw new Error(request.claim);
		offer.balanceBefore = hasFloor ? floor.balance : undefined;
	};
	const turnedAway = async () => {
		request.claim = undefined;
		await journal.takeBack(key);
	};
	return await connection
		.post(['exchanges', id, 'accept'], undefined, { leaving, turnedAway })
		.catch(async (error: Error) => {
			const { claim = 'open' } = request;
			return claim === 'open' ? await Promise.reject<Outcome>(error) : claim;
		})
		.finally(() => {
			if (request.claim === 'open') journal.ended(key);
		});
}

/** 5. Read the answer: only evidence counts, all else is checked. */
async function readOutcome(offer: Offer, outcome: Outcome): Promise<Reached> {
	const answer = readAnswer(outcome, offer.id);
	switch (answer.evidence) {
		case 'accepted':
			offer.record = { ...withoutState(offer.record), ...answer.record };
			return await seen(offer, 'response');
		case 'notSent':
			return asDoubtful(offer, answer.why);
		case 'refused':
			return await readRefusal(offer, answer.why, answer.mayBeAccepted);
		case 'none':
			offer.cause = answer.cause;
			return await checkUntilSeen(offer);
	}
}

/** After a refusal that may mean that the offer was accepted before, or anyway, the list is read once. */
async function readRefusal(
	offer: Offer,
	why: Explanation,
	mayBeAccepted: boolean,
): Promise<Reached> {
	const { journal, key } = offer;
	// What no list showed, and the service does not know, is not there.
	const isThere = offer.record !== undefined || why.statusCode !== 404;
	if (mayBeAccepted && isThere) {
		const found = await readList(offer, { fresh: true });
		if (isExplanation(found)) return refusalNotChecked(why);
		if (isPaid(found.state)) {
			// An earlier request of this node would explain it.
			const isFirst = journal.recall(key)?.requests.length === 1;
			if (isFirst) journal.dispute(key, refusedButAccepted(why.statusCode));
			return await seen(offer, 'readBack');
		}
		// The service's own words count, also of what has vanished meanwhile; those of a proxy do not.
		if (found.state === undefined && why.code === undefined) return refusalNotChecked(why);
	}
	await journal.takeBack(key);
	return asDoubtful(offer, why);
}

/** 6. Check again, until the offer is seen as accepted or has not been for about ten seconds. */
async function checkUntilSeen(offer: Offer): Promise<Reached> {
	return await offer.connection.checkAgain(
		mostChecks,
		async () => (await check(offer)) ?? stillPending(offer.id, offer.cause),
		(reached) => !isExplanation(reached),
	);
}

/**
 * What the list shows of the offer. A state that cannot be read is an explanation, as is a list. One that was read a moment
 * ago is good enough, unless it has to be fresh.
 */
async function readList(
	offer: Offer,
	{ fresh }: { fresh: boolean },
): Promise<FoundExchange | Explanation> {
	const since = steadyNow() - recent;
	const found = await findExchange(offer.connection, offer.id, { since, fresh });
	if (isExplanation(found)) return found;
	const { entries, readAt, record, state } = found;
	Object.assign(offer, { listed: entries, listedAt: readAt });
	offer.record = record ?? offer.record;
	if (record === undefined || state !== undefined) return found;
	return unreadableState(offer.id, describeState(record));
}

/** It was seen as accepted or live, now. */
async function seen(
	offer: Offer,
	confirmedBy: 'response' | 'check' | 'readBack',
): Promise<Decision> {
	offer.journal.accepted(offer.key, offer.record, offer.balanceBefore);
	return await answer(offer, confirmedBy);
}

/** The same whoever asks: it is accepted, and this node has asked for it, or has not. */
async function answer(
	offer: Offer,
	confirmedBy: 'response' | 'check' | 'readBack' | 'memory',
): Promise<Decision> {
	const { journal, floor, id, key, settings } = offer;
	const isMemory = confirmedBy === 'memory';
	const exchange = isMemory ? journal.recall(key)?.record : offer.record;
	const isOwn = (await journal.askedFor([key])).has(key);
	if (!isOwn) return { id, outcome: 'alreadyAccepted', confirmedBy, exchange };
	// Under a floor, what it cost is waited for.
	const isShown = settings.minimumBalance !== undefined && !isMemory;
	const balance = isShown ? await floor.afterAccept() : undefined;
	const by = confirmedBy === 'check' ? 'readBack' : confirmedBy;
	const result = { ...ownAnswer(journal, key, id), confirmedBy: by, balance, exchange };
	journal.keep(key, { result });
	return result;
}

/** What is said of an offer that is accepted, and that this node has asked for. */
function ownAnswer(journal: Journal, key: string, id: string): Decision {
	const { dispute: reason, cost } = journal.recall(key) ?? {};
	const outcome = reason === undefined ? 'accepted' : 'alreadyAccepted';
	// 0: nothing has shown.
	return { id, outcome, reason, creditsSpent: cost?.credits || undefined };
}

/** Why it was not accepted now; an earlier request may still be in doubt. */
function asDoubtful({ journal, key }: Offer, why: Explanation): Explanation {
	return journal.doubtSince(key) === undefined ? why : inDoubtAllTheSame(why);
}

/** What was known before the accept; its state is no longer true. */
function withoutState(record: IDataObject = {}): IDataObject {
	const isState = (name: string) => name === 'status' || name === 'state';
	return Object.fromEntries(Object.entries(record).filter(([name]) => !isState(name)));
}
