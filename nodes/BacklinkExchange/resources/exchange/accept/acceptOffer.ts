import type { IDataObject, IExecuteFunctions } from 'n8n-workflow';

import { isPaid } from '../../../../shared/api/exchangeStatus';
import { findExchange } from '../../../../shared/api/fetchExchanges';
import { toHttpError, toRequestError } from '../../../../shared/api/httpErrors';
import { describeAnswer } from '../../../../shared/api/parseResponse';
import { type ErrorResult, isErrorResult } from '../../../../shared/errors';
import type { ApiClient, PostResult, VetoedRequest } from '../../../../shared/transport/apiClient';
import { monotonicNow } from '../../../../shared/utils/time';
import { inTurn } from '../../../helpers/keyedMutex';
import { afterLastRequest, lastRequests, mayStillShow } from '../../../helpers/recentWrites';
import type { Decision } from '../decision';
import { type AcceptSettings, noMinimum } from './accept.types';
import {
	acceptedDespiteErrorReason,
	brokenLinkError,
	intentOf,
	outcomeUnknownError,
	unknownStatusError,
	waitedTooLongError,
} from './acceptErrors';
import { Floor } from './balanceGuard';
import { Attempts } from './executionAccepts';
import { isRefusal, proofIn } from './parseAcceptResponse';

/** A list, or a balance without a minimum, that is older than this many milliseconds is read again before a request. */
const maxListAgeMs = 5000;
/** The same of a balance that has to stay above a minimum. */
const maxBalanceAgeMs = 1000;
/** How often an offer whose outcome is not clear is looked up: about ten seconds in all. */
const maxVerifyAttempts = 6;
/** How often a request may have to wait for so long that the list before it is outdated. */
const maxSendAttempts = 5;

/** What the items of one run and account share. */
export interface AcceptRun {
	connection: ApiClient;
	attempts: Attempts;
	floor: Floor;
	/** Why offers failed, by their keys: the same offer again fails for the same reason. */
	failures: Map<string, ErrorResult>;
	/** Why nothing can be sent for any offer. */
	blockedBy?: string;
	/** Whether the balance could not be read where nothing depends on it; it is not asked for again then. */
	isWithoutBalance?: boolean;
}

interface Offer extends AcceptRun {
	run: AcceptRun;
	id: string;
	/** A name for this exchange of this account. */
	key: string;
	settings: AcceptSettings;
	/** The record as it was last seen; undefined while no list has shown it. */
	record?: IDataObject;
	/** When the list that was last read was complete, by `steadyNow`. */
	listedAt: number;
	/** What came back from a request that got no clear answer, such as "HTTP 500". */
	cause?: string;
}

type Reached = Decision | ErrorResult;

export function beginAccepts(context: IExecuteFunctions, connection: ApiClient): AcceptRun {
	return {
		connection,
		attempts: new Attempts(context),
		floor: Floor.of(connection),
		failures: new Map(),
	};
}

/**
 * Accepts one offer, once (docs/decisions/0003-accept-is-paid-once.md): what this execution has answered before, look, guard,
 * ask, read the answer, look again. The service keeps the books: what another process has done is seen in its list.
 * @returns why nothing was accepted, or an outcome that could not be seen, as an explanation to throw
 */
export async function acceptOffer(
	run: AcceptRun,
	id: string,
	settings: AcceptSettings,
): Promise<Reached> {
	const { connection, failures } = run;
	const key = connection.accountKey(id);
	const offer: Offer = { ...run, run, id, key, settings, listedAt: -Infinity };
	const accept = async () => once(offer) ?? (await lookAndAsk(offer));
	const acceptInTurn = async () => await inTurn(key, accept, connection.signal);
	const isLimited = settings.maxAccepts !== Infinity || settings.minimumBalance !== noMinimum;
	// With a limit, the whole account takes turns: otherwise two executions could both see credits for one more accept.
	const reached = isLimited
		? await inTurn(connection.accountKey(''), acceptInTurn, connection.signal)
		: await acceptInTurn();
	if (isErrorResult(reached)) failures.set(key, reached);
	return reached;
}

