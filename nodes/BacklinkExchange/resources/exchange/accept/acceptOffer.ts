import type { IDataObject, IExecuteFunctions } from 'n8n-workflow';

import { isAcceptedStatus } from '../../../../shared/api/exchangeStatus';
import { findExchange } from '../../../../shared/api/fetchExchanges';
import { toHttpError, toRequestError } from '../../../../shared/api/httpErrors';
import { describeResponse } from '../../../../shared/api/parseResponse';
import { type ErrorResult, isErrorResult } from '../../../../shared/errors';
import type { ApiClient, PostResult, VetoedRequest } from '../../../../shared/transport/apiClient';
import { type CacheOptions, noCache } from '../../../../shared/transport/requestCache';
import { monotonicNow } from '../../../../shared/utils/time';
import { runExclusive } from '../../../helpers/keyedMutex';
import { getMinReadTime, mayStillAppear, recentWrites } from '../../../helpers/recentWrites';
import type { Decision } from '../decision';
import { type AcceptLimits, noMinimumBalance } from './accept.types';
import {
	acceptedDespiteErrorReason,
	brokenLinkError,
	createAcceptIntent,
	outcomeUnknownError,
	unknownStatusError,
	waitedTooLongError,
} from './acceptErrors';
import { BalanceGuard } from './balanceGuard';
import { ExecutionAccepts } from './executionAccepts';
import { isRejection, parseConfirmation } from './parseAcceptResponse';

/** A list, or a balance without a minimum, that is older than this many milliseconds is read again before a request. */
const maxListAgeMs = 5000;
/** The same of a balance that has to stay above a minimum. */
const maxBalanceAgeMs = 1000;
/** How often an offer whose outcome is not clear is looked up: about ten seconds in all. */
const maxVerifyAttempts = 6;
/** How often a request may have to wait for so long that the list before it is outdated. */
const maxSendAttempts = 5;

/** What the items of one run and account share. */
export interface AcceptSession {
	client: ApiClient;
	executionAccepts: ExecutionAccepts;
	balanceGuard: BalanceGuard;
	/** Why offers failed, by their keys: the same offer again fails for the same reason. */
	failures: Map<string, ErrorResult>;
	/** Why nothing can be sent for any offer. */
	blockedBy?: string;
	/** Whether the balance could not be read where nothing depends on it; it is not asked for again then. */
	isBalanceUnavailable?: boolean;
}

