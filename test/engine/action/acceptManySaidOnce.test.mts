/** What Accept Many has not accepted is said once for each reason, over executions, processes and restarts. */
import { expect, onTestFinished, test } from 'vitest';

import { processedData } from '../engine.mts';
import { testService } from '../service.mts';
import { useVirtualTime } from '../virtualTime.mts';
import { minute, pending, post, published, restarted, serviceByHand } from './accepts.mts';

const time = useVirtualTime();

test('over executions, processes and a restart, until the reason is another one', async () => {
	const service = await testService({ credits: 1000 });
	const { id } = service.sandbox.requestOffer({ anchor: 'casino' });
	const run = async (options = {}) =>
		(
			await service.acceptMany(
				{ options: { refusedAnchorWords: 'casino', ...options } },
				{ ...published, ...restarted() },
			)
		).decisions;
	expect(await run()).toMatchObject([{ id, outcome: 'refused' }]);
	expect(await run()).toEqual([]);
	expect(await run({ return: 'all' })).toMatchObject([{ id, outcome: 'refused' }]);
	expect(await run({ refusedAnchorWords: 'asino' })).toMatchObject([{ id, outcome: 'refused' }]);
	service.sandbox.requestOffer({ anchor: 'casino' });
	expect(await run()).toMatchObject([{ outcome: 'refused' }]);
});

test('an execution by hand shows everything, and takes nothing from the next one', async () => {
	const service = await testService();
	service.sandbox.requestOffer();
	const listed = { acceptFrom: 'listed' };
	const before = processedData.size;
	for (let count = 0; count < 2; count++) {
		expect((await service.acceptMany(listed)).outcomes).toEqual(['undecided']);
	}
	expect(processedData.size).toBe(before);
	expect((await service.acceptMany(listed, published)).outcomes).toEqual(['undecided']);
	expect((await service.acceptMany(listed, published)).decisions).toEqual([]);
});

test('a dry run says once what it would accept, and once it is off, that is accepted', async () => {
	const service = await testService();
	service.sandbox.requestOffer();
	const run = async (dryRun: boolean) => (await service.acceptMany({ dryRun }, published)).outcomes;
	expect(await run(true)).toEqual(['wouldAccept']);
	expect(await run(true)).toEqual([]);
	expect(await run(false)).toEqual(['accepted']);
});

test('what is canceled while it is being written down comes out of the next execution', async () => {
	processedData.delay = 20;
	onTestFinished(() => {
		processedData.delay = 0;
	});
	for (let cancelAfter = 10; cancelAfter < 300; cancelAfter += 10) {
		const service = await testService({ latencyMilliseconds: 13 });
		const run = async (more = {}) =>
			await service.acceptMany(
				{ options: { refusedAnchorWords: 'casino, poker' } },
				{ ...published, ...more },
			);
		service.sandbox.requestOffer({ anchor: 'poker' });
		expect((await run()).outcomes).toEqual(['refused']);
		service.sandbox.requestOffer({ anchor: 'casino' });
		service.sandbox.requestOffer();
		const canceled = (await run({ cancelAfter })).run.status === 'canceled';
		await time.wait(minute);
		const { outcomes } = await run();
		expect([cancelAfter, outcomes]).toEqual([cancelAfter, canceled ? ['refused', 'accepted'] : []]);
	}
});

test('an accept that was unknown comes out once the list shows it, also after days', async () => {
	const dialect = { settlement: 'later', settlementSeconds: 90_000 } as const;
	const service = await testService({ dialect });
	service.sandbox.requestOffer();
	service.sandbox.addFault({ kind: 'cut-after-commit', ...post });
	const run = async () => (await service.acceptMany({}, published)).outcomes;
	expect(await run()).toEqual(['unknown']);
	await time.wait(2 * 24 * 60 * minute);
	expect(await run()).toEqual(['accepted']);
	expect(await run()).toEqual([]);
});

test('one without an ID is another one where anything else differs', async () => {
	const list: object[] = [];
	const service = await serviceByHand({ list: () => list });
	for (const anchor of ['green tea', 'black tea']) {
		list.push(pending({ id: null, anchor }));
		expect((await service.acceptMany({}, published)).outcomes).toEqual(['undecided']);
	}
});

test('figures in a reason make it no other one', async () => {
	const service = await testService({ credits: 20 });
	service.sandbox.requestOffer({ cost: 10 });
	const run = async () =>
		(await service.acceptMany({ options: { minimumBalance: 50 } }, published)).outcomes;
	expect(await run()).toEqual(['skipped']);
	service.sandbox.setCredits(5);
	expect(await run()).toEqual([]);
});

test('of more than 1,000 in one run, what is beyond that is returned again', async () => {
	const offers = Array.from({ length: 1001 }, (_, index) => pending({ id: `exc_${index}` }));
	const service = await serviceByHand({ list: () => offers });
	const listed = { acceptFrom: 'listed' };
	expect((await service.acceptMany(listed, published)).outcomes).toHaveLength(1001);
	const again = await service.acceptMany(listed, published);
	expect(again.decisions).toMatchObject([{ id: 'exc_1000', outcome: 'undecided' }]);
});

test('however many accepts of its own the list still shows, they are returned once, and so is what is new', async () => {
	const offers = Array.from({ length: 1300 }, (_, index) => pending({ id: `exc_${index}` }));
	const listed = new Map(offers.map((offer) => [offer.id, offer]));
	const service = await serviceByHand({
		list: () => [...listed.values()],
		accept: (id) => {
			const accepted = pending({ id, status: 'accepted' });
			listed.set(id, accepted);
			return accepted;
		},
	});
	// For the tests that come after it in this process.
	onTestFinished(async () => {
		await processedData.clearAllProcessedItems();
	});
	const first = await service.acceptMany({ options: { maxAccepts: 2000 } }, published);
	expect(first.decisions).toHaveLength(1300);
	// What one run could not write down is returned by the next one.
	await service.acceptMany({}, published);
	listed.set('exc_new', pending({ id: 'exc_new' }));
	const settings = { acceptFrom: 'listed', options: { return: 'needsPerson' } };
	const runs = [];
	for (let run = 0; run < 3; run++) runs.push(await service.acceptMany(settings, published));
	expect(runs.map(({ outcomes }) => outcomes)).toEqual([['undecided'], [], []]);
	expect((await service.acceptMany({ acceptFrom: 'listed' }, published)).decisions).toEqual([]);
}, 120_000);

test('an accept that was returned is not looked for again, however long the list shows it', async () => {
	const service = await testService({ credits: 1000 });
	service.sandbox.requestOffer();
	expect((await service.acceptMany({}, published)).outcomes).toEqual(['accepted']);
	let steps = 0;
	processedData.beforeEach = async () => {
		steps++;
		await Promise.resolve();
	};
	onTestFinished(() => {
		processedData.beforeEach = undefined;
	});
	expect((await service.acceptMany({}, published)).decisions).toEqual([]);
	expect(steps).toBe(0);
});
