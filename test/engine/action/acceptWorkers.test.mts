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

test.each([
	['has accepted since the list was read is not sent again', 0, ['a', 'b'], ['b', 'a']],
	['has claimed stays claimed, although its write was undone', 20, ['b'], ['a', 'b']],
])('what another worker %s', async (_, milliseconds, one, other) => {
	processedData.delay = milliseconds;
	const service = await testService({ dialect: charging, latencyMilliseconds: milliseconds });
	for (const id of ['a', 'b']) service.sandbox.requestOffer({ id });
	await Promise.all(
		[one, other].map(async (ids) => {
			const items = ids.map((id) => ({ id }));
			await service.accept(items, {}, restarted());
		}),
	);
	expect(['a', 'b'].map((id) => service.sandbox.books.acceptsOf(id))).toEqual([1, 1]);
});

test('claims of a node leave no gap: one that is in doubt is found, although an earlier one was taken back', async () => {
	const service = await testService({ dialect: charging, credits: 0 });
	const { sandbox } = service;
	const offer = sandbox.requestOffer({ cost: 10 });
	const acceptIn = async (actionNode: INodeType) => await service.accept(offer, {}, { actionNode });
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
