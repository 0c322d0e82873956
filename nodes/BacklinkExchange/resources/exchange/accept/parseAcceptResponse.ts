import type { IDataObject } from 'n8n-workflow';

import { getStatus, isAcceptedStatus } from '../../../../shared/api/exchangeStatus';
import { findEmbeddedError, parseRecord } from '../../../../shared/api/parseResponse';
import { isSuccess, type ServiceResponse } from '../../../../shared/transport/response';
import { getId } from '../../../../shared/utils/ids';

/**
 * What proves that an offer is accepted, in the answer to POST /exchanges/:id/accept, which is not documented (service-api.md,
 * "Endpoints"): a record of it whose state is accepted or live, or a success without a body, which has no record.
 * @returns undefined for an answer that proves nothing
 */
export function parseConfirmation(response: ServiceResponse, id: string): IDataObject | undefined {
	const { statusCode, excerpt, json } = response;
	if (!isSuccess(response) || findEmbeddedError(json) !== undefined) return undefined;
	// 202 says only that the request was received (RFC 9110, section 15.3.3).
	if (excerpt.trim() === '') return statusCode === 202 ? undefined : {};
	const record = parseRecord(json, 'exchange');
	const isProof =
		record !== undefined && getId(record) === id && isAcceptedStatus(getStatus(record));
	return isProof ? record : undefined;
}

/** Whether an answer is evidence that the offer was not accepted by this request. */
export function isRejection({ statusCode }: ServiceResponse): boolean {
	// A 408 is a time-out: the request may still be carried out (RFC 9110, section 15.5.9).
	return statusCode >= 400 && statusCode < 500 && statusCode !== 408;
}
