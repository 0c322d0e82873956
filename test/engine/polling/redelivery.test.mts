/** Each event starts an execution until one has succeeded. */
import { describe, expect, it } from 'vitest';

import { useVirtualTime } from '../virtualTime.mts';
import {
	begin,
	beginWith,
	keys,
	names,
	onlyOffers,
	pollFor,
	started,
	withItems,
} from './begin.mts';
import type { Poller } from './poller.mts';
import type { Ending } from './startedExecutions.mts';

const clock = useVirtualTime();

const minute = 60_000;
const hour = 60 * minute;

const attempts = (poller: Poller) => withItems(poller).map(([item]) => item?.attempt);

describe('an event', () => {
	it.each<[failed: Ending, last: Ending]>([
		['error', 'success'],
		['crashed', 'waiting'],
		['canceled', 'success'],
		['not started', 'waiting'],
	])(
		'whose execution ended with %s comes again after 1, 5 and 15 minutes, and then not any more once one ended with %s',
		async (failed, last) => {
			const { sandbox, poller } = await started();
			sandbox.requestOffer({ id: 'x' });
			poller.ending = ([item]) => (item === undefined || item.attempt === 4 ? last : failed);
			expect(await pollFor(poller, 120)).toEqual([0, 1, 6, 21]);
			expect(attempts(poller)).toEqual([1, 2, 3, 4]);
			const [first, ...others] = withItems(poller).map(([item]) => ({ ...item, attempt: 0 }));
			for (const other of others) expect(other).toEqual(first);
		},
	);

	it('nested as deep as a record may be comes again, too', async () => {
		const nested: unknown = JSON.parse('['.repeat(199) + ']'.repeat(199));
		let shown: unknown[] = [];
		const poller = await beginWith(() => shown, onlyOffers);
		await poller.start();
		shown = [{ id: 'x', status: 'pending', nested }];
		poller.ending = ([item]) => (item?.attempt === 1 ? 'error' : 'success');
		expect(await pollFor(poller, 3)).toEqual([0, 1]);
	});

	it('whose end n8n never reports comes again after an hour', async () => {
		const { sandbox, poller } = await started();
		sandbox.requestOffer({ id: 'x' });
		poller.ending = ([item]) => (item?.attempt === 1 ? 'silent' : 'success');
		expect(await pollFor(poller, 150)).toEqual([0, 60]);
	});

	it.each([
		['items', `Gave up on exchange.requested:x?y${'z'.repeat(98)}`],
		['digest', 'Gave up on a digest of 1 event'],
	])(
		'for which nothing succeeds is tried for more than a day, then one failed execution names it, and it is given up: %s',
		async (output, message) => {
			const { sandbox, poller } = await started({}, { ...onlyOffers, output });
			sandbox.requestOffer({ id: `x<y${'z'.repeat(150)}` });
			poller.ending = ([item]) => (item === undefined ? 'success' : 'error');
			const begun = clock.now();
			const startedAt: number[] = [];
			for (let number = 0; number < 200; number++) {
				await clock.wait(15 * minute);
				const items = await poller.poll();
				if (items.length > 0) startedAt.push(Math.round((clock.now() - begun) / minute));
			}
			expect(attempts(poller)).toEqual([1, 2, 3, 4, 5, 6, 7, 8, 9, 10]);
			// After the three of the first hour: 1, 3 and 6 hours, then every 6.
			expect(startedAt).toEqual([15, 30, 45, 60, 120, 300, 660, 1020, 1380, 1740]);
			expect(poller.errors.map((error) => error.message)).toEqual([message]);
			await poller.start();
			expect(await pollFor(poller, 3)).toEqual([]);
		},
	);

	it('of a trigger that polls once a day comes again with the next poll, and what is new beside it', async () => {
		const { sandbox, poller } = await started({}, { output: 'digest' });
		poller.ending = ([item]) => (item?.count === 1 && item.attempt === 1 ? 'error' : 'success');
		sandbox.requestOffer();
		await poller.poll();
		for (let count = 0; count < 2; count++) sandbox.requestOffer();
		await clock.wait(24 * hour);
		await poller.poll();
		expect(withItems(poller).map(([item]) => [item?.count, item?.attempt])).toEqual([
			[1, 1],
			[1, 2],
			[2, 1],
		]);
	});

	it.each([false, true])(
		'comes again although the service is away, which the poll reports, and not after that (durable cursors: %s)',
		async (hasDurableCursors) => {
			const { sandbox, poller } = await begin();
			poller.hasDurableCursors = hasDurableCursors;
			await poller.start();
			sandbox.requestOffer({ id: 'x' });
			poller.ending = ([item]) => (item?.attempt === 1 ? 'error' : 'success');
			await poller.poll();
			await clock.wait(2 * minute);
			sandbox.addFault({ kind: 'not-json', path: '/api/exchanges', times: 50 });
			await expect(poller.poll()).rejects.toThrow('could not be understood');
			poller.forgetProcess();
			sandbox.clearFaults();
			await clock.wait(20 * minute);
			await poller.start('init');
			await poller.poll();
			expect(attempts(poller)).toEqual([1, 2]);
		},
	);

	it.each([false, true])(
		'that is started under a name that the node does not have any more, when it is published, comes again under the new one (durable cursors: %s)',
		async (hasDurableCursors) => {
			const { sandbox, poller } = await begin({}, onlyOffers, { hasDurableCursors });
			await poller.start();
			const all = Array.from({ length: 7 }, (_, number) => `exchange.requested:${number}`);
			for (const number of all.keys()) sandbox.requestOffer({ id: String(number) });
			poller.takes = () => 1000;
			await poller.poll();
			poller.nodeName = 'Renamed';
			// The first executions end while the publication's poll has yet to come, and others start under the old name.
			await clock.wait(5000);
			expect(poller.inVain).not.toEqual([]);
			await poller.start('update');
			await pollFor(poller, 10);
			const inVain = new Set(poller.inVain);
			const real = withItems(poller).filter((items) => !inVain.has(items));
			expect(keys(real.flat()).toSorted()).toEqual(all);
		},
	);

	it('that nothing follows in the workflow starts it once', async () => {
		const { sandbox, poller } = await started({}, onlyOffers);
		sandbox.requestOffer({ id: 'x' });
		poller.isAlone = true;
		expect(await pollFor(poller, 120)).toEqual([0]);
		await poller.stop();
		await poller.start('init');
		expect(await pollFor(poller, 120)).toEqual([]);
	});
});

