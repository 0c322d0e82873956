import type { IDataObject } from 'n8n-workflow';

import type { ServiceConnection } from '../../../shared/connection';
import {
	type Explanation,
	explainUnreadable,
	isExplanation,
	successOrExplain,
} from '../../../shared/errors';
import { readRecord, type ServiceResponse } from '../../../shared/response';

export interface Balance {
	/** The object with the documented field `balance`. */
	record: IDataObject;
	response: ServiceResponse;
}

/** GET /credits/balance (service-api.md, "Credit balance"). `fresh`: ask even if it was read before in this run. */
export async function readBalance(
	connection: ServiceConnection,
	{ fresh = false } = {},
): Promise<Balance | Explanation> {
	const outcome = await connection.get(connection.urlOf(['credits', 'balance']), { fresh });
	const response = successOrExplain(connection, outcome, { action: 'read the credit balance' });
	if (isExplanation(response)) return response;
	const record = readRecord(response.json, 'credits', 'balance');
	if (!Number.isInteger(record?.balance)) {
		return explainUnreadable(response, 'an object with the whole number "balance"');
	}
	return { record: record as IDataObject, response };
}
