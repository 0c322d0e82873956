import type { IDataObject, IExecuteFunctions } from 'n8n-workflow';

import type { Outcome, ServiceConnection } from '../../../../shared/connection';
import { findExchange, type FoundExchange } from '../../../../shared/exchanges';
import { type Explanation, isExplanation } from '../../../../shared/explanation';
import { describeState, isPaid } from '../../../../shared/state';
import { checkAgain } from '../../../checkAgain';
import { Turns } from '../../../turns';
import { readAnswer } from './answer';
import { Floor } from './floor';
import { type Entry, isFresh, isSettling, Journal } from './journal';
import {
	type AcceptResult,
	brokenLink,
	inDoubtAllTheSame,
	notLookedUp,
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
	/** Why an offer is not to be accepted, by all that the list shows of it. Asked again each time that the list was read. */
	objection?: (entries: IDataObject[]) => string | undefined;
}

/** What the items of one run and account share. */
export interface AcceptRun {
	connection: ServiceConnection;
	journal: Journal;
	floor: Floor;
	/** The list of exchanges: when it was last read, in milliseconds, and why it could not be. */
	list: { readAt: number; failure?: Explanation };
}

export function beginAccepts(context: IExecuteFunctions, connection: ServiceConnection): AcceptRun {
	const journal = new Journal(context, connection);
	const floor = new Floor(connection, journal);
	return { connection, journal, floor, list: { readAt: -Infinity } };
}

/** An offer that is being accepted, and what is known of it. */
interface Offer {
	run: AcceptRun;
	id: string;
	settings: AcceptSettings;
	/** A name for this exchange of this account. */
	key: string;
	/** The record as it was last seen. */
	record?: IDataObject;
	/** What came back from a request that got no clear answer, such as "HTTP 500". */
	cause?: string;
	/** What the list has shown of it, in whatever state, when it was last read. */
	listed: IDataObject[];
	/** The balance before its request, under a floor. */
	balanceBefore?: number;
}

type Reached = AcceptResult | Explanation;

/** A list that is older than this many milliseconds is read again before a request. */
const recent = 5000;
/** How often a request may have to wait for quota for so long that what was read before it is outdated. */
const mostRounds = 5;
/** Milliseconds after which a request of another worker has usually been answered. */
const othersHaveSettled = 1000;
/** How often an offer in doubt is looked up: about ten seconds in all. */
const mostChecks = 6;

/** One at a time in this process: for each offer, and, under a floor, for each account. */
const turns = new Turns();

/**
 * Accepts one offer, once (docs/decisions/0003-accept-is-paid-once.md): recall, check, guard, claim and send, read the
 * answer, look again. An outcome that could not be seen is an explanation to throw, never a result.
 */
export async function acceptOffer(
	run: AcceptRun,
	id: string,
	settings: AcceptSettings,
): Promise<Reached> {
	const { connection } = run;
	const offer: Offer = { run, id, settings, key: connection.accountKey(id), listed: [] };
	const accept = async () => (await recall(offer)) ?? (await checkAndSend(offer));
	const inTurn = async () => await turns.inTurn(offer.key, accept, connection.signal);
	if (settings.minimumBalance === undefined) return await inTurn();
	// Otherwise two executions could both see enough credits for one accept.
	return await turns.inTurn(connection.accountKey(''), inTurn, connection.signal);
}

/** 1. Recall: what this execution has reached, and what this process has seen as accepted. */
async function recall(offer: Offer): Promise<Reached | undefined> {
	const { journal } = offer.run;
	const reached = journal.resultOf(offer.key);
	if (reached !== undefined) return reached;
	const entry = journal.recall(offer.key);
	return entry && isFresh(entry) ? await remembered(offer, entry) : undefined;
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
			await offer.run.connection.pause(othersHaveSettled);
			return await lookAgain(offer);
		}
		if (typeof sent === 'string') return asDoubtful(offer, withheld(offer.id, sent));
		return await readOutcome(offer, sent);
	}
}

