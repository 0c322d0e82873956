import { fetchBalance } from '../../../shared/api/fetchBalance';
import { isErrorResult } from '../../../shared/errors';
import outputSchema from '../../__schema__/v1.0.0/credit/getBalance.json';
import type { Operation } from '../../operation.types';

/** GET /credits/balance (service-api.md, "Credit balance"). */
export const getBalance: Operation = {
	value: 'getBalance',
	name: 'Get Balance',
	action: 'Get credit balance',
	description: 'Retrieve the credit balance',
	outputSchema,
	properties: [],
	getParameters: () => undefined,
	createHandler: ({ client }) => ({
		async executeItem() {
			const record = await fetchBalance(client);
			if (isErrorResult(record)) return record;
			const { balance, lifetime_earned, lifetime_spent } = record;
			return [{ balance, lifetime_earned, lifetime_spent }];
		},
	}),
};
