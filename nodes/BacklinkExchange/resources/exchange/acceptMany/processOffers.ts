import type { IDataObject } from 'n8n-workflow';

import { getMostAdvanced, getStatus, isClosed } from '../../../../shared/api/exchangeStatus';
import { fetchExchanges, missingStatuses } from '../../../../shared/api/fetchExchanges';
import { fetchOwnSites } from '../../../../shared/api/ownSites';
import {
	type ErrorResult,
	formatError,
	isErrorResult,
	outcomeUnknownCode,
} from '../../../../shared/errors';
import { noCache } from '../../../../shared/transport/requestCache';
import { createYielder } from '../../../../shared/transport/yieldToEventLoop';
import { type ExchangeEnds, getExchangeEnds } from '../../../../shared/utils/direction';
import { groupById, isPathSegment } from '../../../../shared/utils/ids';
import { truncatedHint } from '../../../commonHints';
import { getRecentWrite, hasRecentSuccess, mayStillAppear } from '../../../helpers/recentWrites';
import type { OperationContext } from '../../../operation.types';
import type { AcceptLimits, Denial, ListedOffer } from '../accept/accept.types';
import { acceptOffer, type AcceptSession } from '../accept/acceptOffer';
import type { Decision } from '../decision';
import { getKeysAcceptedToday } from './acceptedToday';

/**
 * Error codes that end a run after several failures in a row.
 *
 * The first failure doesn't end it, because other offers may be cheaper.
 */
const stopConditions = new Map<string | undefined, { maxFailures: number; stopReason: string }>([
	[
		'insufficient_credits',
		{
			maxFailures: 10,
			stopReason: "The service declined 10 offers in a row because you don't have enough credits",
		},
	],
	[
		outcomeUnknownCode,
		{
			maxFailures: 5,
			stopReason:
				"The outcome of the last 5 requests isn't known. Check the offers with this outcome in your dashboard, then run the workflow again",
		},
	],
]);

const directionExplanation =
	'No exchange in the list is an offer from a partner. An exchange is your own offer if its "from_site" is one of your sites and its "to_site" isn\'t. If partners made these offers to you, please report it at https://github.com/n8n-nodes-backlink-exchange/n8n-nodes-backlink-exchange/issues, with "from_site" and "to_site" of one of them and the "id" and "url" of your sites.';

export interface AcceptPolicy {
	/** Evaluates the rules on an offer and on its ends, which show who is the partner. */
	getDenial: (offer: IDataObject, ends: ExchangeEnds) => Denial | undefined;
	/** Infinity if it isn't set. */
	maxPerDay: number;
	limits: AcceptLimits;
}

export interface ProcessResult {
	/** In the order of the list. */
	decisions: Decision[];
	/** Reason for accepting no further offer, if the run stopped. */
	stopReason?: string;
	/** Number of listed offers from partners that were accepted at any time. */
	acceptedCount: number;
}

interface Offer extends ListedOffer {
	/** Empty if the record has none. */
	id: string;
	key: string;
}

/** A run over all offers of an account. Only `state` changes. */
interface Run {
	readonly session: AcceptSession;
	readonly policy: AcceptPolicy;
	/** When the list was requested (monotonic). */
	readonly requestedAt: number;
	readonly state: RunState;
}

interface RunState {
	/** Keys of the offers that count for Max per Day. */
	acceptedToday: Set<string>;
	/** The last error code, `undefined` after a success, and how many times in a row it occurred. */
	lastCode?: string;
	consecutiveCount: number;
	/** Reason for accepting no further offer. */
	stopReason?: string;
}

/**
 * Fetches the list, decides about each offer that is pending or has an unreadable status, and
 * accepts the offers that the policy allows.
 *
 * @returns the decisions, or the error that kept the list from being used
 */
export async function processOffers(
	session: AcceptSession,
	policy: AcceptPolicy,
	hint: OperationContext['hint'],
): Promise<ProcessResult | ErrorResult> {
	const { client, executionAccepts } = session;
	const isPerDay = policy.maxPerDay !== Infinity;
	// Max per Day also counts exchanges that the list without a status leaves out.
	const extraStatuses = isPerDay ? missingStatuses : undefined;
	const list = await fetchExchanges(client, { ...noCache, extraStatuses });
	if (isErrorResult(list)) return list;
	const ownSites = await fetchOwnSites(client, list.entries);
	if (isErrorResult(ownSites)) return ownSites;
	const listedToday = isPerDay ? getKeysAcceptedToday(client, list, ownSites) : [];
	if (isErrorResult(listedToday)) return listedToday;
	if (list.truncated) hint('truncated', truncatedHint);

	const yieldIfBusy = createYielder(client.signal);
	const offers: Offer[] = [];
	let outgoingCount = 0;
	let acceptedCount = 0;
	for (const [groupId, records] of groupById(list.entries)) {
		const id = typeof groupId === 'string' ? groupId : '';
		const { record = {}, status } = getMostAdvanced(records);
		const ends = getExchangeEnds(record, ownSites);
		if (ends.direction === 'incoming') {
			offers.push({ id, key: client.scopedKey(id), record, ends });
			if (status !== undefined && status !== 'pending') acceptedCount++;
		} else if (status === 'pending') outgoingCount++;
		await yieldIfBusy();
	}

	const { requestedAt } = list;
	// The list may not show yet what other executions have accepted, or may have accepted.
	const acceptedRecently = offers
		.map(({ key }) => key)
		.filter((key) => mayBeAcceptedRecently(key, requestedAt));
	const acceptedToday = new Set([
		...listedToday,
		...acceptedRecently,
		...executionAccepts.acceptedKeys,
	]);
	const run: Run = {
		session,
		policy,
		requestedAt,
		state: { acceptedToday, consecutiveCount: 0 },
	};
	const decisionsByOffer = new Map<Offer, Decision | undefined>();
	for (const offer of sortRejectedLast(offers)) {
		decisionsByOffer.set(offer, await processOffer(run, offer));
		await yieldIfBusy();
	}

	const decisions = offers.flatMap((offer) => decisionsByOffer.get(offer) ?? []);
	const { stopReason } = run.state;
	if (stopReason !== undefined) {
		hint('stopReason', `No further offer can be accepted now: ${stopReason}`);
	}
	if (decisions.length === 0) {
		const count = list.entries.length;
		const nothingPending = 'No offer from a partner is pending.';
		hint('nothingPending', `${nothingPending} Exchanges that the service lists: ${count}.`);
	}
	if (outgoingCount > 0) hint('outgoing', getOutgoingHint(outgoingCount, offers.length > 0));
	return { decisions, stopReason, acceptedCount };
}

