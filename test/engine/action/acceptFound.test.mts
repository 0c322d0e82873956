/** What the campaign has found: one test for each rule that was broken. */
import { afterEach, expect, test } from 'vitest';

import { freshActionNode, processedData } from '../engine.mts';
import { acceptParameters, testService } from '../service.mts';
import { useVirtualTime } from '../virtualTime.mts';
import { charging } from './acceptsInDoubt.mts';

useVirtualTime();

afterEach(() => {
	processedData.delay = 0;
});

test('between workers: what another worker has accepted since the list was read is not sent again', async () => {
	const service = await testService({ dialect: charging });
	const { sandbox } = service;
	const offers = [sandbox.requestOffer({ id: 'a' }), sandbox.requestOffer({ id: 'b' })];
	const inOrder = offers.map(({ id }) => ({ id }));
	// Two workers begin at the same moment, with the same offers in another order.
	await Promise.all(
		[inOrder, inOrder.toReversed()].map(async (items) => {
			const parameters = acceptParameters();
			await service.run('exchange', 'accept', { parameters, items, actionNode: freshActionNode() });
		}),
	);
	expect(offers.map(({ id }) => sandbox.books.acceptsOf(id))).toEqual([1, 1]);
});
