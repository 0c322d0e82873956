import type { IDataObject, IExecuteFunctions } from 'n8n-workflow';

import { isAcceptedStatus } from '../../../../shared/api/exchangeStatus';
import { findExchange } from '../../../../shared/api/fetchExchanges';
import { fetchOwnSites } from '../../../../shared/api/ownSites';
import { type ErrorResult, isErrorResult } from '../../../../shared/errors';
import type { ApiClient, PostResult, VetoedRequest } from '../../../../shared/transport/apiClient';
import { type CacheOptions, noCache } from '../../../../shared/transport/requestCache';
import { type ExchangeEnds, getExchangeEnds } from '../../../../shared/utils/direction';
import { monotonicNow } from '../../../../shared/utils/time';
import { runExclusive } from '../../../helpers/keyedMutex';
import {
	confirmWrite,
	getMinReadTime,
	hasRecentSuccess,
	mayStillAppear,
	recordWrite,
} from '../../../helpers/recentWrites';
import type { Decision } from '../decision';
import { type AcceptLimits, type GetDenial, noMinimumBalance } from './accept.types';
import {
	acceptedDespiteErrorReason,
	brokenLinkError,
	outcomeUnknownError,
	outgoingError,
	unknownStatusError,
	waitedTooLongError,
} from './acceptErrors';
import { BalanceGuard } from './balanceGuard';
import { ExecutionAccepts } from './executionAccepts';
import { parseAcceptResponse } from './parseAcceptResponse';

/**
 * For the list, and for the balance if there is no minimum. Before a request, older ones are
 * fetched again.
 */
const maxListAgeMs = 5000;
/** For a balance that must stay above a minimum. */
const maxBalanceAgeMs = 1000;
/** List checks after an unclear response: about ten seconds in all. */
const maxVerifyAttempts = 6;
/** An attempt ends if the list is stale when the rate limit lets the request through. */
const maxSendAttempts = 5;

/** State that the items of one run and account share. */
export interface AcceptSession {
	client: ApiClient;
	executionAccepts: ExecutionAccepts;
	balanceGuard: BalanceGuard;
	/** By the key of the offer. If the same offer comes again, it fails for the same reason. */
	failures: Map<string, ErrorResult>;
	/** Reason for accepting no further offer. */
	blockedBy?: string;
	/** Set if a balance that nothing depends on couldn't be fetched: it isn't fetched again. */
	isBalanceUnavailable?: boolean;
}

interface AcceptContext {
	readonly session: AcceptSession;
	readonly id: string;
	/** Identifies the exchange within its account. */
	readonly key: string;
	readonly limits: AcceptLimits;
	readonly getRuleDenial: GetDenial;
	readonly state: {
		/** The last known record; `undefined` while no list has shown it. */
		record?: IDataObject;
		/** The ends of `record`; `undefined` until they are needed. */
		ends?: ExchangeEnds;
		/** When the last list was complete (monotonic). */
		listedAt: number;
	};
}

type AcceptResult = Decision | ErrorResult;

export function createAcceptSession(context: IExecuteFunctions, client: ApiClient): AcceptSession {
	return {
		client,
		executionAccepts: new ExecutionAccepts(context),
		balanceGuard: BalanceGuard.forAccount(client),
		failures: new Map(),
	};
}

/**
 * Accepts one offer, only once (docs/decisions/0003-accept-is-paid-once.md).
 *
 * The service documents no idempotency key, so nothing but these steps prevents a second payment:
 * the execution notes the request before it leaves, the list is at most `maxListAgeMs` old when it
 * does, and a response that doesn't show the outcome (a timeout, a 5xx) is never answered with a
 * second request by this execution, or within a minute by another one of this process.
 *
 * @param getRuleDenial the user's rules; without them, only the limits apply
 * @returns the decision, or an error if nothing was accepted or the outcome isn't known
 */
export async function acceptOffer(
	session: AcceptSession,
	id: string,
	limits: AcceptLimits,
	getRuleDenial: GetDenial = () => undefined,
): Promise<AcceptResult> {
	const key = session.client.scopedKey(id);
	const state = { listedAt: -Infinity };
	const acceptContext: AcceptContext = { session, id, key, limits, getRuleDenial, state };
	const result = await runWithMutex(acceptContext, async () => await runAcceptSteps(acceptContext));
	if (isErrorResult(result)) session.failures.set(key, result);
	return result;
}

