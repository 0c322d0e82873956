import type { IDataObject } from 'n8n-workflow';

import type { ServiceConnection } from './connection';
import { explainUnreadable, successOrExplain } from './errors';
import { type Explanation, isExplanation } from './explanation';
import { readNextLink } from './links';
import type { ListResult } from './list';
import { readList, readRecord, type ServiceResponse } from './response';
import { saysThereIsMore } from './signsOfMore';

/**
 * GET /credits/balance (service-api.md, "Credit balance"), whatever the envelope of the record.
 * @param fresh ask the service even if it was read before over this connection
 */
export async function readBalance(
	connection: ServiceConnection,
	{ fresh = false } = {},
): Promise<IDataObject | Explanation> {
	const answer = await askForBalance(connection, fresh);
	return isExplanation(answer) ? answer : answer.record;
}

/** The ledger entries of GET /credits/balance; their name and fields are not documented (service-api.md, "Credit balance"). */
export async function readLedger(connection: ServiceConnection): Promise<ListResult | Explanation> {
	const answer = await askForBalance(connection, false);
	if (isExplanation(answer)) return answer;
	const { record, response } = answer;
	const entries = readList(record, 'ledger');
	if (entries === undefined) return explainUnreadable(response, 'an object with ledger entries');
	const isLinked = readNextLink(response.headers, response.url) !== undefined;
	const read = { entries: entries.length, pages: 1 };
	return { entries, truncated: isLinked || saysThereIsMore(response, 'ledger', read) };
}

async function askForBalance(
	connection: ServiceConnection,
	fresh: boolean,
): Promise<{ record: IDataObject; response: ServiceResponse } | Explanation> {
	const outcome = await connection.get(['credits', 'balance'], { fresh });
	const response = successOrExplain(outcome, { action: 'read the credit balance' });
	if (isExplanation(response)) return response;
	const record = readRecord(response.json, 'credits', 'balance');
	return record !== undefined && Number.isInteger(record.balance)
		? { record, response }
		: explainUnreadable(response, 'an object with the whole number "balance"');
}
