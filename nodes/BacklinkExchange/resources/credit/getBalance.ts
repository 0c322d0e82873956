import { fetchBalance } from '../../../shared/api/fetchBalance';
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
			const { balance, lifetime_earned, lifetime_spent } = await fetchBalance(client);
			return [{ balance, lifetime_earned, lifetime_spent }];
		},
	}),
};
