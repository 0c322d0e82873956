import type { IDataObject } from 'n8n-workflow';

import { type ErrorResult, isErrorResult } from '../errors';
import { quoteValue } from '../formatting/message';
import type { ApiClient } from '../transport/apiClient';
import type { CacheOptions } from '../transport/requestCache';
import { okOrError, toUnexpectedBodyError } from './httpErrors';
import { parseRecord } from './parseResponse';

/** Figures of the balance (service-api.md, "Credit balance"). */
const figures = ['balance', 'lifetime_earned', 'lifetime_spent'] as const;

/**
 * Fetches GET /credits/balance (service-api.md, "Credit balance"), in any envelope.
 *
 * @returns a copy of the record in which the figures that are text of digits are numbers; an error
 * if `balance` isn't an integer
 */
export async function fetchBalance(
	client: ApiClient,
	cacheOptions: CacheOptions = {},
): Promise<IDataObject | ErrorResult> {
	const result = await client.get(['credits', 'balance'], cacheOptions);
	const response = okOrError(result, { action: 'read the credit balance' });
	if (isErrorResult(response)) return response;
	const expected = 'a whole number in "balance"';
	const record = parseRecord(response.json, 'credits', 'balance');
	if (record === undefined) return toUnexpectedBodyError(response, expected);
	const numbers = figures.flatMap((name) => {
		const number = parseInteger(record[name]);
		return number === undefined ? [] : [[name, number] as const];
	});
	const balance: IDataObject = { ...record, ...Object.fromEntries(numbers) };
	return Number.isSafeInteger(balance.balance)
		? balance
		: toUnexpectedBodyError(response, expected, `"balance": ${quoteValue(record.balance)}`);
}

/** Parses an integer, also as text of digits; `undefined` for any other value. */
function parseInteger(value: unknown): number | undefined {
	const isDigits = typeof value === 'string' && /^\s*-?\d+\s*$/.test(value);
	const number = isDigits ? Number(value) : value;
	return Number.isSafeInteger(number) ? (number as number) : undefined;
}