/** Runs a task under the mutex of the offer and, if there is a limit, that of the account. */
async function runWithMutex(
	{ session: { client }, key, limits }: AcceptContext,
	task: () => Promise<AcceptResult>,
): Promise<AcceptResult> {
	const runForOffer = async () => await runExclusive(key, task, client.signal);
	const isLimited = limits.maxAccepts !== Infinity || limits.minimumBalance !== noMinimumBalance;
	// Without the account's mutex, two executions could both see credits for one more offer.
	return isLimited
		? await runExclusive(client.scopedKey(''), runForOffer, client.signal)
		: await runForOffer();
}

/** Checks, sends and verifies, in the order of the decision; the caller holds the mutexes. */
async function runAcceptSteps(acceptContext: AcceptContext): Promise<AcceptResult> {
	const { session, id, key, limits, state } = acceptContext;

	const previousResult = getPreviousResult(acceptContext);
	if (previousResult !== undefined) return previousResult;
	// An execution never sends a second request while the outcome of the first isn't known.
	if (session.executionAccepts.get(key) === null) return await fetchOutcome(acceptContext);

	for (let attempt = 1; attempt <= maxSendAttempts; attempt++) {
		const listResult = await checkList(acceptContext);
		if (listResult !== undefined) return listResult;

		const denied = getDeniedDecision(acceptContext);
		if (denied !== undefined) return denied;

		const balanceCheck = await checkBalance(acceptContext);
		if (!balanceCheck.isAllowed) return balanceCheck.result;

		// Fetching the balance may have waited for the rate limit.
		if (isListStale(state)) {
			const result = (await checkList(acceptContext)) ?? getDeniedDecision(acceptContext);
			if (result !== undefined) return result;
		}
		if (limits.dryRun) return recordWouldAccept(acceptContext, balanceCheck.balance);

		const sent = await sendAccept(acceptContext);
		if (sent.kind === 'vetoed') continue;

		const response = parseAcceptResponse(sent, id);
		switch (response.kind) {
			case 'confirmed':
				return await handleConfirmation(acceptContext, response.record);
			case 'rejected':
				return await handleRejection(acceptContext, response.error);
			case 'failed':
				return blockSession(session, response.error);
			case 'unclear':
				return await verifyInList(acceptContext, response.cause);
		}
	}
	return blockSession(session, waitedTooLongError);
}

/** Returns the result that this execution already has for the offer, if any. */
function getPreviousResult({ session, key, limits }: AcceptContext): AcceptResult | undefined {
	const record = session.executionAccepts.get(key);
	// A result of a dry run doesn't count for a live run.
	if (record && (record.outcome === 'accepted' || limits.dryRun)) return record;
	return session.failures.get(key);
}

/**
 * Checks the list for the offer before a request.
 *
 * @returns the final result, or `undefined` if the list doesn't keep the request from being sent
 */
async function checkList(acceptContext: AcceptContext): Promise<AcceptResult | undefined> {
	const { session, id, key, state } = acceptContext;
	const listed = await fetchListed(acceptContext);
	if (isErrorResult(listed)) return blockSession(session, listed);
	const { status, record, requestedAt } = listed;
	const outgoing = await checkDirection(acceptContext);
	if (outgoing !== undefined) return outgoing;
	if (isAcceptedStatus(status)) {
		return await recordAccepted(acceptContext, { alreadyAccepted: true });
	}
	const isPending = record === undefined || status === 'pending';
	if (isPending && hasRecentSuccess(key, requestedAt)) {
		state.record = withoutStatus(state.record);
		return await recordAccepted(acceptContext, { alreadyAccepted: true });
	}
	if (mayStillAppear(key, requestedAt)) return outcomeUnknownError(id);
	// The service decides about an offer that no list shows.
	if (record === undefined) return undefined;
	if (status === 'broken') return brokenLinkError(id);
	if (status !== 'pending') return unknownStatusError(id);
	return undefined;
}

/**
 * Checks that the offer is incoming, as far as a list has shown it. Only incoming offers are
 * accepted (service-api.md, "Endpoints").
 *
 * @returns `undefined` if it is, or if the service has to decide
 */
