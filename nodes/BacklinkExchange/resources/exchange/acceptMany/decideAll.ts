import type { IDataObject } from 'n8n-workflow';

import { byId } from '../../../../shared/identity';
import { readBalance } from '../../../../shared/reading/balance';
import { furthest } from '../../../../shared/reading/state';
import { sharedThread } from '../../../../shared/service/pause';
import { type Explanation, inOneText, isExplanation } from '../../../../shared/words/explanation';
import { acceptOffer, maxAcceptsReached } from '../accept/acceptOffer';
import { ownAccepts } from '../accept/check';
import type { AcceptRun, AcceptSettings } from '../accept/offer';
import { outcomeUnknown } from '../accept/result';
import type { Decision } from '../decision';
import { type Facts, objectionTo } from './decide';

/** How many offers in a row have to fail in the same way to end a run. */
const mostInARow = {
	/** The service refuses them for lack of credits: others may cost less. */
	tooExpensive: 3,
	/** Nothing could be sent. */
	unsent: 3,
	/** The service does not say what has become of the request. */
	unknown: 5,
};

const stillTooExpensive =
	'The service has refused it for lack of credits, and the balance has not changed since';

const unknownInARow = `The outcome of the last ${mostInARow.unknown} accepts is not known`;

/** What the user has set. */
export interface Bounds extends Pick<Facts, 'judge' | 'maxPerDay'> {
	settings: AcceptSettings;
}

/** An offer, by all that the lists show of it. */
interface Listed {
	/** Empty where the records have none. */
	id: string;
	key: string;
	/** Whether it is pending, or its state cannot be read. */
	mayBePending: boolean;
	/** The furthest of its records. */
	exchange: IDataObject;
	entries: IDataObject[];
}

/** How a run goes on; written by `decideAll` and what it calls, and by nobody later. */
interface Course {
	/** The keys of what was accepted within 24 hours, by the lists or in this run, or may have been. */
	today: Set<string>;
	/** What the journal's `spentToday` has beyond `today`, and the list of the journal that this was read from. */
	spent: { asOf: readonly string[]; unlisted: Set<string> };
	/** Why no other offer can be accepted. */
	end?: string;
	/** Whether one was accepted, or would be. */
	hasAccepted: boolean;
	/** In which way the last offer failed, and how many in a row did. */
	inARow: { kind: keyof typeof mostInARow | undefined; count: number };
	/** The balance, without `credits` where it cannot be read; undefined until it is read, and again after each request to accept. */
	balance?: { credits?: number };
}

export interface Decided {
	/** The decisions, in the order of the list. */
	decisions: Decision[];
	/** Why none was accepted, where the rules allow some; each reason once. */
	blockedBy: string[];
}

/**
 * Decides about each offer that is pending, or whose state cannot be read. One that is accepted is returned if this node has
 * asked for it.
 * @param today the keys of those that were accepted within 24 hours, or may have been
 */
export async function decideAll(
	run: AcceptRun,
	entries: IDataObject[],
	today: ReadonlySet<string>,
	bounds: Bounds,
): Promise<Decided> {
	const shareThread = sharedThread(run.connection.signal);
	const offers: Listed[] = [];
	for (const [id, same] of byId(entries)) {
		offers.push(listedOffer(run, typeof id === 'string' ? id : '', same));
		await shareThread();
	}
	const movedOn = offers.filter(({ mayBePending }) => !mayBePending);
	const own = await ownAccepts(run, new Map(movedOn.map(({ key, exchange }) => [key, exchange])));
	const course: Course = {
		today: new Set(today),
		spent: { asOf: [], unlisted: new Set() },
		hasAccepted: false,
		inARow: { kind: undefined, count: 0 },
	};
	const pending = new Map<Listed, Decision>();
	for (const offer of refusedLast(run, offers)) {
		pending.set(offer, await decideOne(run, offer, course, bounds));
		await shareThread();
	}
	const decisionOf = (offer: Listed) => pending.get(offer) ?? own.get(offer.key);
	return {
		decisions: offers.map(decisionOf).filter((decision) => decision !== undefined),
		blockedBy: blockedBy([...pending.values()], course),
	};
}

/** A reason is the same whatever the figures and times in it are now. */
export function withoutFigures(reason: string): string {
	return reason.replace(/\d+/g, '#');
}

export function isAccepted({ outcome }: { outcome?: unknown }): boolean {
	return outcome === 'accepted' || outcome === 'alreadyAccepted';
}

function listedOffer({ connection }: AcceptRun, id: string, entries: IDataObject[]): Listed {
	const { state = 'pending', record: exchange = {} } = furthest(entries);
	const mayBePending = state === 'pending';
	return { id, key: connection.accountKey(id), mayBePending, exchange, entries };
}

/** The offers to decide about, those last that the service has refused for lack of credits: they would hold up the others. */
function refusedLast({ journal }: AcceptRun, offers: Listed[]): Listed[] {
	const isRefused = ({ key }: Listed) => journal.recall(key)?.refusedAt !== undefined;
	const pending = offers.filter(({ mayBePending }) => mayBePending);
	return [...pending.filter((offer) => !isRefused(offer)), ...pending.filter(isRefused)];
}