interface AcceptContext extends AcceptSession {
	session: AcceptSession;
	id: string;
	/** A name for this exchange of this account. */
	key: string;
	limits: AcceptLimits;
	/** The record as it was last seen; undefined while no list has shown it. */
	record?: IDataObject;
	/** When the list that was last read was complete, by `steadyNow`. */
	listedAt: number;
	/** What came back from a request that got no clear answer, such as "HTTP 500". */
	cause?: string;
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
 * Accepts one offer, once (docs/decisions/0003-accept-is-paid-once.md): what this execution has answered before, look, guard,
 * ask, read the answer, look again. The service keeps the books: what another process has done is seen in its list.
 * @returns why nothing was accepted, or an outcome that could not be seen, as an explanation to throw
 */
export async function acceptOffer(
	session: AcceptSession,
	id: string,
	limits: AcceptLimits,
): Promise<AcceptResult> {
	const { client, failures } = session;
	const key = client.scopedKey(id);
	const acceptContext: AcceptContext = {
		...session,
		session,
		id,
		key,
		limits,
		listedAt: -Infinity,
	};
	const accept = async () =>
		getPreviousResult(acceptContext) ?? (await checkAndSend(acceptContext));
	const acceptInTurn = async () => await runExclusive(key, accept, client.signal);
	const isLimited = limits.maxAccepts !== Infinity || limits.minimumBalance !== noMinimumBalance;
	// With a limit, the whole account takes turns: otherwise two executions could both see credits for one more accept.
	const result = isLimited
		? await runExclusive(client.scopedKey(''), acceptInTurn, client.signal)
		: await acceptInTurn();
	if (isErrorResult(result)) failures.set(key, result);
	return result;
}

/** Once: what this execution has answered for the offer. */
function getPreviousResult({
	executionAccepts,
	failures,
	key,
	limits,
}: AcceptContext): AcceptResult | undefined {
	const record = executionAccepts.get(key);
	const isValid = record?.outcome === 'accepted' || limits.dryRun;
	return (isValid && record) || failures.get(key);
}

async function checkAndSend(acceptContext: AcceptContext): Promise<AcceptResult> {
	for (let attempts = 0; attempts < maxSendAttempts; attempts++) {
		const result = (await checkList(acceptContext)) ?? (await checkLimits(acceptContext));
		if (result !== undefined) return result;
		const outcome = await sendAccept(acceptContext);
		if (outcome.kind !== 'vetoed') return await handleResult(acceptContext, outcome);
	}
	acceptContext.session.blockedBy = waitedTooLongError.message;
	return waitedTooLongError;
}

/** Look: what is to be said of the offer by the list; undefined when a request may be sent. */
async function checkList(
	acceptContext: AcceptContext,
	cacheOptions: CacheOptions = {},
): Promise<AcceptResult | undefined> {
	const { client, executionAccepts, balanceGuard, id, key, cause } = acceptContext;
	const wasSent = executionAccepts.get(key) === null;
	const found = await findExchange(client, id, {
		notBefore: getMinReadTime(key),
		maxAge: maxListAgeMs,
		...cacheOptions,
	});
	if (isErrorResult(found)) {
		if (wasSent) return outcomeUnknownError(id, cause, found);
		acceptContext.session.blockedBy = found.message;
		return found;
	}
	const { status, record, requestedAt, completedAt } = found;
	acceptContext.listedAt = completedAt;
	acceptContext.record = record ?? acceptContext.record;
	if (isAcceptedStatus(status)) {
		return await toAcceptedDecision(acceptContext, wasSent ? 'readBack' : 'check');
	}
	if (wasSent || mayStillAppear(key, requestedAt)) return outcomeUnknownError(id, cause);
	if (record === undefined) return undefined;
	if (status !== 'pending') {
		return status === 'broken' ? brokenLinkError(id) : unknownStatusError(id);
	}
	// What is pending a minute after a request that ended unclear was not paid.
	balanceGuard.discard(key);
	return undefined;
}

/** Guard: what keeps the request from being sent; undefined when nothing does. A dry run ends here. */
async function checkLimits(acceptContext: AcceptContext): Promise<AcceptResult | undefined> {
	const { executionAccepts, id, key, limits } = acceptContext;
	const denial = checkRulesAndMaxAccepts(acceptContext);
	if (denial !== undefined) return denial;
	const balance = await checkBalance(acceptContext);
	if (typeof balance === 'object') return balance;
	// The balance took so long that the list has grown old.
	const result = isListStale(acceptContext)
		? ((await checkList(acceptContext)) ?? checkRulesAndMaxAccepts(acceptContext))
		: undefined;
	if (result !== undefined || !limits.dryRun) return result;
	const decision: Decision = {
		id,
		outcome: 'wouldAccept',
		balance,
		exchange: acceptContext.record,
	};
	executionAccepts.set(key, decision);
	return decision;
}

/** Why the offer is not to be accepted by the rules and limits of the user, but for the minimum of the balance. */
function checkRulesAndMaxAccepts({
	executionAccepts,
	id,
	limits,
	record,
}: AcceptContext): Decision | undefined {
	const denial = limits.evaluate?.(record) ?? executionAccepts.checkMaxAccepts(limits);
	return denial && { id, ...denial, exchange: record };
}

/** The balance, as far as it can be and has to be read; or why it allows no accept. */
async function checkBalance(
	acceptContext: AcceptContext,
): Promise<number | undefined | AcceptResult> {
	const { client, executionAccepts, balanceGuard, session, id, limits, record } = acceptContext;
	const { minimumBalance, dryRun } = limits;
	const isNeeded = minimumBalance !== noMinimumBalance;
	if (!isNeeded && (dryRun || session.isBalanceUnavailable)) return undefined;
	const snapshot = await balanceGuard.fetchBalance(
		client,
		isNeeded ? maxBalanceAgeMs : maxListAgeMs,
	);
	if (!isNeeded) {
		session.isBalanceUnavailable = isErrorResult(snapshot);
		return undefined;
	}
	if (isErrorResult(snapshot)) {
		session.blockedBy = snapshot.message;
		return snapshot;
	}
	const { balance } = snapshot;
	const reason = balanceGuard.checkMinimum(
		snapshot,
		minimumBalance,
		dryRun ? executionAccepts.wouldAcceptCount : 0,
	);
	if (reason === undefined) return balance;
	session.blockedBy = reason;
	return { id, outcome: 'skipped', reason, balance, exchange: record };
}

/** Ask: one request. It counts from the moment when it leaves, until it certainly was not carried out. */
async function sendAccept(acceptContext: AcceptContext): Promise<PostResult | VetoedRequest> {
	const { client, executionAccepts, balanceGuard, id, key } = acceptContext;
	const beforeSend = () => {
		if (isListStale(acceptContext)) return false;
		executionAccepts.set(key, null);
		balanceGuard.onSent(key);
		return true;
	};
	const onNotProcessed = () => {
		executionAccepts.set(key, undefined);
		balanceGuard.discard(key);
	};
	try {
		return await client.post(['exchanges', id, 'accept'], undefined, {
			beforeSend,
			onNotProcessed,
		});
	} finally {
		if (executionAccepts.get(key) === null) {
			recentWrites.set(key, { completedAt: monotonicNow(), result: 'unknown' });
			balanceGuard.onCompleted();
		}
	}
}

/** Read the answer: only evidence counts, all else is looked up. */
async function handleResult(
	acceptContext: AcceptContext,
	outcome: PostResult,
): Promise<AcceptResult> {
	const { session, id, record } = acceptContext;
	if (outcome.kind === 'ambiguous') return await verifyInList(acceptContext, outcome.cause);
	const intent = createAcceptIntent(id);
	if (outcome.kind !== 'response') {
		const error = toRequestError(outcome, intent);
		session.blockedBy = error.message;
		return error;
	}
	const { response } = outcome;
	if (isRejection(response)) {
		return await handleRejection(acceptContext, toHttpError(response, intent));
	}
	const confirmation = parseConfirmation(response, id);
	if (confirmation === undefined) {
		return await verifyInList(acceptContext, describeResponse(response));
	}
	// Its state in the list is no longer true.
	const known = Object.entries(record ?? {}).filter(([name]) => name !== 'status');
	acceptContext.record = { ...Object.fromEntries(known), ...confirmation };
	return await toAcceptedDecision(acceptContext, 'response');
}

/** Look again, because what came back is no evidence. */
async function verifyInList(acceptContext: AcceptContext, cause: string): Promise<AcceptResult> {
	acceptContext.cause = cause;
	return await acceptContext.client.retryUntil(
		maxVerifyAttempts,
		async () =>
			(await checkList(acceptContext, noCache)) ?? outcomeUnknownError(acceptContext.id, cause),
		(result) => !isErrorResult(result),
	);
}

/** A refusal ends the request, unless the list shows that the offer is accepted all the same. */
async function handleRejection(
	acceptContext: AcceptContext,
	error: ErrorResult,
): Promise<AcceptResult> {
	const { client, executionAccepts, balanceGuard, session, id, key } = acceptContext;
	const isTooExpensive = error.code === 'insufficient_credits';
	// Where no list has shown the offer, a 404 says what it says: there is no such offer.
	const isNoOffer = acceptContext.record === undefined && error.statusCode === 404;
	if (!isTooExpensive && !isNoOffer) {
		const found = await findExchange(client, id, noCache);
		if (!isErrorResult(found) && isAcceptedStatus(found.status)) {
			acceptContext.record = found.record;
			return await toAcceptedDecision(
				acceptContext,
				'readBack',
				acceptedDespiteErrorReason(error.statusCode),
			);
		}
	}
	balanceGuard.discard(key);
	recentWrites.set(key, { completedAt: monotonicNow(), result: 'rejected' });
	executionAccepts.set(key, undefined);
	if (error.failure !== undefined && !isTooExpensive) session.blockedBy = error.message;
	return error;
}

/** The offer was seen as accepted; what that has cost is read, if a request of ours may have paid for it. */
async function toAcceptedDecision(
	acceptContext: AcceptContext,
	confirmedBy: NonNullable<Decision['confirmedBy']>,
	reason?: string,
): Promise<Decision> {
	const { executionAccepts, id, key } = acceptContext;
	const cost = confirmedBy === 'check' ? undefined : await fetchCost(acceptContext);
	const exchange = acceptContext.record;
	const decision: Decision = { id, outcome: 'accepted', confirmedBy, reason, ...cost, exchange };
	executionAccepts.set(key, decision);
	const recentWrite = recentWrites.get(key);
	if (recentWrite) recentWrites.set(key, { ...recentWrite, result: 'succeeded' });
	return decision;
}

async function fetchCost({ client, balanceGuard, session, key, limits }: AcceptContext) {
	const isNeeded = limits.minimumBalance !== noMinimumBalance;
	if (isNeeded || !session.isBalanceUnavailable) {
		return await balanceGuard.fetchCost(client, key, isNeeded);
	}
	balanceGuard.stopTracking(key);
	return undefined;
}

function isListStale({ listedAt }: AcceptContext): boolean {
	return monotonicNow() - listedAt > maxListAgeMs;
}