/** 2. Check: what the list says of the offer; undefined when a request may be sent. */
async function check(offer: Offer): Promise<Reached | undefined> {
	const { journal } = offer.run;
	const entry = journal.recall(offer.key);
	const doubtSince = journal.doubtSince(offer.key);
	// Once it was asked for, a list that was read before is not believed.
	const found = await look(offer, { fresh: entry !== undefined || doubtSince !== undefined });
	const wasAccepted = entry?.acceptedAt !== undefined;
	if (isExplanation(found)) {
		if (wasAccepted) return await remembered(offer, entry);
		return doubtSince === undefined ? found : unknownOutcome(offer.id, offer.cause, found);
	}
	const { record, state } = found;
	if (isPaid(state)) return await seen(offer, 'check');
	if (record === undefined && wasAccepted) return await remembered(offer, entry);
	if (record !== undefined && state === undefined) {
		const unreadable = unreadableState(offer.id, describeState(record));
		return doubtSince === undefined
			? unreadable
			: unknownOutcome(offer.id, offer.cause, unreadable);
	}
	if (state === 'broken') return asDoubtful(offer, brokenLink(offer.id));
	if (doubtSince === undefined) return undefined;
	if (state !== 'pending') return unknownOutcome(offer.id, offer.cause);
	return isSettling(doubtSince) ? stillPending(offer.id, offer.cause) : undefined;
}

/** 3. Guard: what keeps the request from being sent; undefined when nothing does. A dry run ends here. */
async function guard(offer: Offer): Promise<Reached | undefined> {
	const { journal, floor } = offer.run;
	const { maxAccepts, minimumBalance, dryRun, objection } = offer.settings;
	let reason = objection?.(offer.listed);
	if (reason === undefined && journal.countOthers(offer.key, { dryRun }) >= maxAccepts) {
		reason = `Max Accepts (${maxAccepts}) is reached`;
	}
	if (reason === undefined && minimumBalance !== undefined) {
		const refusal = await floor.refusal(minimumBalance);
		if (isExplanation(refusal)) return asDoubtful(offer, refusal);
		reason = refusal;
	}
	if (reason !== undefined) {
		// "Skipped" would say that nothing was asked for.
		if (isInDoubt(offer)) return stillPending(offer.id, offer.cause, reason);
		return { id: offer.id, outcome: 'skipped', reason, ...exchangeOf(offer) };
	}
	if (!dryRun) return undefined;
	journal.wouldAccept(offer.key);
	return { id: offer.id, outcome: 'wouldAccept', ...exchangeOf(offer) };
}

/** Why a request was not sent after all, although it had its turn. */
type Withheld = 'outdated' | 'claimed' | 'full' | 'unrecorded';

/** 4. Claim and send, once: the claim is written when the request leaves, and taken back if it was not carried out. */
async function send(offer: Offer): Promise<Outcome | Withheld> {
	const { connection, journal, floor, list } = offer.run;
	const hasFloor = offer.settings.minimumBalance !== undefined;
	let withheld: Withheld | undefined;
	const leaving = async () => {
		const isCurrent = !isOutdated(list) && (!hasFloor || floor.isCurrent);
		const claim = isCurrent ? await journal.open(offer.key) : 'outdated';
		if (claim !== 'open') {
			withheld = claim;
			throw new Error(claim);
		}
		// Of two requests for one offer, nobody knows which one was paid.
		const isFirst = journal.recall(offer.key)?.open.length === 1;
		offer.balanceBefore = hasFloor && isFirst ? floor.balance : undefined;
	};
	const turnedAway = async () => {
		await journal.takeBack(offer.key);
	};
	return await connection
		.post(['exchanges', offer.id, 'accept'], undefined, { leaving, turnedAway })
		.catch(async (error: Error) => withheld ?? (await Promise.reject<Outcome>(error)))
		.finally(() => {
			journal.ended(offer.key);
		});
}

/** 5. Read the answer: only evidence counts, all else is looked up. */
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
			return await lookAgain(offer);
	}
}

/** After a refusal that may mean that the offer was accepted before, the list tells. */
async function readRefusal(
	offer: Offer,
	why: Explanation,
	mayBeAccepted: boolean,
): Promise<Reached> {
	const { journal } = offer.run;
	const wasListed = offer.listed.length > 0;
	// What no list showed, and the service does not know, is not there.
	if (mayBeAccepted && (wasListed || why.statusCode !== 404)) {
		const found = await look(offer, { fresh: true });
		// Not to be seen: it counts as spent, and stays unknown.
		if (isExplanation(found)) return notLookedUp(why);
		if (isPaid(found.state)) return await seenAfterRefusal(offer, why);
		// Neither is what a list showed before and does not any more. Of what it never showed, the service's own word counts.
		const isUnseen = found.state === undefined && (wasListed || why.code === undefined);
		if (isUnseen) return notLookedUp(why);
	}
	await journal.takeBack(offer.key);
	return asDoubtful(offer, why);
}

