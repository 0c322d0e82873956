import type { IDataObject } from 'n8n-workflow';

import type { Outcome, ServiceConnection } from '../../../shared/connection';
import { successOrExplain } from '../../../shared/errors';
import { isId } from '../../../shared/events';
import { type Explanation, isExplanation } from '../../../shared/explanation';
import {
	describeBody,
	isObject,
	readError,
	readRecord,
	type ServiceResponse,
	shorten,
} from '../../../shared/response';
import { failureIn, isSaid } from '../../verdict';

/** What the outcome of a request to accept an offer tells. */
export type AcceptAnswer =
	| { kind: 'accepted'; record?: IDataObject }
	/** Credits may have been spent; `cause` says what was received. */
	| { kind: 'inDoubt'; cause: string }
	/** A refusal that may mean, or hide, that the offer is accepted: the list tells. */
	| { kind: 'refused'; response: ServiceResponse }
	| { kind: 'declined'; explanation: Explanation }
	| { kind: 'notSent'; explanation: Explanation };

/** Answers by which a service says that an exchange is not pending; which one it uses is not documented. */
const notPendingStatuses = [400, 404, 409, 410, 422];

/**
 * Redirects that say that the request was not carried out where it arrived (RFC 9110, sections 15.4.2, 15.4.8, 15.4.9);
 * the others are also sent after it was.
 */
const redirectsUndone = [301, 307, 308];

/** A proxy on the way to the service asks for a login (RFC 9110, section 15.5.8): it passed nothing on. */
const proxyRefuses = 407;

export function readAcceptAnswer(
	connection: ServiceConnection,
	outcome: Outcome,
	id: string,
): AcceptAnswer {
	if (outcome.kind === 'ambiguous') return { kind: 'inDoubt', cause: outcome.cause };
	const answer = successOrExplain(connection, outcome, {
		action: `accept the offer ${id}`,
		writes: true,
	});
	if (outcome.kind !== 'answered') return { kind: 'notSent', explanation: answer as Explanation };
	const { response } = outcome;
	const { statusCode } = response;
	if (!isExplanation(answer)) {
		const doubt = doubtIn(response, id);
		if (doubt !== undefined) {
			return { kind: 'inDoubt', cause: connection.withoutKey(`HTTP ${statusCode} ${doubt}`) };
		}
		const record = readRecord(response.json, 'exchange');
		return { kind: 'accepted', ...(record && { record }) };
	}
	if (statusCode < 400) {
		if (redirectsUndone.includes(statusCode)) return { kind: 'declined', explanation: answer };
		return { kind: 'inDoubt', cause: `HTTP ${statusCode}, a redirect to another address` };
	}
	const { code } = readError(response.json);
	// Only the service writes its documented error object; what something before it refuses may be done behind it.
	const isItsOwn = code !== undefined || statusCode === proxyRefuses;
	const mayBeAccepted = notPendingStatuses.includes(statusCode) && code !== 'insufficient_credits';
	return isItsOwn && !mayBeAccepted
		? { kind: 'declined', explanation: answer }
		: { kind: 'refused', response };
}

/** Words for a state in which credits have been spent. */
const paidWords = /^(accepted|live)$/i;
/** Those, and words for a request that went well. */
const goodWords = /^(accepted|live|ok|success|successful|succeeded|true|200|201|204)$/i;
/** Fields that say how it went, where they are texts, numbers or booleans. */
const verdictFields = [
	'status',
	'state',
	'result',
	'outcome',
	'success',
	'succeeded',
	'ok',
	'code',
];

/**
 * Why an answer with a status of success must not be believed; undefined when nothing speaks against it. 204 has no body;
 * any other names the offer or a good outcome, and neither an error nor another state or exchange.
 */
function doubtIn(response: ServiceResponse, id: string): string | undefined {
	const { statusCode, text, json } = response;
	if (statusCode === 202) return '(received, but not necessarily carried out yet)';
	if (statusCode === 204 && text.trim() === '') return undefined;
	if (!isObject(json)) return `with ${describeBody(response)}`;
	let isBorneOut = false;
	for (const place of placesIn(json)) {
		const failure = failureIn(place);
		if (failure !== undefined) return failure;
		for (const field of verdictFields) {
			const verdict = place[field];
			if (verdict === undefined || verdict === null || isObject(verdict)) continue;
			// The state of a record, which only these words tell; elsewhere it may be that of the request.
			const isState = isSaid(place.id) && (field === 'status' || field === 'state');
			const words = isState ? paidWords : goodWords;
			if (typeof verdict === 'object' || !words.test(String(verdict))) {
				return `with "${field}": ${shorten(JSON.stringify(verdict), 60)}`;
			}
			isBorneOut = true;
		}
		for (const name of [place.id, place.exchange_id].filter(isSaid)) {
			if (!isId(name) || String(name) !== id) return 'with the record of something else';
			isBorneOut = true;
		}
	}
	return isBorneOut
		? undefined
		: `with ${describeBody(response)}, which names neither the offer nor how it went`;
}

/** The objects in which the answer may speak: the body, and what it wraps. */
function placesIn(body: IDataObject): IDataObject[] {
	const inner = [body.exchange, body.offer, body.data, body.result].filter(isObject);
	const deeper = inner.flatMap(({ exchange, offer }) => [exchange, offer]).filter(isObject);
	return [body, ...inner, ...deeper];
}
