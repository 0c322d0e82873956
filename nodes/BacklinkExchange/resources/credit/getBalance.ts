import { fetchBalance } from '../../../shared/api/fetchBalance';
import { isErrorResult } from '../../../shared/errors';
import outputSchema from '../../__schema__/v1.0.0/credit/getBalance.json';
import { simplify } from '../../commonOptions';
import type { Operation } from '../../operation.types';

/** GET /credits/balance (service-api.md, "Credit balance"). */
export const getBalance: Operation<boolean> = {
	value: 'getBalance',
	name: 'Get Balance',
	action: 'Get credit balance',
	description: 'Return how many credits the account has, has earned and has spent',
	outputSchema,
	properties: [simplify],
	getParameters: (parameters) => parameters.boolean(simplify),
	createHandler: ({ client }) => ({
		async executeItem(isSimple) {
			const record = await fetchBalance(client);
			if (isErrorResult(record)) return record;
			const { balance, lifetime_earned, lifetime_spent } = record;
			return [isSimple ? { balance, lifetime_earned, lifetime_spent } : record];
		},
	}),
};
