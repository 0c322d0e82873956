import type { IDataObject } from 'n8n-workflow';

import { describeResponse } from '../../../../shared/api/describeResponse';
import { isAcceptedStatus } from '../../../../shared/api/exchange';
import { getStatus } from '../../../../shared/api/forms/exchangeStatus';
import { findEmbeddedError, parseRecord } from '../../../../shared/api/forms/records';
import { createHttpError, createRequestError } from '../../../../shared/api/httpErrors';
import type { ServiceError } from '../../../../shared/errors';
import type { PostResult } from '../../../../shared/transport/apiClient';
import {
	isBlockedByProxy,
	isSuccess,
	type ServiceResponse,
} from '../../../../shared/transport/response';
import { getId } from '../../../../shared/utils/ids';
import { createAcceptIntent } from './acceptErrors';

export type AcceptResponse =
	/** The offer is accepted. The record is empty if the response has no body. */
	| { kind: 'confirmed'; record: IDataObject }
	/** This request didn't accept the offer. */
	| { kind: 'rejected'; error: ServiceError }
	/** The service didn't process the request: rate limit, proxy, or it can't be reached. */
	| { kind: 'failed'; error: ServiceError }
	/** The outcome isn't known. The cause describes the response, such as "HTTP 500". */
	| { kind: 'unclear'; cause: string };

/** Classifies the response to POST /exchanges/:id/accept by what it proves. */
export function parseAcceptResponse(result: PostResult, id: string): AcceptResponse {
	if (result.kind === 'ambiguous') return { kind: 'unclear', cause: result.cause };
	const intent = createAcceptIntent(id);
	if (result.kind !== 'response') {
		return { kind: 'failed', error: createRequestError(result, intent) };
	}
	const { response } = result;
	// A response of a proxy concerns all requests, and the service didn't get this one.
	if (isBlockedByProxy(response)) {
		return { kind: 'failed', error: createHttpError(response, intent) };
	}
	// The client reports 408 (RFC 9110, section 15.5.9) and 5xx as ambiguous.
	if (response.statusCode >= 400) {
		return { kind: 'rejected', error: createHttpError(response, intent) };
	}
	const record = parseConfirmation(response, id);
	return record === undefined
		? { kind: 'unclear', cause: describeResponse(response) }
		: { kind: 'confirmed', record };
}

/**
 * Parses the proof that an offer is accepted: a record of it whose status is accepted or live (or,
 * with HTTP 202, still pending), or a success without a body.
 *
 * service-api.md, "Endpoints": the response is not documented.
 *
 * @returns the record, empty if there is no body, or `undefined` if the response proves nothing
 */
function parseConfirmation(response: ServiceResponse, id: string): IDataObject | undefined {
	const { statusCode, excerpt, json } = response;
	if (!isSuccess(response) || findEmbeddedError(json) !== undefined) return undefined;
	// 202 means only that the request was received (RFC 9110, section 15.3.3).
	if (excerpt.trim() === '') return statusCode === 202 ? undefined : {};
	const record = parseRecord(json, 'exchange');
	if (record === undefined || getId(record) !== id) return undefined;
	const status = getStatus(record);
	// With 202, the service confirms later.
	const isConfirmed = isAcceptedStatus(status) || (statusCode === 202 && status === 'pending');
	return isConfirmed ? record : undefined;
}