async function checkDirection({
	session,
	id,
	state,
}: AcceptContext): Promise<ErrorResult | undefined> {
	const { record } = state;
	if (record === undefined) return undefined;
	const ownSites = await fetchOwnSites(session.client, [record]);
	if (isErrorResult(ownSites)) return blockSession(session, ownSites);
	state.ends = getExchangeEnds(record, ownSites);
	return state.ends.direction === 'outgoing' ? outgoingError(id) : undefined;
}

/** Fetches the list, unless a recent one is known, and stores what it shows of the offer. */
async function fetchListed(
	{ session: { client }, id, key, state }: AcceptContext,
	cacheOptions: CacheOptions = { notBefore: getMinReadTime(key), maxAge: maxListAgeMs },
) {
	const listed = await findExchange(client, id, cacheOptions);
	if (isErrorResult(listed)) return listed;
	state.listedAt = listed.completedAt;
	state.record = listed.record ?? state.record;
	return listed;
}

function isListStale({ listedAt }: AcceptContext['state']): boolean {
	return monotonicNow() - listedAt > maxListAgeMs;
}

/** Evaluates rules and Max Accepts, but not Minimum Balance, on the last known record. */
function getDeniedDecision({
	session,
	id,
	limits,
	getRuleDenial,
	state: { record, ends },
}: AcceptContext): Decision | undefined {
	const listed = record && ends && { record, ends };
	const denial = getRuleDenial(listed) ?? session.executionAccepts.getMaxAcceptsDenial(limits);
	return denial && { exchangeId: id, ...denial, record, ends };
}

type BalanceCheck =
	/** The balance is known only if there is a minimum. */
	{ isAllowed: true; balance?: number } | { isAllowed: false; result: AcceptResult };

/** Checks Minimum Balance, and fetches the balance from which the cost is derived afterwards. */
async function checkBalance({
	session,
	id,
	limits: { minimumBalance, dryRun },
	state: { record, ends },
}: AcceptContext): Promise<BalanceCheck> {
	const { client, executionAccepts, balanceGuard } = session;
	const settleCharges = async () => {
		await balanceGuard.settle(
			async (exchangeId, notBefore) =>
				await findExchange(client, exchangeId, { notBefore, maxAge: maxListAgeMs }),
		);
	};
	if (minimumBalance === noMinimumBalance) {
		if (!dryRun && !session.isBalanceUnavailable) {
			await settleCharges();
			const snapshot = await balanceGuard.fetchBalance(client, maxListAgeMs);
			session.isBalanceUnavailable = isErrorResult(snapshot);
		}
		return { isAllowed: true };
	}
	await settleCharges();
	const snapshot = await balanceGuard.fetchBalance(client, maxBalanceAgeMs);
	if (isErrorResult(snapshot)) {
		return { isAllowed: false, result: blockSession(session, snapshot) };
	}
	const { balance } = snapshot;
	const plannedCount = dryRun ? executionAccepts.wouldAcceptCount : 0;
	const reason = balanceGuard.getSkipReason(snapshot, minimumBalance, plannedCount);
	if (reason === undefined) return { isAllowed: true, balance };
	session.blockedBy = reason;
	const outcome = 'skipped';
	const result: Decision = { exchangeId: id, outcome, reason, balance, record, ends };
	return { isAllowed: false, result };
}

function recordWouldAccept(
	{ session, id, key, state: { record, ends } }: AcceptContext,
	balance: number | undefined,
): Decision {
	const outcome = 'wouldAccept';
	const decision: Decision = { exchangeId: id, outcome, balance, record, ends };
	session.executionAccepts.set(key, decision);
	return decision;
}

/**
 * Sends the accept request, or nothing if the list is stale when the rate limit lets it through.
 *
 * It counts against Max Accepts as soon as it is sent, unless it provably wasn't processed.
 */
async function sendAccept({
	session: { client, executionAccepts, balanceGuard },
	id,
	key,
	state,
}: AcceptContext): Promise<PostResult | VetoedRequest> {
	const beforeSend = () => {
		if (isListStale(state)) return false;
		executionAccepts.set(key, null);
		balanceGuard.onSent(key, id);
		return true;
	};
	const onNotProcessed = () => {
		executionAccepts.delete(key);
		balanceGuard.discard(key);
	};
	const hooks = { beforeSend, onNotProcessed };
	try {
		return await client.post(['exchanges', id, 'accept'], undefined, hooks);
	} finally {
		if (executionAccepts.get(key) === null) {
			recordWrite(key, 'unknown');
			balanceGuard.onCompleted(key);
		}
	}
}