describe('n8n', () => {
	const fail = () => {
		throw new Error('Overwrite PollContext.__emit function');
	};
	it.each([
		['is missing', undefined, 'cannot redeliver'],
		['throws', fail, 'Overwrite'],
	])('whose __emit %s is named, and nothing is lost', async (_what, value, message) => {
		const { sandbox, poller } = await started();
		sandbox.requestOffer({ id: 'x' });
		const { adjust } = poller;
		poller.adjust = (context) => Object.defineProperty(context, '__emit', { value });
		await expect(poller.start()).rejects.toThrow(message);
		await clock.wait(minute);
		await expect(poller.poll()).resolves.toHaveLength(1);
		sandbox.requestOffer({ id: 'y' });
		await expect(poller.start()).rejects.toThrow(message);
		poller.adjust = adjust;
		await clock.wait(minute);
		expect(keys(await poller.start())).toEqual(['exchange.requested:y']);
	});

	it('whose clock was ahead by a year and is corrected is not waited for', async () => {
		const { sandbox, poller } = await started();
		sandbox.requestOffer({ id: 'x' });
		poller.ending = ([item]) => (item?.attempt === 1 ? 'error' : 'success');
		clock.ahead = 365 * 24 * hour;
		await poller.poll();
		clock.ahead = 0;
		expect(await pollFor(poller, 10)).toEqual([1]);
		expect(attempts(poller)).toEqual([1, 2]);
	});

	it('whose clock jumps ahead by hours, as after a sleep of the machine, starts nothing again that runs', async () => {
		const { sandbox, poller } = await started();
		sandbox.requestOffer({ id: 'x' });
		poller.ending = () => 'silent';
		await poller.poll();
		clock.ahead = 3 * hour;
		await poller.poll();
		clock.ahead = 0;
		expect(attempts(poller)).toEqual([1]);
	});

	it('that was killed starts all again that had not ended, and of these only what fails once more', async () => {
		const { sandbox, poller } = await started({}, onlyOffers);
		for (const id of ['a', 'b']) sandbox.requestOffer({ id });
		poller.ending = () => 'silent';
		await poller.poll();
		poller.kill();
		await poller.start('init');
		poller.ending = ([item]) =>
			item?.eventKey === 'exchange.requested:b' && item.attempt === 2 ? 'error' : 'success';
		await pollFor(poller, 30);
		const [a, b] = ['exchange.requested:a', 'exchange.requested:b'];
		expect(keys(withItems(poller).flat())).toEqual([a, b, a, b, b]);
	});

	it('whose leader changes twice starts nothing again that the other one has found meanwhile', async () => {
		const { sandbox, poller } = await started({}, onlyOffers);
		// One after the other, so that the first leader saves each end.
		let count = 0;
		poller.takes = () => ++count * 2000;
		for (let offer = 0; offer < 5; offer++) sandbox.requestOffer();
		await poller.poll();
		const goBack = poller.forgetProcess();
		await poller.start('leadershipChange');
		await clock.wait(minute / 4);
		sandbox.requestOffer({ id: 'x' });
		expect(keys(await poller.poll())).toContain('exchange.requested:x');
		goBack();
		await poller.start('leadershipChange');
		const all = keys(withItems(poller).flat());
		expect(all.filter((key) => key === 'exchange.requested:x')).toHaveLength(1);
	});

	it('that limits what runs at once starts nothing again while what is before it ends; one that vanishes behind them is', async () => {
		const { sandbox, poller } = await started({}, onlyOffers);
		for (const id of ['a', 'b', 'c']) sandbox.requestOffer({ id });
		poller.limit = 1;
		poller.takes = () => 40 * minute;
		poller.ending = ([item]) => (item?.eventKey === 'exchange.requested:c' ? 'silent' : 'success');
		await poller.poll();
		const startedAfter = async (minutes: number) => {
			await clock.wait(minutes * minute);
			await poller.poll();
			return keys(withItems(poller).flat());
		};
		const all = ['a', 'b', 'c'].map((id) => `exchange.requested:${id}`);
		for (const minutes of [61, 70, 8]) expect(await startedAfter(minutes)).toEqual(all);
		// An hour after the others have ended.
		expect(await startedAfter(1)).toEqual([...all, 'exchange.requested:c']);
	});
});

