/** What an execution stores about the offers that it accepts. */
import type { IExecuteFunctions } from 'n8n-workflow';
import { expect, test } from 'vitest';

import type { AcceptOptions } from '../../../nodes/BacklinkExchange/resources/exchange/accept/accept.types.ts';
import { ExecutionAccepts } from '../../../nodes/BacklinkExchange/resources/exchange/accept/executionAccepts.ts';
import { Account } from '../../../nodes/shared/transport/account.ts';

test('the charge of an offer is not that of another account with the same ID', () => {
	const nodeContext = {};
	const context = { getContext: () => nodeContext } as unknown as IExecuteFunctions;
	const [one, other] = ['one', 'other'].map(
		(key) => new ExecutionAccepts(context, new Account(key)),
	) as [ExecutionAccepts, ExecutionAccepts];
	one.setSent('exc_1', { minimumBalance: 50 } as AcceptOptions);
	other.confirmCost('exc_1');
	expect(one.isCostUnknown).toBe(true);
	one.confirmCost('exc_1');
	expect(one.isCostUnknown).toBe(false);
});
