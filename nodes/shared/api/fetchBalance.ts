import type { IDataObject } from 'n8n-workflow';

import { quoteValue } from '../formatting/message';
import type { ApiClient } from '../transport/apiClient';
import type { CacheOptions } from '../transport/requestCache';
import { parseNumber, parseRecord } from './forms/records';
import { createUnexpectedBodyError, unwrapResponse } from './httpErrors';

/** Figures of the balance (service-api.md, "Credit balance"). */
const figures = ['balance', 'lifetime_earned', 'lifetime_spent'] as const;

export interface Balance extends IDataObject {
	balance: number;
	lifetime_spent?: number;
}

/**
 * Fetches GET /credits/balance (service-api.md, "Credit balance"), in any envelope.
 *
 * @returns a copy of the record in which the figures that are text of digits are numbers
 * @throws {ServiceError} if the request fails, or `balance` isn't a number
 */
export async function fetchBalance(
	client: ApiClient,
	cacheOptions: CacheOptions = {},
): Promise<Balance> {
	const result = await client.get(['credits', 'balance'], cacheOptions);
	const response = unwrapResponse(result, { action: 'read the credit balance' });
	const expected = 'a number in "balance"';
	const record = parseRecord(response.json, 'credits', 'balance');
	if (record === undefined) throw createUnexpectedBodyError(response, expected);
	const numbers = figures.map((name) => [name, parseNumber(record[name])] as const);
	const balance: IDataObject = { ...record, ...Object.fromEntries(numbers) };
	if (typeof balance.balance === 'number') return balance as Balance;
	throw createUnexpectedBodyError(response, expected, `"balance": ${quoteValue(record.balance)}`);
}