/** Once: what this execution has answered for the offer. */
function once({ attempts, failures, key, settings }: Offer): Reached | undefined {
	const answer = attempts.answer(key);
	const isValid = answer?.outcome === 'accepted' || settings.dryRun;
	return (isValid && answer) || failures.get(key);
}

async function lookAndAsk(offer: Offer): Promise<Reached> {
	for (let rounds = 0; rounds < maxSendAttempts; rounds++) {
		const settled = (await look(offer)) ?? (await guard(offer));
		if (settled !== undefined) return settled;
		const outcome = await ask(offer);
		if (outcome.kind !== 'vetoed') return await readOutcome(offer, outcome);
	}
	offer.run.blockedBy = waitedTooLongError.message;
	return waitedTooLongError;
}

/** Look: what is to be said of the offer by the list; undefined when a request may be sent. */
async function look(
	offer: Offer,
	{ noCache }: { noCache?: boolean } = {},
): Promise<Reached | undefined> {
	const { connection, attempts, floor, id, key, cause } = offer;
	const wasSent = attempts.answer(key) === null;
	const cacheOptions = { notBefore: afterLastRequest(key), maxAge: maxListAgeMs, noCache };
	const found = await findExchange(connection, id, cacheOptions);
	if (isErrorResult(found)) {
		if (wasSent) return outcomeUnknownError(id, cause, found);
		offer.run.blockedBy = found.message;
		return found;
	}
	const { state, record, requestedAt, completedAt } = found;
	offer.listedAt = completedAt;
	offer.record = record ?? offer.record;
	if (isPaid(state)) return await accepted(offer, wasSent ? 'readBack' : 'check');
	if (wasSent || mayStillShow(key, requestedAt)) return outcomeUnknownError(id, cause);
	if (record === undefined) return undefined;
	if (state !== 'pending') return state === 'broken' ? brokenLinkError(id) : unknownStatusError(id);
	// What is pending a minute after a request that ended unclear was not paid.
	floor.close(key);
	return undefined;
}

/** Guard: what keeps the request from being sent; undefined when nothing does. A dry run ends here. */
async function guard(offer: Offer): Promise<Reached | undefined> {
	const { attempts, id, key, settings } = offer;
	const objected = objection(offer);
	if (objected !== undefined) return objected;
	const balance = await readBalanceBefore(offer);
	if (typeof balance === 'object') return balance;
	// The balance took so long that the list has grown old.
	const settled = isListOld(offer) ? ((await look(offer)) ?? objection(offer)) : undefined;
	if (settled !== undefined || !settings.dryRun) return settled;
	const decision: Decision = { id, outcome: 'wouldAccept', balance, exchange: offer.record };
	attempts.keep(key, decision);
	return decision;
}

/** Why the offer is not to be accepted by the rules and limits of the user, but for the minimum of the balance. */
function objection({ attempts, id, settings, record }: Offer): Decision | undefined {
	const objected = settings.objection?.(record) ?? attempts.limitReached(settings);
	return objected && { id, ...objected, exchange: record };
}

/** The balance, as far as it can be and has to be read; or why it allows no accept. */
async function readBalanceBefore(offer: Offer): Promise<number | undefined | Reached> {
	const { connection, attempts, floor, run, id, settings, record } = offer;
	const { minimumBalance, dryRun } = settings;
	const isNeeded = minimumBalance !== noMinimum;
	if (!isNeeded && (dryRun || run.isWithoutBalance)) return undefined;
	const reading = await floor.read(connection, isNeeded ? maxBalanceAgeMs : maxListAgeMs);
	if (!isNeeded) {
		run.isWithoutBalance = isErrorResult(reading);
		return undefined;
	}
	if (isErrorResult(reading)) {
		run.blockedBy = reading.message;
		return reading;
	}
	const { balance } = reading;
	const reason = floor.objection(reading, minimumBalance, dryRun ? attempts.wouldAcceptCount : 0);
	if (reason === undefined) return balance;
	run.blockedBy = reason;
	return { id, outcome: 'skipped', reason, balance, exchange: record };
}

