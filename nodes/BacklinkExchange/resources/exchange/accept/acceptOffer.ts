import type { IDataObject } from 'n8n-workflow';

import { isPaid } from '../../../../shared/reading/state';
import type { Outcome, Withheld } from '../../../../shared/service/connection';
import { steadyNow } from '../../../../shared/time';
import { type Explanation, isExplanation } from '../../../../shared/words/explanation';
import { turns } from '../../../turns';
import { readAnswer } from './answer';
import { check, checkUntilSeen, isRecent, readList, recall, seen } from './check';
import type { Journal, WhyWithheld } from './journal';
import type { AcceptRun, AcceptSettings, Objection, Offer, Reached } from './offer';
import {
	inDoubtAllTheSame,
	refusalNotChecked,
	refusedButAccepted,
	stillPending,
	withheld,
} from './result';

/** How often a request may have to wait for quota for so long that what was read before it is outdated. */
const mostRounds = 5;
/** Milliseconds after which a request of another worker has usually been answered. */
const othersHaveSettled = 1000;

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
	const offer: Offer = {
		...run,
		id,
		settings,
		key,
		listed: [],
		listedAt: -Infinity,
		decidedAt: -Infinity,
	};
	const accept = async () => (await recall(offer)) ?? (await checkAndSend(offer));
	const inTurn = async () => await turns.inTurn(offer.key, accept, connection.signal);
	const { maxAccepts, minimumBalance } = settings;
	if (maxAccepts === Infinity && minimumBalance === undefined) return await inTurn();
	// With a limit, the whole account takes turns: otherwise two executions could both see credits or room for one more accept.
	return await turns.inTurn(connection.accountKey(''), inTurn, connection.signal);
}

/** Why this execution accepts no other offer; undefined while it may. */
export function maxAcceptsReached(
	journal: Journal,
	key: string,
	{ maxAccepts, dryRun }: AcceptSettings,
): string | undefined {
	const isReached = journal.attempts.countOthers(key, { dryRun }) >= maxAccepts;
	return isReached ? `Max Accepts (${maxAccepts}) is reached` : undefined;
}

async function checkAndSend(offer: Offer): Promise<Reached> {
	const { connection, settings, floor } = offer;
	for (let rounds = 1; ; rounds++) {
		const settled = (await check(offer)) ?? (await guard(offer));
		if (settled !== undefined) return settled;
		// The balance took so long that a newer list can be had: once, because the next balance may take as long.
		if (rounds === 1 && !isRecent(offer.listedAt)) continue;
		offer.decidedAt = steadyNow();
		const outcome = await send(offer);
		if (outcome.kind !== 'withheld') {
			// The balance that allowed the request: its price is read from the difference.
			if (settings.minimumBalance !== undefined) offer.balanceBefore = floor.balance;
			return await readOutcome(offer, outcome);
		}
		// The list or the balance grew old while the request waited for quota.
		if (outcome.why === 'outdated' && rounds < mostRounds) continue;
		if (outcome.why !== 'claimed') return withEarlierDoubt(offer, withheld(outcome.why));
		// Another worker has claimed the offer: if it is still at work, its request shows in the list soon.
		await connection.pause(othersHaveSettled);
		return await checkUntilSeen(offer);
	}
}

/** 3. Guard: what keeps the request from being sent; undefined when nothing does. A dry run ends here. */
async function guard(offer: Offer): Promise<Reached | undefined> {
	const { journal, id, key, settings, record: exchange } = offer;
	const objection = currentObjection(offer) ?? (await floorObjection(offer));
	if (isExplanation(objection)) return withEarlierDoubt(offer, objection);
	if (objection !== undefined) {
		// "Skipped" would say that no request was sent for this offer, and an earlier one was.
		const isInDoubt = journal.doubtSince(key) !== undefined;
		if (isInDoubt) return stillPending(id, offer.cause, objection.reason);
		return { id, ...objection, exchange };
	}
	if (!settings.dryRun) return undefined;
	journal.attempts.keep(key, { wouldAccept: true });
	return { id, outcome: 'wouldAccept', exchange };
}

