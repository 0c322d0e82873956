import type { ServiceConnection } from '../../../shared/connection';
import { readOneRecord, type RecordRequest } from '../../../shared/record';

/** GET /credits/balance (service-api.md, "Credit balance"). */
export const balanceRequest: RecordRequest = {
	path: ['credits', 'balance'],
	action: 'read the credit balance',
	envelope: 'credits',
	field: 'balance',
	isValid: Number.isInteger,
	expected: 'an object with the whole number "balance"',
};

/** The balance; `fresh`: ask even if it was read before in this run. */
export async function readBalance(connection: ServiceConnection, { fresh = false } = {}) {
	return await readOneRecord(connection, { ...balanceRequest, fresh });
}
