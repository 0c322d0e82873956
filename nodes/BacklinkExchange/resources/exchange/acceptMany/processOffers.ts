import type { IDataObject } from 'n8n-workflow';

import { getMostAdvanced, getStatus } from '../../../../shared/api/exchangeStatus';
import { fetchExchanges, missingStatuses } from '../../../../shared/api/fetchExchanges';
import {
	type ErrorResult,
	formatError,
	isErrorResult,
	outcomeUnknownCode,
} from '../../../../shared/errors';
import { noCache } from '../../../../shared/transport/requestCache';
import { createYielder } from '../../../../shared/transport/yieldToEventLoop';
import { groupById, isPathSegment } from '../../../../shared/utils/ids';
import { truncatedHint } from '../../../commonHints';
import { recentWrites } from '../../../helpers/recentWrites';
import type { OperationContext } from '../../../operation.types';
import { type AcceptLimits, type Denial } from '../accept/accept.types';
import { acceptOffer, type AcceptSession } from '../accept/acceptOffer';
import type { Decision } from '../decision';
import { acceptedToday } from './acceptedToday';
import type { Rules } from './rules';

/**
 * After how many offers in a row, each of which failed with this code, a run ends: others may cost less than those that were too
 * expensive.
 */
const stopConditions = new Map<string | undefined, { after: number; stopReason: string }>([
	[
		'insufficient_credits',
		{ after: 10, stopReason: 'The service has refused 10 offers in a row for lack of credits' },
	],
	[outcomeUnknownCode, { after: 5, stopReason: 'The outcome of the last 5 accepts is not known' }],
]);

/** What the user has set. */
export interface AcceptPolicy extends Pick<Rules, 'evaluate'> {
	/** Infinity where it is not set. */
	maxPerDay: number;
	limits: AcceptLimits;
}

export interface ProcessResult {
	/** The decisions, in the order of the list. */
	decisions: Decision[];
	/** Why the run accepts nothing more; undefined while it could. */
	stopReason?: string;
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
export async function processOffers(
	session: AcceptSession,
	policy: AcceptPolicy,
	hint: OperationContext['hint'],
): Promise<ProcessResult | ErrorResult> {
	const { client, executionAccepts } = session;
	const isPerDay = policy.maxPerDay !== Infinity;
	// Max per Day counts what the whole list leaves out, too.
	const extraStatuses = isPerDay ? missingStatuses : undefined;
	const list = await fetchExchanges(client, { ...noCache, extraStatuses });
	if (isErrorResult(list)) return list;
	const accepted = isPerDay ? acceptedToday(client, list) : [];
	if (isErrorResult(accepted)) return accepted;
	if (list.truncated) hint('truncated', truncatedHint);
	const yieldIfBusy = createYielder(client.signal);
	const offers: Listed[] = [];
	for (const [id, same] of groupById(list.entries)) {
		const name = typeof id === 'string' ? id : '';
		const { record: exchange = {} } = getMostAdvanced(same);
		offers.push({ id: name, key: client.scopedKey(name), exchange });
		await yieldIfBusy();
	}
	const today = new Set([...accepted, ...executionAccepts.acceptedKeys]);
	const runState: RunState = { ...policy, session, today, consecutiveCount: 0 };
	const decided = new Map<Listed, Decision | undefined>();
	for (const offer of sortRejectedLast(offers)) {
		decided.set(offer, await processOffer(runState, offer));
		await yieldIfBusy();
	}
	const decisions = offers.flatMap((offer) => decided.get(offer) ?? []);
	const { stopReason } = runState;
	if (stopReason !== undefined) hint('end', `No further offer can be accepted now: ${stopReason}`);
	if (decisions.length === 0) {
		const count = list.entries.length;
		hint('nothing', `No offer is pending. Exchanges that the service lists: ${count}.`);
	}
	return { decisions, stopReason };
}

/** Those last whose last request was refused: they would hold up the others. */
function sortRejectedLast(offers: Listed[]): Listed[] {
	const isRejected = ({ key }: Listed) => recentWrites.get(key)?.result === 'rejected';
	return [...offers.filter((offer) => !isRejected(offer)), ...offers.filter(isRejected)];
}

/** How a run goes on. */
interface RunState extends AcceptPolicy {
	session: AcceptSession;
	/** The keys of the offers that count for Max per Day. */
	today: Set<string>;
	/** The code of the last failure, and how many there were with it in a row. */
	code?: string;
	consecutiveCount: number;
	/** Why no other offer can be accepted. */
	stopReason?: string;
}

async function processOffer(
	runState: RunState,
	{ id, key, exchange }: Listed,
): Promise<Decision | undefined> {
	const { session, today, limits } = runState;
	const wasAnswered = session.executionAccepts.get(key) !== undefined;
	// Whatever the rules say now, Accept tells what has become of an offer that this execution has asked for.
	if (!wasAnswered) {
		const state = getStatus(exchange);
		if (state !== undefined && state !== 'pending') return undefined;
		const denial = evaluateOffer(runState, id, exchange);
		if (denial !== undefined) return { id, ...denial, exchange };
	}
	const evaluate: AcceptLimits['evaluate'] = (record) => evaluateOffer(runState, id, record);
	const result = await acceptOffer(session, id, { ...limits, evaluate });
	updateRunState(runState, result);
	const decision = isErrorResult(result) ? toFailedDecision(id, result, exchange) : result;
	if (['accepted', 'unknown', 'wouldAccept'].includes(decision.outcome)) today.add(key);
	return decision;
}

/** Why an offer is not to be accepted, by the rules and limits; undefined when it may be. */
function evaluateOffer(
	{ evaluate, session, today, maxPerDay, limits, stopReason }: RunState,
	id: string,
	exchange: IDataObject | undefined,
): Denial | undefined {
	if (!isPathSegment(id)) return undecided('Its ID cannot be read');
	if (exchange === undefined) return undecided('The list no longer shows it');
	if (getStatus(exchange) === undefined) return undecided('Its state cannot be read');
	const denial = evaluate(exchange);
	if (denial !== undefined) return denial;
	const isDailyLimitReached = today.size >= maxPerDay;
	const reason =
		stopReason ?? (isDailyLimitReached ? `Max per Day (${maxPerDay}) is reached` : undefined);
	if (reason !== undefined) return { outcome: 'skipped', reason };
	return session.executionAccepts.checkMaxAccepts(limits);
}

/** Notes what the result says about the offers that come next. */
function updateRunState(runState: RunState, result: Decision | ErrorResult): void {
	runState.stopReason ??= runState.session.blockedBy;
	const code = isErrorResult(result) ? result.code : undefined;
	runState.consecutiveCount = code === runState.code ? runState.consecutiveCount + 1 : 1;
	runState.code = code;
	const ending = stopConditions.get(code);
	if (ending !== undefined && runState.consecutiveCount >= ending.after) {
		runState.stopReason ??= ending.stopReason;
	}
}

/** The decision about an offer whose accept failed: credits may have been spent (`unknown`), or certainly none were. */
function toFailedDecision(id: string, error: ErrorResult, exchange: IDataObject): Decision {
	const isUnknown = error.code === outcomeUnknownCode;
	const reason = isUnknown ? error.description : formatError(error);
	return { id, outcome: isUnknown ? 'unknown' : 'failed', reason, exchange };
}

function undecided(reason: string): Denial {
	return { outcome: 'undecided', reason };
}
