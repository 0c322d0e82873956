import type { IDataObject } from 'n8n-workflow';

import { type Explanation, isExplanation } from '../errors';
import type { ServiceConnection } from '../transport/apiClient';
import type { Freshness } from '../transport/requestCache';
import { explainUnreadable, successOrExplain } from './httpErrors';
import { readRecord } from './parseResponse';

/** GET /credits/balance (service-api.md, "Credit balance"), whatever the envelope of the record. */
export async function readBalance(
	connection: ServiceConnection,
	freshness: Freshness = {},
): Promise<IDataObject | Explanation> {
	const outcome = await connection.get(['credits', 'balance'], freshness);
	const response = successOrExplain(outcome, { action: 'read the credit balance' });
	if (isExplanation(response)) return response;
	const record = readRecord(response.json, 'credits', 'balance');
	return record !== undefined && Number.isInteger(record.balance)
		? record
		: explainUnreadable(response, 'an object with the whole number "balance"');
}
