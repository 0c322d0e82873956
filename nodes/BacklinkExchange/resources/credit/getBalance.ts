import { apiError, isExplanation } from '../../../shared/errors';
import type { Operation } from '../../operation';
import { readBalance } from './balance';

/** GET /credits/balance (service-api.md, "Credit balance"). */
export const getBalance: Operation = {
	value: 'getBalance',
	name: 'Get Balance',
	action: 'Get credit balance',
	description: 'Read how many credits the account has, has earned and has spent',
	fields: [
		{
			displayName: 'Simplify',
			name: 'simplify',
			type: 'boolean',
			default: true,
			description: 'Whether to return a simplified version of the response instead of the raw data',
		},
	],
	begin:
		({ context, connection }) =>
		async (itemIndex) => {
			const result = await readBalance(connection);
			if (isExplanation(result)) throw apiError(context.getNode(), result, itemIndex);
			if (context.getNodeParameter('simplify', itemIndex, true) !== true) return [result.record];
			const { balance, lifetime_earned, lifetime_spent } = result.record;
			return [{ balance, lifetime_earned, lifetime_spent }];
		},
};