describe('without redelivery', () => {
	it('all events of a poll start one execution, once, however it ends, also where n8n has no __emit', async () => {
		const { sandbox, poller } = await begin({}, { options: { redeliver: false } });
		poller.adjust = (context) => Object.defineProperty(context, '__emit', { value: undefined });
		await poller.start();
		sandbox.requestOffer({ id: 'a' });
		sandbox.requestOffer({ id: 'b' });
		poller.ending = () => 'error';
		expect(await pollFor(poller, 30)).toEqual([0]);
		expect(poller.executions.map(names)).toEqual([['exchange.requested', 'exchange.requested']]);
		expect(poller.executions.flat().map(({ attempt }) => attempt)).toEqual([1, 1]);
	});

	it('what a poll finds too late for n8n to take its result starts nevertheless', async () => {
		const { sandbox, poller } = await begin({}, { options: { redeliver: false } });
		poller.budget = 36_000;
		await poller.start();
		sandbox.requestOffer({ id: 'x' });
		sandbox.addFault({ kind: 'delay-after-commit', path: '/api/exchanges', milliseconds: 29_000 });
		const slow = poller.poll();
		await clock.wait(minute);
		expect(keys(await slow)).toEqual(['exchange.requested:x']);
		expect(await poller.poll()).toEqual([]);
	});

	it.each([0, 365])(
		'what was on its way when it was switched off comes once more (under a clock %i days ahead)',
		async (days) => {
			const { sandbox, poller } = await started();
			sandbox.requestOffer({ id: 'a' });
			poller.ending = () => 'error';
			clock.ahead = days * 24 * hour;
			await poller.poll();
			clock.ahead = 0;
			poller.parameters = { ...poller.parameters, options: { redeliver: false } };
			await poller.start('update');
			expect(await pollFor(poller, 30)).toEqual([1]);
		},
	);
});

it.each([true, false])(
	'a head start keeps events back for as long (redeliver: %s)',
	async (redeliver) => {
		const { sandbox, poller } = await started({}, { options: { redeliver, headStart: 10 } });
		sandbox.requestOffer({ id: 'x' });
		expect(await pollFor(poller, 30)).toEqual([10]);
		expect(attempts(poller)).toEqual([1]);
	},
);