async function handleConfirmation(
	acceptContext: AcceptContext,
	confirmation: IDataObject,
): Promise<Decision> {
	const { state } = acceptContext;
	// The response may not have a status.
	state.record = { ...withoutStatus(state.record), ...confirmation };
	return await recordAccepted(acceptContext);
}

/** Returns a copy of a listed record without its status, which is outdated. */
function withoutStatus(record: IDataObject = {}): IDataObject {
	const fields = Object.entries(record).filter(([name]) => name !== 'status');
	return Object.fromEntries(fields);
}

/** Returns the error of a rejected request, unless the list shows that the offer is accepted. */
async function handleRejection(
	acceptContext: AcceptContext,
	error: ErrorResult,
): Promise<AcceptResult> {
	const { session, key, state } = acceptContext;
	const isTooExpensive = error.code === 'insufficient_credits';
	// If no list has shown the offer either, a 404 is conclusive.
	const isNotFound = error.statusCode === 404 && state.record === undefined;
	if (!isTooExpensive && !isNotFound) {
		const listed = await fetchListed(acceptContext, noCache);
		if (!isErrorResult(listed) && isAcceptedStatus(listed.status)) {
			const reason = acceptedDespiteErrorReason(error.statusCode);
			const decision = await recordAccepted(acceptContext, { reason });
			// If the balance doesn't show a charge by now, somebody else accepted the offer before.
			session.balanceGuard.discard(key);
			return decision;
		}
	}
	session.balanceGuard.discard(key);
	recordWrite(key, 'rejected');
	session.executionAccepts.delete(key);
	const concernsAllOffers = error.failure !== undefined && !isTooExpensive;
	return concernsAllOffers ? blockSession(session, error) : error;
}

/** Checks the list until it shows the offer as accepted, for about ten seconds. */
async function verifyInList(acceptContext: AcceptContext, cause: string): Promise<AcceptResult> {
	return await acceptContext.session.client.retryUntil(
		maxVerifyAttempts,
		async () => await fetchOutcome(acceptContext, cause, noCache),
		(result) => !isErrorResult(result),
	);
}

/**
 * Looks up the outcome of a request of this execution in the list.
 *
 * @param cause describes the response of the request, such as "HTTP 500"
 * @returns the accepted decision, or the error that the outcome isn't known
 */
async function fetchOutcome(
	acceptContext: AcceptContext,
	cause?: string,
	cacheOptions?: CacheOptions,
): Promise<AcceptResult> {
	const { id } = acceptContext;
	const listed = await fetchListed(acceptContext, cacheOptions);
	if (isErrorResult(listed)) return outcomeUnknownError(id, cause, listed);
	if (isAcceptedStatus(listed.status)) return await recordAccepted(acceptContext);
	return outcomeUnknownError(id, cause);
}

/**
 * Stores that the offer is accepted, with the cost if a request of this execution may have been
 * charged.
 *
 * @param alreadyAccepted whether it was accepted before, so that no request was needed
 */
async function recordAccepted(
	acceptContext: AcceptContext,
	{ alreadyAccepted = false, reason }: Pick<Decision, 'alreadyAccepted' | 'reason'> = {},
): Promise<Decision> {
	const { session, id, key, state } = acceptContext;
	confirmWrite(key);
	session.balanceGuard.confirm(key);
	const cost = alreadyAccepted ? undefined : await fetchCost(acceptContext);
	const { record, ends } = state;
	const decision: Decision = {
		exchangeId: id,
		outcome: 'accepted',
		alreadyAccepted,
		reason,
		...cost,
		record,
		ends,
	};
	session.executionAccepts.set(key, decision);
	return decision;
}

async function fetchCost({ session, key, limits }: AcceptContext) {
	const { client, balanceGuard } = session;
	const isNeeded = limits.minimumBalance !== noMinimumBalance;
	const isFetched = isNeeded || !session.isBalanceUnavailable;
	return isFetched ? await balanceGuard.fetchCost(client, key, isNeeded) : undefined;
}

/** Marks an error as one that keeps every further offer from being accepted. */
function blockSession(session: AcceptSession, error: ErrorResult): ErrorResult {
	session.blockedBy = error.message;
	return error;
}
