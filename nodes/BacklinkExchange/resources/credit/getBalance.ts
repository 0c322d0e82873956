import type { Operation } from '../../operation';
import { getOne, simplifyField } from '../../readOperations';
import { balanceRequest } from './balance';

/** GET /credits/balance (service-api.md, "Credit balance"). */
export const getBalance: Operation<{ simplify: boolean }> = {
	value: 'getBalance',
	name: 'Get Balance',
	action: 'Get credit balance',
	description: 'Read how many credits the account has, has earned and has spent',
	fields: [simplifyField],
	...getOne(balanceRequest, ['balance', 'lifetime_earned', 'lifetime_spent']),
};