/** Ask: one request. It counts from the moment when it leaves, until it certainly was not carried out. */
async function ask(offer: Offer): Promise<PostResult | VetoedRequest> {
	const { connection, attempts, floor, id, key } = offer;
	const beforeSend = () => {
		if (isListOld(offer)) return false;
		attempts.keep(key, null);
		floor.begin(key);
		return true;
	};
	const onNotProcessed = () => {
		attempts.keep(key, undefined);
		floor.close(key);
	};
	try {
		return await connection.post(['exchanges', id, 'accept'], undefined, {
			beforeSend,
			onNotProcessed,
		});
	} finally {
		if (attempts.answer(key) === null) {
			lastRequests.set(key, { endedAt: monotonicNow(), ended: 'unclear' });
			floor.ended();
		}
	}
}

/** Read the answer: only evidence counts, all else is looked up. */
async function readOutcome(offer: Offer, outcome: PostResult): Promise<Reached> {
	const { run, id, record } = offer;
	if (outcome.kind === 'ambiguous') return await lookAgain(offer, outcome.cause);
	const intent = intentOf(id);
	if (outcome.kind !== 'response') {
		const error = toRequestError(outcome, intent);
		run.blockedBy = error.message;
		return error;
	}
	const { response } = outcome;
	if (isRefusal(response)) return await readRefusal(offer, toHttpError(response, intent));
	const proof = proofIn(response, id);
	if (proof === undefined) return await lookAgain(offer, describeAnswer(response));
	// Its state in the list is no longer true.
	const known = Object.entries(record ?? {}).filter(([name]) => name !== 'status');
	offer.record = { ...Object.fromEntries(known), ...proof };
	return await accepted(offer, 'response');
}

/** Look again, because what came back is no evidence. */
async function lookAgain(offer: Offer, cause: string): Promise<Reached> {
	offer.cause = cause;
	return await offer.connection.retryUntil(
		maxVerifyAttempts,
		async () => (await look(offer, { noCache: true })) ?? outcomeUnknownError(offer.id, cause),
		(reached) => !isErrorResult(reached),
	);
}

/** A refusal ends the request, unless the list shows that the offer is accepted all the same. */
async function readRefusal(offer: Offer, error: ErrorResult): Promise<Reached> {
	const { connection, attempts, floor, run, id, key } = offer;
	const isTooExpensive = error.code === 'insufficient_credits';
	// Where no list has shown the offer, a 404 says what it says: there is no such offer.
	const isNoOffer = offer.record === undefined && error.statusCode === 404;
	if (!isTooExpensive && !isNoOffer) {
		const found = await findExchange(connection, id, { noCache: true });
		if (!isErrorResult(found) && isPaid(found.state)) {
			offer.record = found.record;
			return await accepted(offer, 'readBack', acceptedDespiteErrorReason(error.statusCode));
		}
	}
	floor.close(key);
	lastRequests.set(key, { endedAt: monotonicNow(), ended: 'refused' });
	attempts.keep(key, undefined);
	if (error.failure !== undefined && !isTooExpensive) run.blockedBy = error.message;
	return error;
}

/** The offer was seen as accepted; what that has cost is read, if a request of ours may have paid for it. */
async function accepted(
	offer: Offer,
	confirmedBy: NonNullable<Decision['confirmedBy']>,
	reason?: string,
): Promise<Decision> {
	const { attempts, id, key } = offer;
	const cost = confirmedBy === 'check' ? undefined : await readCost(offer);
	const exchange = offer.record;
	const decision: Decision = { id, outcome: 'accepted', confirmedBy, reason, ...cost, exchange };
	attempts.keep(key, decision);
	const last = lastRequests.get(key);
	if (last) lastRequests.set(key, { ...last, ended: 'done' });
	return decision;
}

async function readCost({ connection, floor, run, key, settings }: Offer) {
	const isNeeded = settings.minimumBalance !== noMinimum;
	if (isNeeded || !run.isWithoutBalance) return await floor.after(connection, key, isNeeded);
	floor.giveUp(key);
	return undefined;
}

function isListOld({ listedAt }: Offer): boolean {
	return monotonicNow() - listedAt > maxListAgeMs;
}
