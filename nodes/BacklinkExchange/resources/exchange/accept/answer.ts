import type { IDataObject } from 'n8n-workflow';

import { isId } from '../../../../shared/identity';
import { isObject } from '../../../../shared/objects';
import { describeBody, readError } from '../../../../shared/reading/content';
import { explainAnswer, explainOutcome } from '../../../../shared/reading/errors';
import { failureIn } from '../../../../shared/reading/failure';
import { isPaid, namesState, stateOf } from '../../../../shared/reading/state';
import type { Outcome } from '../../../../shared/service/connection';
import { isSuccess, type ServiceResponse } from '../../../../shared/service/response';
import type { Explanation } from '../../../../shared/words/explanation';

/** What the outcome of a request to accept an offer is evidence of. */
export type Answer =
	| { evidence: 'accepted'; record?: IDataObject }
	/** The service or a proxy has refused the request. `mayBeAccepted`: the offer may be accepted all the same; the list shows it. */
	| { evidence: 'refused'; why: Explanation; mayBeAccepted: boolean }
	/** The request never left, or only a 429 came back. */
	| { evidence: 'notSent'; why: Explanation }
	/** Nothing that counts; `cause` says what was received. */
	| { evidence: 'none'; cause: string };

/** Answers by which a service says that an exchange is not pending; which one it uses is not documented. */
const notPendingStatuses = [400, 404, 409, 410, 422];
/** A proxy on the way asks for a login (RFC 9110, section 15.5.8): it passed nothing on. */
const proxyLogin = 407;
/** The 4xx after which the request may have been carried out, or still be (RFC 9110, 15.5.9; RFC 8470, 5.2). */
const unclearStatuses = [408, 425];

/**
 * Reads what came back from POST /exchanges/:id/accept, whose answer is not documented (service-api.md, "Endpoints").
 * Evidence of acceptance is a record of this offer whose state reads as accepted or live, or a success without a body;
 * evidence of refusal is a 4xx. Anything else is no evidence: it has to be checked.
 */
export function readAnswer(outcome: Outcome, id: string): Answer {
	if (outcome.kind === 'ambiguous') return { evidence: 'none', cause: outcome.cause };
	const intent = {
		action: `accept the offer ${id}`,
		writes: true,
		notFound: {
			message: `The service does not know the exchange ${id}`,
			description: 'Take the ID from "Get many exchanges" with status Pending.',
		},
	};
	if (outcome.kind !== 'answered') {
		return { evidence: 'notSent', why: explainOutcome(outcome, intent) };
	}
	const { response } = outcome;
	const { statusCode } = response;
	if (isSuccess(response)) return readSuccess(response, id);
	if (statusCode >= 400 && statusCode < 500 && !unclearStatuses.includes(statusCode)) {
		const { code } = readError(response.json);
		// Only the service writes its documented error object. Another refusal may be that of a proxy, and the service behind it
		// may have carried out the request.
		const isCertain = code !== undefined || statusCode === proxyLogin;
		const meansNotPending =
			notPendingStatuses.includes(statusCode) && code !== 'insufficient_credits';
		return {
			evidence: 'refused',
			why: explainAnswer(response, intent),
			mayBeAccepted: meansNotPending || !isCertain,
		};
	}
	return { evidence: 'none', cause: `HTTP ${statusCode}` };
}

function readSuccess(response: ServiceResponse, id: string): Answer {
	const { statusCode, text, json } = response;
	// 202 says only that the request was received (RFC 9110, section 15.3.3).
	if (text.trim() === '' && statusCode !== 202) return { evidence: 'accepted' };
	const record = recordIn(json);
	if (record !== undefined && isProof(record, id)) return { evidence: 'accepted', record };
	const received = failureIn(json) ?? `with ${describeBody(response)}`;
	return { evidence: 'none', cause: `HTTP ${statusCode} ${received}` };
}

/** What the body is, or wraps under `exchange` or `data` with nothing beside it that could contradict it. */
function recordIn(json: unknown): IDataObject | undefined {
	let inner = json;
	for (const wrapper of ['data', 'exchange']) {
		if (isObject(inner) && Object.keys(inner).join() === wrapper) inner = inner[wrapper];
	}
	return isObject(inner) ? inner : undefined;
}

/** A record of this offer that is accepted or live, and in which nothing says otherwise. */
function isProof(record: IDataObject, id: string): boolean {
	const isThisOffer = isId(record.id) && String(record.id) === id;
	const parts = Object.values(record).filter(isObject);
	const isContradicted =
		record.accepted === false || [record, ...parts].some((part) => failureIn(part) !== undefined);
	return isThisOffer && isPaid(stateOf(record)) && !isContradicted && !parts.some(namesState);
}