/** Nobody but the service can tell whether it carried this request out, or the offer was accepted before. */
async function seenAfterRefusal(offer: Offer, why: Explanation): Promise<AcceptResult> {
	const isRepeated = (offer.run.journal.recall(offer.key)?.open.length ?? 0) > 1;
	const result = await seen(offer, 'readBack');
	// An earlier request of this node explains it.
	if (isRepeated) return result;
	const doubtful: AcceptResult = {
		...result,
		outcome: 'alreadyAccepted',
		reason: refusedButAccepted(why.statusCode),
	};
	offer.run.journal.settled(offer.key, doubtful);
	return doubtful;
}

/** 6. Look again, until the offer is seen as accepted or has stayed pending for about ten seconds. */
async function lookAgain(offer: Offer): Promise<Reached> {
	const { connection } = offer.run;
	const found = await checkAgain(
		connection,
		mostChecks,
		async () => await look(offer, { fresh: true }),
		(each) => !isExplanation(each) && isPaid(each.state),
	);
	if (isExplanation(found)) return unknownOutcome(offer.id, offer.cause, found);
	if (isPaid(found.state)) return await seen(offer, 'readBack');
	return found.state === 'pending'
		? stillPending(offer.id, offer.cause)
		: unknownOutcome(offer.id, offer.cause);
}

/** One look at the list. One that was read a moment ago is good enough, unless it has to be fresh. */
async function look(
	offer: Offer,
	{ fresh }: { fresh: boolean },
): Promise<FoundExchange | Explanation> {
	const { connection, list } = offer.run;
	const isAnew = fresh || isOutdated(list);
	if (!isAnew && list.failure !== undefined) return list.failure;
	const found = await findExchange(connection, offer.id, { fresh: isAnew });
	if (isAnew) list.readAt = Date.now();
	list.failure = isExplanation(found) ? found : undefined;
	if (isExplanation(found)) return found;
	offer.listed = found.entries;
	offer.record = found.record ?? offer.record;
	return found;
}

function isOutdated({ readAt }: AcceptRun['list']): boolean {
	return Date.now() - readAt > recent;
}

/** It was seen as accepted or live, now. */
async function seen(
	offer: Offer,
	confirmedBy: 'response' | 'check' | 'readBack',
): Promise<AcceptResult> {
	const { journal, floor } = offer.run;
	journal.accepted(offer.key, offer.record, offer.balanceBefore);
	const result = await acceptedBy(offer, confirmedBy);
	if (result.outcome !== 'accepted') return result;
	journal.settled(offer.key, result);
	if (offer.settings.minimumBalance === undefined) return result;
	const balance = await floor.afterAccept();
	const creditsSpent = journal.recall(offer.key)?.cost?.credits;
	const withCost = {
		...result,
		// 0: nothing has shown.
		...(creditsSpent !== undefined && creditsSpent > 0 && { creditsSpent }),
		...(balance !== undefined && { balance }),
	};
	journal.settled(offer.key, withCost);
	return withCost;
}

/** It was seen as accepted before, which becomes no newer by it. */
async function remembered(offer: Offer, { record }: Readonly<Entry>): Promise<AcceptResult> {
	const result = await acceptedBy({ ...offer, record }, 'memory');
	if (result.outcome === 'accepted') offer.run.journal.settled(offer.key, result);
	return result;
}

/** If a request of this execution has done it, or one that this node had left open, it is its own accept. */
async function acceptedBy(
	offer: Offer,
	confirmedBy: NonNullable<AcceptResult['confirmedBy']>,
): Promise<AcceptResult> {
	const common = { id: offer.id, ...exchangeOf(offer) };
	if (await offer.run.journal.isOwn(offer.key)) {
		const isCheck = confirmedBy === 'check';
		return { ...common, outcome: 'accepted', confirmedBy: isCheck ? 'readBack' : confirmedBy };
	}
	return { ...common, outcome: 'alreadyAccepted', confirmedBy };
}

function isInDoubt({ run, key }: Offer): boolean {
	return run.journal.doubtSince(key) !== undefined;
}

/** Why it was not accepted now; an earlier request may still be in doubt. */
function asDoubtful(offer: Offer, why: Explanation): Explanation {
	return isInDoubt(offer) ? inDoubtAllTheSame(why) : why;
}

/** The record for the output, if there is one. */
function exchangeOf({ record }: Offer): Pick<AcceptResult, 'exchange'> {
	return record && Object.keys(record).length > 0 ? { exchange: record } : {};
}

/** What was known before the accept; its state is no longer true. */
function withoutState(record: IDataObject = {}): IDataObject {
	const isState = (name: string) => name === 'status' || name === 'state';
	return Object.fromEntries(Object.entries(record).filter(([name]) => !isState(name)));
}
