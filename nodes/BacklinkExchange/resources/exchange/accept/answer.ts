import type { IDataObject } from 'n8n-workflow';

import { idOf } from '../../../../shared/identity';
import { describeBody, failureIn, readRecord } from '../../../../shared/reading/content';
import { explainAnswer, explainOutcome } from '../../../../shared/reading/errors';
import { isPaid, stateOf } from '../../../../shared/reading/state';
import type { Outcome } from '../../../../shared/service/connection';
import { isSuccess, type ServiceResponse } from '../../../../shared/service/response';
import type { Explanation } from '../../../../shared/words/explanation';

/** What the outcome of a request to accept an offer is evidence of. */
export type Answer =
	| { evidence: 'accepted'; record?: IDataObject }
	| { evidence: 'refused'; why: Explanation }
	/** The request never left, or only a 429 came back. */
	| { evidence: 'notSent'; why: Explanation }
	/** Nothing that counts; `cause` says what was received. */
	| { evidence: 'none'; cause: string };

/**
 * Reads what came back from POST /exchanges/:id/accept, whose answer is not documented (service-api.md, "Endpoints").
 * Evidence of acceptance is a record of this offer whose state is accepted or live, or a success without a body; evidence of
 * refusal is a 4xx. Anything else is no evidence: it has to be looked up.
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
	if (isSuccess(response)) return readSuccess(response, id);
	const { statusCode } = response;
	// A 408 is a time-out: the request may still be carried out (RFC 9110, section 15.5.9).
	if (statusCode >= 400 && statusCode < 500 && statusCode !== 408) {
		return { evidence: 'refused', why: explainAnswer(response, intent) };
	}
	return { evidence: 'none', cause: `HTTP ${statusCode}` };
}

function readSuccess(response: ServiceResponse, id: string): Answer {
	const { statusCode, text, json } = response;
	// 202 says only that the request was received (RFC 9110, section 15.3.3).
	if (text.trim() === '' && statusCode !== 202) return { evidence: 'accepted' };
	const record = readRecord(json, 'exchange');
	const isProof =
		record !== undefined &&
		idOf(record) === id &&
		isPaid(stateOf(record)) &&
		failureIn(json) === undefined;
	if (isProof) return { evidence: 'accepted', record };
	const received = failureIn(json) ?? `with ${describeBody(response)}`;
	return { evidence: 'none', cause: `HTTP ${statusCode} ${received}` };
}
