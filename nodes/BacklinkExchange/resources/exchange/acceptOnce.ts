import type { IDataObject } from 'n8n-workflow';

import type { Outcome, ServiceConnection } from '../../../shared/connection';
import { explainAnswer, successOrExplain } from '../../../shared/errors';
import { findExchange, isAccepted, type Sighting } from '../../../shared/exchanges';
import { type Explanation, explanation, isExplanation } from '../../../shared/explanation';
import { isObject, readError, readRecord, type ServiceResponse } from '../../../shared/response';
import { lookAgain } from '../../lookAgain';
import { acceptGate } from './acceptGate';
import type { CreditGuard } from './creditGuard';

export interface AcceptSettings {
	checkFirst: boolean;
	retryUnconfirmed: boolean;
	/** 0 for no limit. */
	maxAccepts: number;
	minimumBalance?: number;
}

/** What the items of one run share. */
export interface AcceptRun {
	/** In milliseconds; what was read of the service in this run is not older. */
	startedAt: number;
	/** Offers that were accepted in this run, and those of which it is not known. */
	mayHaveSpent: number;
}

export interface AcceptResult {
	id: string;
	outcome: 'accepted' | 'alreadyAccepted' | 'skipped';
	confirmedBy?: 'response' | 'readBack' | 'check';
	reason?: string;
	creditsSpent?: number;
	balance?: number;
	exchange?: IDataObject;
}

/** Looks at an exchange whose state is in doubt: this many times at most, with growing pauses (about ten seconds in all). */
const mostLooks = 6;

/** Answers by which a service says that an exchange is not pending; which one it uses is not documented. */
const notPendingStatuses = [400, 404, 409, 410, 422];

/**
 * Accepts one offer: check, guards, one POST, and a look at the exchange when the answer does not settle it.
 * An outcome that could not be seen is an explanation to throw, never a result.
 */
export async function acceptOnce(
	connection: ServiceConnection,
	id: string,
	settings: AcceptSettings,
	credits: CreditGuard,
	run: AcceptRun,
): Promise<AcceptResult | Explanation> {
	const key = connection.accountKey(id);
	return await acceptGate.inTurn(key, async () => {
		// If somebody in this process has asked for it before, the check is no longer a matter of choice.
		const lastPosted = acceptGate.lastPosted(key);
		let known: IDataObject | undefined;
		if (settings.checkFirst || lastPosted !== undefined) {
			const fresh = lastPosted !== undefined && lastPosted >= run.startedAt;
			const sighting = await findExchange(connection, id, { fresh });
			if (isExplanation(sighting)) return sighting;
			known = sighting.record;
			if (isAccepted(known)) return { ...alreadyAccepted(id, known), confirmedBy: 'check' };
			if (known?.status === 'broken') return brokenLink(id);
		}
		return await acceptPending(connection, id, settings, credits, run, known);
	});
}

/** The guards, the POST and what it cost, for an offer that is pending as far as is known. */
async function acceptPending(
	connection: ServiceConnection,
	id: string,
	settings: AcceptSettings,
	credits: CreditGuard,
	run: AcceptRun,
	known: IDataObject | undefined,
): Promise<AcceptResult | Explanation> {
	if (settings.maxAccepts > 0 && run.mayHaveSpent >= settings.maxAccepts) {
		const reason = `The maximum of ${settings.maxAccepts} accepts per run is reached`;
		return { id, outcome: 'skipped', reason, ...(known && { exchange: known }) };
	}
	const { minimumBalance } = settings;
	if (minimumBalance !== undefined) {
		const refusal = await credits.refusal(minimumBalance);
		if (typeof refusal === 'object') return refusal;
		if (refusal !== undefined) {
			return { id, outcome: 'skipped', reason: refusal, ...(known && { exchange: known }) };
		}
	}

	let result = await postAndConfirm(connection, id);
	if (result === 'stillPending' && settings.retryUnconfirmed) {
		result = await postAndConfirm(connection, id);
	}
	if (result === 'stillPending') return stillPending(id);
	if (isExplanation(result) || result.outcome !== 'accepted') return result;

	const exchange = { ...withoutStatus(known), ...result.exchange };
	const accepted = { ...result, ...(Object.keys(exchange).length > 0 && { exchange }) };
	if (minimumBalance === undefined) return accepted;
	const spending = await credits.settle();
	// The offer is accepted; that its price could not be read must not look like anything else.
	return isExplanation(spending) ? accepted : { ...accepted, ...spending };
}

/** What was known before the accept; its status is no longer true. */
function withoutStatus(exchange: IDataObject | undefined): IDataObject {
	return Object.fromEntries(Object.entries(exchange ?? {}).filter(([name]) => name !== 'status'));
}

