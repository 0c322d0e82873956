/** Between workers of n8n: what one of them has claimed in n8n's database, another one neither sends nor forgets. */
import type { INodeType } from 'n8n-workflow';
import { afterEach, expect, test } from 'vitest';

import { freshActionNode, processedData } from '../engine.mts';
import { testService } from '../service.mts';
import { useVirtualTime } from '../virtualTime.mts';
import { charging, minute, posts, restarted } from './accepts.mts';

const time = useVirtualTime();

afterEach(() => {
	processedData.delay = 0;
});

test.each([0, 5, 20])(
	'two workers that see the same offer at the same moment send one request: %i ms to write',
	async (delay) => {
		processedData.delay = delay;
		const service = await testService({ dialect: charging });
		for (let round = 0; round < 10; round++) {
			const offer = service.sandbox.requestOffer();
			const workers = [1, 2].map(() => freshActionNode());
			const both = await Promise.all(
				workers.map(async (each) => await service.accept(offer, {}, { actionNode: each })),
			);
			const outcomes = both.map(({ item }) => item?.outcome);
			expect(outcomes).toContain('accepted');
			expect(both.map(({ error }) => error?.message)).toEqual([undefined, undefined]);
			expect(service.sandbox.books.acceptsOf(offer.id)).toBe(1);
		}
		expect(posts(service).length).toBe(10);
	},
);

test('between workers: what another worker has accepted since the list was read is not sent again', async () => {
	const service = await testService({ dialect: charging });
	const { sandbox } = service;
	const offers = [sandbox.requestOffer({ id: 'a' }), sandbox.requestOffer({ id: 'b' })];
	const inOrder = offers.map(({ id }) => ({ id }));
	// Two workers begin at the same moment, with the same offers in another order.
	await Promise.all(
		[inOrder, inOrder.toReversed()].map(async (items) => {
			await service.accept(items, {}, restarted());
		}),
	);
	expect(offers.map(({ id }) => sandbox.books.acceptsOf(id))).toEqual([1, 1]);
});

test('claims of a node leave no gap: one that is in doubt is found, although an earlier one was taken back', async () => {
	const service = await testService({ dialect: charging, credits: 0 });
	const { sandbox } = service;
	const offer = sandbox.requestOffer({ cost: 10 });
	const acceptIn = async (actionNode: INodeType) => {
		return await service.accept(offer, {}, { actionNode });
	};
	const [first, second] = [freshActionNode(), freshActionNode()];
	// The second worker finds the claim of the first one, which is refused then and takes it back.
	sandbox.addFault({ kind: 'delay-before-commit', method: 'POST', milliseconds: 5000 });
	const refused = acceptIn(first);
	await time.wait(1000);
	await acceptIn(second);
	expect((await refused).error?.message).toBe('There are not enough credits');
	sandbox.setCredits(100);
	sandbox.setDialect({ settlement: 'later', settlementSeconds: 40 });
	await time.wait(minute);
	await acceptIn(second);
	expect(posts(service).length).toBe(2);
	// Both workers end here, and the request of the second one takes effect after half a minute.
	await acceptIn(freshActionNode());
	await time.wait(minute);
	expect(sandbox.books.acceptsOf(offer.id)).toBe(1);
});

test('a worker whose claim was undone by a write about another offer does not remove the claim of another worker', async () => {
	processedData.delay = 20;
	const service = await testService({ dialect: charging, latencyMilliseconds: 20 });
	const { sandbox } = service;
	const [first, second] = [sandbox.requestOffer(), sandbox.requestOffer()];
	await Promise.all(
		[[second], [first, second]].map(async (offers) => {
			const items = offers.map(({ id }) => ({ id }));
			await service.accept(items, {}, restarted());
		}),
	);
	expect([first, second].map(({ id }) => sandbox.books.acceptsOf(id))).toEqual([1, 1]);
});