/** Decides about one offer, accepts it if nothing speaks against that, and notes in `course` what follows for the next ones. */
async function decideOne(
	run: AcceptRun,
	{ id, key, exchange, entries }: Listed,
	course: Course,
	{ judge, maxPerDay, settings }: Bounds,
): Promise<Decision> {
	const { journal } = run;
	// Asked again when the request leaves: other executions accept at the same time.
	const objection = (listed: IDataObject[]) =>
		objectionTo(id, listed, {
			judge,
			end: course.end,
			acceptedToday: maxPerDay === Infinity ? 0 : othersToday(run, course, key),
			maxPerDay,
			maxAcceptsReached: maxAcceptsReached(journal, key, settings),
		});
	const isInDoubt = journal.doubtSince(key) !== undefined;
	const wasAccepted = journal.recall(key)?.acceptedAt !== undefined;
	// Whatever the rules say now, Accept tells what has become of an offer that is in doubt, or was accepted.
	if (!isInDoubt && !wasAccepted) {
		const found = objection(entries);
		if (found !== undefined) return { id, ...found, exchange };
		if (await isStillTooExpensive(run, key, course)) {
			return { id, outcome: 'skipped', reason: stillTooExpensive, exchange };
		}
	}
	const { requests } = journal;
	const result = await acceptOffer(run, id, { ...settings, objection });
	const hasSent = journal.requests !== requests;
	const decision = isExplanation(result) ? notAccepted(id, result, exchange) : result;
	if (countsToday(decision)) {
		course.today.add(key);
		course.spent.unlisted.delete(key);
	}
	course.hasAccepted ||= decision.outcome === 'wouldAccept' || (hasSent && isAccepted(decision));
	if (hasSent) course.balance = undefined;
	if (isExplanation(result)) await learnFrom(run, key, course, result, hasSent);
	else if (isAccepted(decision)) course.inARow = { kind: undefined, count: 0 };
	return decision;
}

/**
 * How many other offers were accepted within 24 hours, or may have been: by the lists, and by what this process has sent.
 * This offer is left out, because it would count twice if it is in doubt.
 */
function othersToday({ journal }: AcceptRun, course: Course, key: string): number {
	const { today } = course;
	const { spentToday } = journal;
	if (course.spent.asOf !== spentToday) {
		const unlisted = new Set(spentToday.filter((each) => !today.has(each)));
		course.spent = { asOf: spentToday, unlisted };
	}
	const { unlisted } = course.spent;
	return today.size + unlisted.size - Number(today.has(key) || unlisted.has(key));
}

/** Notes what a failure says about the offers that come next: none of them can be accepted, or this one is too expensive. */
async function learnFrom(
	run: AcceptRun,
	key: string,
	course: Course,
	why: Explanation,
	hasSent: boolean,
): Promise<void> {
	const kind = kindOf(why, hasSent);
	const count = kind === course.inARow.kind ? course.inARow.count + 1 : 1;
	course.inARow = { kind, count };
	const isTooMany = kind !== undefined && count >= mostInARow[kind];
	if (isTooMany || endsAll(run, why)) {
		// The message of an unknown outcome is about one offer alone.
		course.end = kind === 'unknown' ? unknownInARow : why.message;
	}
	if (kind === 'tooExpensive') {
		run.journal.refusedForCredits(key, await balanceNow(run, course));
	}
}

/** In which way an offer has failed; undefined for a refusal that is about this offer alone, and for an earlier doubt. */
function kindOf(why: Explanation, hasSent: boolean): Course['inARow']['kind'] {
	if (isTooExpensive(why)) return 'tooExpensive';
	if (why.code === outcomeUnknown) return hasSent ? 'unknown' : undefined;
	return hasSent ? undefined : 'unsent';
}

/** Whether the service has refused it for lack of credits when the balance was the same as now. */
async function isStillTooExpensive(run: AcceptRun, key: string, course: Course): Promise<boolean> {
	const balance = run.journal.recall(key)?.refusedAt?.balance;
	return balance !== undefined && balance === (await balanceNow(run, course));
}

/** The balance in credits, read once until a request to accept is sent; undefined where it cannot be read. */
async function balanceNow({ connection }: AcceptRun, course: Course): Promise<number | undefined> {
	if (course.balance === undefined) {
		const read = await readBalance(connection, { fresh: true });
		course.balance = isExplanation(read) ? {} : { credits: read.balance as number };
	}
	return course.balance.credits;
}

/** Why none was accepted although the rules allow some, each reason once. */
function blockedBy(decisions: Decision[], { end, hasAccepted }: Course): string[] {
	if (hasAccepted) return [];
	const skipped = decisions.filter(({ outcome }) => outcome === 'skipped');
	const reasons = [end, ...skipped.map(({ reason }) => reason)];
	const known = reasons.filter((reason) => reason !== undefined);
	return [...new Map(known.map((reason) => [withoutFigures(reason), reason])).values()];
}

/** The decision about an offer whose accept failed: credits may have been spent (`unknown`), or certainly none were. */
function notAccepted(id: string, why: Explanation, exchange: IDataObject): Decision {
	const outcome = why.code === outcomeUnknown ? 'unknown' : 'failed';
	return { id, outcome, reason: inOneText(why), exchange };
}

/**
 * Whether an offer counts for Max per Day: it was accepted, may have been, or would be in a dry run. The list has just shown it
 * as pending, so if it was accepted, it was today, by whomever.
 */
function countsToday({ outcome }: Decision): boolean {
	return ['accepted', 'alreadyAccepted', 'unknown', 'wouldAccept'].includes(outcome);
}

/** Whether no other offer can be accepted either: the failure is not about this one. */
function endsAll({ floor }: AcceptRun, why: Explanation): boolean {
	if (floor.failure !== undefined) return true;
	const cause = why.failure?.cause;
	return cause !== undefined && cause !== 'temporarily-unavailable' && !isTooExpensive(why);
}

/** Whether it was refused for lack of credits; another offer may cost less. */
function isTooExpensive(result: Explanation | Decision): boolean {
	return isExplanation(result) && result.code === 'insufficient_credits';
}
