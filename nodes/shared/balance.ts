import type { IDataObject } from 'n8n-workflow';

import type { GetOptions, ServiceConnection } from './connection';
import { explainUnreadable, successOrExplain } from './errors';
import { type Explanation, isExplanation } from './explanation';
import { readRecord } from './response';

/**
 * GET /credits/balance (service-api.md, "Credit balance"), whatever the envelope of the record.
 * @param since as for any request that reads
 */
export async function readBalance(
	connection: ServiceConnection,
	{ since }: Pick<GetOptions, 'since'> = {},
): Promise<IDataObject | Explanation> {
	const outcome = await connection.get(['credits', 'balance'], { since });
	const response = successOrExplain(outcome, { action: 'read the credit balance' });
	if (isExplanation(response)) return response;
	const record = readRecord(response.json, 'credits', 'balance');
	return record !== undefined && Number.isInteger(record.balance)
		? record
		: explainUnreadable(response, 'an object with the whole number "balance"');
}
