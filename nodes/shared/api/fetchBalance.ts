import type { IDataObject } from 'n8n-workflow';

import { type ErrorResult, isErrorResult } from '../errors';
import type { ApiClient } from '../transport/apiClient';
import type { CacheOptions } from '../transport/requestCache';
import { okOrError, toUnexpectedBodyError } from './httpErrors';
import { parseRecord } from './parseResponse';

/** Fetches GET /credits/balance (service-api.md, "Credit balance"), in any envelope. */
export async function fetchBalance(
	client: ApiClient,
	cacheOptions: CacheOptions = {},
): Promise<IDataObject | ErrorResult> {
	const result = await client.get(['credits', 'balance'], cacheOptions);
	const response = okOrError(result, { action: 'read the credit balance' });
	if (isErrorResult(response)) return response;
	const record = parseRecord(response.json, 'credits', 'balance');
	return record !== undefined && Number.isInteger(record.balance)
		? record
		: toUnexpectedBodyError(response, 'an object with the whole number "balance"');
}