async function floorObjection({
	floor,
	journal,
	key,
	settings: { minimumBalance, dryRun },
}: Offer): Promise<Objection | Explanation | undefined> {
	if (minimumBalance === undefined) return undefined;
	const wouldAccept = dryRun ? journal.attempts.countWouldAccept(key) : 0;
	const reason = await floor.refusal(minimumBalance, wouldAccept);
	return typeof reason === 'string' ? { outcome: 'skipped', reason } : reason;
}

/** Why the offer is not to be accepted, by the rules and limits of the user at this moment, but for the floor. */
function currentObjection({ journal, key, settings, listed }: Offer): Objection | undefined {
	const objection = settings.objection?.(listed);
	const reason = maxAcceptsReached(journal, key, settings);
	return objection ?? (reason === undefined ? undefined : { outcome: 'skipped', reason });
}

/** 4. Claim and send, once: the claim is written when the request leaves, and taken back if it was not carried out. */
async function send(offer: Offer): Promise<Outcome | (Withheld & { why: WhyWithheld })> {
	const { connection, journal, floor, id, key, settings } = offer;
	const isCurrent = () =>
		isRecent(offer.decidedAt) &&
		(settings.minimumBalance === undefined || floor.isCurrent) &&
		currentObjection(offer) === undefined;
	const claim = await journal.open(key, isCurrent);
	if (claim !== 'open') return { kind: 'withheld', why: claim };
	try {
		const outcome = await connection.post(['exchanges', id, 'accept'], undefined, {
			leaving: isCurrent,
			turnedAway: () => void journal.takeBack(key),
		});
		if (outcome.kind !== 'withheld') return outcome;
		await journal.takeBack(key);
		return { ...outcome, why: 'outdated' };
	} finally {
		journal.ended(key);
	}
}

/** 5. Read the answer: only evidence counts, all else is checked. */
async function readOutcome(offer: Offer, outcome: Outcome): Promise<Reached> {
	const answer = readAnswer(outcome, offer.id);
	switch (answer.evidence) {
		case 'accepted':
			offer.record = { ...withoutState(offer.record), ...answer.record };
			return await seen(offer, 'response');
		case 'notSent':
			return withEarlierDoubt(offer, answer.why);
		case 'refused':
			return await readRefusal(offer, answer.why, answer.mayBeAccepted);
		case 'none':
			offer.cause = answer.cause;
			return await checkUntilSeen(offer);
	}
}

/**
 * A refusal ends the request, unless it may mean that the offer is accepted, before or by this very request: then the list is
 * read once.
 * @param mayBeAccepted as `readAnswer` has it
 */
async function readRefusal(
	offer: Offer,
	why: Explanation,
	mayBeAccepted: boolean,
): Promise<Reached> {
	const { journal, key } = offer;
	// Where no list has shown the offer, a 404 says what it says: there is no such offer.
	const isNoOffer = offer.record === undefined && why.statusCode === 404;
	if (mayBeAccepted && !isNoOffer) {
		const found = await readList(offer);
		if (isExplanation(found)) return refusalNotChecked(why);
		if (isPaid(found.state)) {
			// If an earlier request of this node is in doubt, that one was carried out, and the refusal was right.
			const isOnlyOne = journal.recall(key)?.requests.length === 1;
			if (isOnlyOne) journal.dispute(key, refusedButAccepted(why.statusCode));
			return await seen(offer, 'readBack');
		}
		// The service's own words count, also of what has vanished meanwhile; those of a proxy do not.
		if (found.state === undefined && why.code === undefined) return refusalNotChecked(why);
	}
	await journal.takeBack(key);
	return withEarlierDoubt(offer, why);
}

/** Why a request came to nothing; where an earlier one for the same offer is in doubt, with that. */
function withEarlierDoubt({ journal, key }: Offer, why: Explanation): Explanation {
	return journal.doubtSince(key) === undefined ? why : inDoubtAllTheSame(why);
}

/** What was known before the accept; its state is no longer true. */
function withoutState(record: IDataObject = {}): IDataObject {
	const isState = (name: string) => name === 'status' || name === 'state';
	return Object.fromEntries(Object.entries(record).filter(([name]) => !isState(name)));
}
