import type { IDataObject } from 'n8n-workflow';

import { furthest, stateOf } from '../../../../shared/api/exchangeStatus';
import { notListed, readExchanges } from '../../../../shared/api/fetchExchanges';
import {
	type ErrorResult,
	formatError,
	isErrorResult,
	outcomeUnknownCode,
} from '../../../../shared/errors';
import { createYielder } from '../../../../shared/transport/yieldToEventLoop';
import { byId, isSegment } from '../../../../shared/utils/ids';
import { truncatedHint } from '../../../commonHints';
import { lastRequests } from '../../../helpers/recentWrites';
import type { Run } from '../../../operation.types';
import { type AcceptSettings, type Objection } from '../accept/accept.types';
import { acceptOffer, type AcceptRun } from '../accept/acceptOffer';
import type { Decision } from '../decision';
import { acceptedToday } from './acceptedToday';
import type { Rules } from './rules';

/**
 * After how many offers in a row, each of which failed with this code, a run ends: others may cost less than those that were too
 * expensive.
 */
const endings = new Map<string | undefined, { after: number; end: string }>([
	[
		'insufficient_credits',
		{ after: 10, end: 'The service has refused 10 offers in a row for lack of credits' },
	],
	[outcomeUnknownCode, { after: 5, end: 'The outcome of the last 5 accepts is not known' }],
]);

/** What the user has set. */
export interface Bounds extends Pick<Rules, 'judge'> {
	/** Infinity where it is not set. */
	maxPerDay: number;
	settings: AcceptSettings;
}

export interface Decided {
	/** The decisions, in the order of the list. */
	decisions: Decision[];
	/** Why the run accepts nothing more; undefined while it could. */
	end?: string;
}

/** An offer as the list shows it. */
interface Listed {
	/** Empty where the record has none. */
	id: string;
	key: string;
	exchange: IDataObject;
}

/**
 * Reads the list, decides about each offer that is pending, or whose state cannot be read, and accepts what the rules allow.
 * @returns the decisions, or why there are none
 */
export async function decideAll(
	run: AcceptRun,
	bounds: Bounds,
	hint: Run['hint'],
): Promise<Decided | ErrorResult> {
	const { connection, attempts } = run;
	const isPerDay = bounds.maxPerDay !== Infinity;
	// Max per Day counts what the whole list leaves out, too.
	const alsoIn = isPerDay ? notListed : undefined;
	const list = await readExchanges(connection, { noCache: true, alsoIn });
	if (isErrorResult(list)) return list;
	const accepted = isPerDay ? acceptedToday(connection, list) : [];
	if (isErrorResult(accepted)) return accepted;
	if (list.truncated) hint('truncated', truncatedHint);
	const yieldIfBusy = createYielder(connection.signal);
	const offers: Listed[] = [];
	for (const [id, same] of byId(list.entries)) {
		const name = typeof id === 'string' ? id : '';
		const { record: exchange = {} } = furthest(same);
		offers.push({ id: name, key: connection.accountKey(name), exchange });
		await yieldIfBusy();
	}
	const today = new Set([...accepted, ...attempts.sentKeys]);
	const course: Course = { ...bounds, run, today, inARow: 0 };
	const decided = new Map<Listed, Decision | undefined>();
	for (const offer of refusedLast(offers)) {
		decided.set(offer, await decide(course, offer));
		await yieldIfBusy();
	}
	const decisions = offers.flatMap((offer) => decided.get(offer) ?? []);
	const { end } = course;
	if (end !== undefined) hint('end', `No further offer can be accepted now: ${end}`);
	if (decisions.length === 0) {
		const count = list.entries.length;
		hint('nothing', `No offer is pending. Exchanges that the service lists: ${count}.`);
	}
	return { decisions, end };
}

/** Those last whose last request was refused: they would hold up the others. */
function refusedLast(offers: Listed[]): Listed[] {
	const isRefused = ({ key }: Listed) => lastRequests.get(key)?.ended === 'refused';
	return [...offers.filter((offer) => !isRefused(offer)), ...offers.filter(isRefused)];
}

/** How a run goes on. */
interface Course extends Bounds {
	run: AcceptRun;
	/** The keys of the offers that count for Max per Day. */
	today: Set<string>;
	/** The code of the last failure, and how many there were with it in a row. */
	code?: string;
	inARow: number;
	/** Why no other offer can be accepted. */
	end?: string;
}

async function decide(
	course: Course,
	{ id, key, exchange }: Listed,
): Promise<Decision | undefined> {
	const { run, today, settings } = course;
	const wasAnswered = run.attempts.answer(key) !== undefined;
	// Whatever the rules say now, Accept tells what has become of an offer that this execution has asked for.
	if (!wasAnswered) {
		const state = stateOf(exchange);
		if (state !== undefined && state !== 'pending') return undefined;
		const objected = objectionTo(course, id, exchange);
		if (objected !== undefined) return { id, ...objected, exchange };
	}
	const objection: AcceptSettings['objection'] = (record) => objectionTo(course, id, record);
	const result = await acceptOffer(run, id, { ...settings, objection });
	learnFrom(course, result);
	const decision = isErrorResult(result) ? toFailedDecision(id, result, exchange) : result;
	if (['accepted', 'unknown', 'wouldAccept'].includes(decision.outcome)) today.add(key);
	return decision;
}

/** Why an offer is not to be accepted, by the rules and limits; undefined when it may be. */
function objectionTo(
	{ judge, run, today, maxPerDay, settings, end }: Course,
	id: string,
	exchange: IDataObject | undefined,
): Objection | undefined {
	if (!isSegment(id)) return undecided('Its ID cannot be read');
	if (exchange === undefined) return undecided('The list no longer shows it');
	if (stateOf(exchange) === undefined) return undecided('Its state cannot be read');
	const objected = judge(exchange);
	if (objected !== undefined) return objected;
	const isDayOver = today.size >= maxPerDay;
	const reason = end ?? (isDayOver ? `Max per Day (${maxPerDay}) is reached` : undefined);
	if (reason !== undefined) return { outcome: 'skipped', reason };
	return run.attempts.limitReached(settings);
}

/** Notes what the result says about the offers that come next. */
function learnFrom(course: Course, result: Decision | ErrorResult): void {
	course.end ??= course.run.blockedBy;
	const code = isErrorResult(result) ? result.code : undefined;
	course.inARow = code === course.code ? course.inARow + 1 : 1;
	course.code = code;
	const ending = endings.get(code);
	if (ending !== undefined && course.inARow >= ending.after) course.end ??= ending.end;
}

/** The decision about an offer whose accept failed: credits may have been spent (`unknown`), or certainly none were. */
function toFailedDecision(id: string, error: ErrorResult, exchange: IDataObject): Decision {
	const isUnknown = error.code === outcomeUnknownCode;
	const reason = isUnknown ? error.description : formatError(error);
	return { id, outcome: isUnknown ? 'unknown' : 'failed', reason, exchange };
}

function undecided(reason: string): Objection {
	return { outcome: 'undecided', reason };
}
