import type { IDataObject } from 'n8n-workflow';

import type { ServiceConnection } from '../service/connection';
import type { Freshness } from '../service/reads';
import { type Explanation, isExplanation } from '../words/explanation';
import { readRecord } from './content';
import { explainUnreadable, successOrExplain } from './errors';

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
