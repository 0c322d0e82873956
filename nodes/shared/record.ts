import type { IDataObject } from 'n8n-workflow';

import type { ServiceConnection } from './connection';
import { explainUnreadable, successOrExplain } from './errors';
import { type Explanation, isExplanation } from './explanation';
import { readRecord, type ServiceResponse } from './response';

export interface RecordRequest {
	path: readonly string[];
	/** For messages: "read the credit balance". */
	action: string;
	/** The key under which the record may come, besides bare and under `data`. */
	envelope: string;
	/** A field that every such record has. */
	field: string;
	isValid: (value: unknown) => boolean;
	/** For messages: "an object with the whole number "balance"". */
	expected: string;
	/** Ask the service even if the same record was read before in this run. */
	fresh?: boolean;
}

export interface RecordResult {
	record: IDataObject;
	response: ServiceResponse;
}

/** Reads a single record of the service, whatever its envelope. */
export async function readOneRecord(
	connection: ServiceConnection,
	{ path, action, envelope, field, isValid, expected, fresh }: RecordRequest,
): Promise<RecordResult | Explanation> {
	const outcome = await connection.get(path, { fresh });
	const response = successOrExplain(outcome, { action });
	if (isExplanation(response)) return response;
	const record = readRecord(response.json, envelope, field);
	if (record === undefined || !isValid(record[field])) return explainUnreadable(response, expected);
	return { record, response };
}