/** One POST, and what became of it. */
async function postAndConfirm(
	connection: ServiceConnection,
	id: string,
): Promise<AcceptResult | Explanation | 'stillPending'> {
	const intent = { action: `accept the offer ${id}`, writes: true };
	acceptGate.posting(connection.accountKey(id));
	const outcome = await connection.post(['exchanges', id, 'accept']);
	if (isInDoubt(outcome)) return await lookUntilSettled(connection, id);

	const response = successOrExplain(connection, outcome, intent);
	if (!isExplanation(response)) {
		const exchange = readRecord(response.json, 'exchange');
		return { id, outcome: 'accepted', confirmedBy: 'response', ...(exchange && { exchange }) };
	}
	if (outcome.kind === 'answered' && saysNotPending(outcome.response)) {
		return await explainNotPending(connection, id, outcome.response);
	}
	return response;
}

/**
 * Whether the answer leaves open if the credits were spent: none came, or a 2xx that the service did not write (a web
 * page of a proxy), or one whose record is still pending.
 */
function isInDoubt(outcome: Outcome): boolean {
	if (outcome.kind !== 'answered') return outcome.kind === 'ambiguous';
	const { statusCode, text, json } = outcome.response;
	if (statusCode < 200 || statusCode >= 300) return false;
	if (text.trim() !== '' && !isObject(json)) return true;
	const status = readRecord(json, 'exchange', 'status')?.status;
	if (status === undefined) return false;
	return typeof status !== 'string' || !['accepted', 'live', 'ok', 'success'].includes(status);
}

function saysNotPending(response: ServiceResponse): boolean {
	return (
		notPendingStatuses.includes(response.statusCode) &&
		readError(response.json).code !== 'insufficient_credits'
	);
}

/** After an interrupted POST: looks until the exchange is accepted, or has stayed pending long enough. */
async function lookUntilSettled(
	connection: ServiceConnection,
	id: string,
): Promise<AcceptResult | Explanation | 'stillPending'> {
	const isSettled = (seen: Sighting | Explanation) =>
		!isExplanation(seen) && isAccepted(seen.record);
	const look = async () => await findExchange(connection, id, { fresh: true });
	const seen = await lookAgain(connection, mostLooks, look, isSettled);
	if (isExplanation(seen)) return unknownOutcome(id, seen);
	if (isAccepted(seen.record)) {
		return { id, outcome: 'accepted', confirmedBy: 'readBack', exchange: seen.record };
	}
	return seen.record?.status === 'pending' ? 'stillPending' : unknownOutcome(id, undefined);
}

/** After an answer that says "not pending": what the exchange is instead. */
async function explainNotPending(
	connection: ServiceConnection,
	id: string,
	response: ServiceResponse,
): Promise<AcceptResult | Explanation> {
	const sighting = await findExchange(connection, id, { fresh: true });
	if (!isExplanation(sighting)) {
		const { record } = sighting;
		if (isAccepted(record)) return { ...alreadyAccepted(id, record), confirmedBy: 'readBack' };
		if (record?.status === 'broken') return brokenLink(id);
	}
	return explainAnswer(connection, response, {
		action: `accept the offer ${id}`,
		notFound: {
			message: `The service does not know the exchange ${id}`,
			description: 'Nothing was spent. Take the ID from "Get many exchanges" with status Pending.',
		},
	});
}

function alreadyAccepted(id: string, exchange: IDataObject | undefined): AcceptResult {
	return { id, outcome: 'alreadyAccepted', ...(exchange && { exchange }) };
}

function brokenLink(id: string): Explanation {
	return explanation({
		message: `The exchange ${id} cannot be accepted: its link is broken`,
		description: 'It was accepted and published before. Nothing was sent or spent now.',
	});
}

function stillPending(id: string): Explanation {
	return explanation({
		message: `The offer ${id} was not accepted`,
		description:
			'The request was interrupted, and the service still shows the offer as pending: nothing was spent so far. It is safe to run again with Check First turned on. The option Retry Unconfirmed sends the request once more in this case.',
		failure: { cause: 'temporarily-unavailable' },
	});
}

function unknownOutcome(id: string, cause: Explanation | undefined): Explanation {
	const why = cause
		? `and the list of exchanges could not be read afterwards (${cause.message})`
		: 'and the list of exchanges does not show it';
	return explanation({
		message: `It is not known whether the offer ${id} was accepted`,
		description: `The request was interrupted, ${why}. Look at the offer and at the credit ledger in the dashboard of the service. Running again with Check First turned on is safe: an offer that was accepted is not accepted twice.`,
		failure: { cause: 'temporarily-unavailable' },
		mayHaveSpent: true,
	});
}