/**
 * Counts the offers that wait for partners.
 *
 * @param hasIncoming whether any exchange in the list is incoming; if not, its direction may be
 * read in the wrong way
 */
function getOutgoingHint(count: number, hasIncoming: boolean): string {
	const waiting =
		count === 1
			? '1 of your own offers is waiting for its partner.'
			: `${count} of your own offers are waiting for partners.`;
	return hasIncoming ? waiting : `${waiting} ${directionExplanation}`;
}

/** Moves offers whose last request was rejected to the end, so that they don't delay the others. */
function sortRejectedLast(offers: Offer[]): Offer[] {
	const isRejected = ({ key }: Offer) => getRecentWrite(key)?.result === 'rejected';
	return [...offers.filter((offer) => !isRejected(offer)), ...offers.filter(isRejected)];
}

/**
 * Decides about a listed exchange, and accepts it if nothing denies it.
 *
 * @returns `undefined` if the exchange isn't an offer
 */
async function processOffer(run: Run, offer: Offer): Promise<Decision | undefined> {
	const { session, policy, state } = run;
	const { id, key, record, ends } = offer;
	const hasPreviousResult = session.executionAccepts.get(key) !== undefined;
	// The result of an earlier request is reported even if the rules now deny the offer.
	if (!hasPreviousResult) {
		const status = getStatus(record);
		if (isClosed(record) || (status !== undefined && status !== 'pending')) return undefined;
		// The result of a request of another execution is reported, too.
		const isSent = mayBeAcceptedRecently(key, run.requestedAt);
		const denial = isSent ? undefined : getOfferDenial(run, id, offer);
		if (denial !== undefined) return { exchangeId: id, ...denial, record, ends };
	}
	const result = await acceptOffer(session, id, policy.limits, (listed) =>
		getOfferDenial(run, id, listed),
	);
	updateRunState(state, session.blockedBy, result);
	const decision = isErrorResult(result) ? toFailedDecision(offer, result) : result;
	if (['accepted', 'unknown', 'wouldAccept'].includes(decision.outcome)) {
		state.acceptedToday.add(key);
	}
	return decision;
}

/** Returns whether this process has accepted an offer, or may have, too late for the list. */
function mayBeAcceptedRecently(key: string, requestedAt: number): boolean {
	return hasRecentSuccess(key, requestedAt) || mayStillAppear(key, requestedAt);
}

/** Evaluates the rules, the state of the run and the limits on the record of an offer. */
function getOfferDenial(
	{ session, policy, state }: Run,
	id: string,
	listed: ListedOffer | undefined,
): Denial | undefined {
	if (!isPathSegment(id)) return toNeedsReview("Its ID can't be read");
	if (listed === undefined) return toNeedsReview('The service no longer lists it');
	if (getStatus(listed.record) === undefined) return toNeedsReview("Its status can't be read");
	const ruleDenial = policy.getDenial(listed.record, listed.ends);
	if (ruleDenial !== undefined) return ruleDenial;
	if (state.stopReason !== undefined) return { outcome: 'skipped', reason: state.stopReason };
	if (state.acceptedToday.size >= policy.maxPerDay) {
		return {
			outcome: 'skipped',
			reason: `Max per Day (${policy.maxPerDay}) is reached, counting the last 24 hours`,
		};
	}
	return session.executionAccepts.getMaxAcceptsDenial(policy.limits);
}

/** Stops the run if its last result shows that further offers can't be accepted. */
function updateRunState(
	state: RunState,
	blockedBy: string | undefined,
	result: Decision | ErrorResult,
): void {
	state.stopReason ??= blockedBy;
	const code = isErrorResult(result) ? result.code : undefined;
	state.consecutiveCount = code === state.lastCode ? state.consecutiveCount + 1 : 1;
	state.lastCode = code;
	const stopCondition = stopConditions.get(code);
	if (stopCondition !== undefined && state.consecutiveCount >= stopCondition.maxFailures) {
		state.stopReason ??= stopCondition.stopReason;
	}
}

/** Converts a failed accept: `unknown` if credits may have been spent, `failed` if none were. */
function toFailedDecision({ id, record, ends }: Offer, error: ErrorResult): Decision {
	const isUnknown = error.code === outcomeUnknownCode;
	const reason = isUnknown ? error.description : formatError(error);
	return { exchangeId: id, outcome: isUnknown ? 'unknown' : 'failed', reason, record, ends };
}

function toNeedsReview(reason: string): Denial {
	return { outcome: 'needsReview', reason };
}
