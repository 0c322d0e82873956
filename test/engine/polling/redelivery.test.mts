/** Each event starts an execution until one has succeeded. */
import type { IDataObject, IPollFunctions, IRun } from 'n8n-workflow';
import { describe, expect, it } from 'vitest';

import { useVirtualTime } from '../virtualTime.mts';
import { begin, beginWith, keys, names, started } from './begin.mts';
import type { Ending, Poller } from './poller.mts';

const clock = useVirtualTime();

const minute = 60_000;
const hour = 60 * minute;

/** Polls once a minute, as n8n does, and returns the minutes at which executions with items started. */
async function pollFor(poller: Poller, minutes: number): Promise<number[]> {
	const started: number[] = [];
	const begun = clock.now();
	for (let number = 0; number <= minutes; number++) {
		await clock.wait(Math.max(1, begun + number * minute - clock.now()));
		if ((await poller.poll()).length > 0) started.push(number);
	}
	return started;
}

const withItems = (poller: Poller) => poller.executions.filter((items) => items.length > 0);
const attempts = (poller: Poller) => withItems(poller).map(([item]) => item?.attempt);

/** What ends the executions that are started from now on: each succeeds when it is called. */
function endedByHand(poller: Poller): Array<() => void> {
	const ends: Array<() => void> = [];
	poller.adjust = (context) => {
		const emit = context.__emit.bind(context);
		const value: typeof emit = (data, response, done) => {
			emit(data, response);
			ends.push(() => done?.resolve({ status: 'success' } as IRun));
		};
		Object.defineProperty(context, '__emit', { value });
	};
	return ends;
}

describe('an event', () => {
	it.each<Ending>(['error', 'crashed', 'canceled', 'not started'])(
		'whose execution ended with %s comes again after 1, 5 and 15 minutes, and then not any more once one has succeeded',
		async (ending) => {
			const { sandbox, poller } = await started();
			sandbox.requestOffer({ id: 'x' });
			poller.ending = ([item]) => (item === undefined || item.attempt === 4 ? 'success' : ending);
			expect(await pollFor(poller, 120)).toEqual([0, 1, 6, 21]);
			expect(attempts(poller)).toEqual([1, 2, 3, 4]);
			const [first, ...others] = withItems(poller).map(([item]) => ({ ...item, attempt: 0 }));
			for (const other of others) expect(other).toEqual(first);
		},
	);

	it('nested as deep as a record may be comes again, too', async () => {
		const nested: unknown = JSON.parse('['.repeat(199) + ']'.repeat(199));
		let shown: unknown[] = [];
		const poller = await beginWith(() => shown, { events: ['exchange.requested'] });
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

	it('for which nothing succeeds is tried for more than a day, then one failed execution names it, and it is given up', async () => {
		const { sandbox, poller } = await started({}, { events: ['exchange.requested'] });
		sandbox.requestOffer({ id: 'x' });
		poller.ending = ([item]) => (item === undefined ? 'success' : 'error');
		const begun = clock.now();
		let last = 0;
		for (let number = 0; number < 200; number++) {
			await clock.wait(15 * minute);
			if ((await poller.poll()).length > 0) last = clock.now() - begun;
		}
		expect(attempts(poller)).toEqual([1, 2, 3, 4, 5, 6, 7, 8, 9, 10]);
		expect(last).toBeGreaterThan(24 * hour);
		expect(last).toBeLessThan(31 * hour);
		expect(poller.errors.map(({ message }) => message)).toEqual([
			'Gave up on exchange.requested:x',
		]);
		await poller.start();
		expect(await pollFor(poller, 3)).toEqual([]);
	});

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
});

it('what has succeeded is saved by one execution without items, and none when nothing happened', async () => {
	const { sandbox, poller } = await started();
	await pollFor(poller, 3);
	expect(poller.executions).toEqual([]);
	for (const id of ['a', 'b', 'c']) sandbox.requestOffer({ id });
	await pollFor(poller, 3);
	expect(poller.executions.map(({ length }) => length)).toEqual([1, 1, 1, 0]);
});

describe('n8n', () => {
	it.each([undefined, 'throws'])(
		'that has no __emit (%s) is named, and nothing is lost',
		async (kind) => {
			const { sandbox, poller } = await started();
			sandbox.requestOffer({ id: 'x' });
			const { adjust } = poller;
			poller.adjust = (context: IPollFunctions) => {
				const fail = () => {
					throw new Error('Overwrite PollContext.__emit function');
				};
				const value = kind === undefined ? undefined : fail;
				Object.defineProperty(context, '__emit', { value, configurable: true });
			};
			await expect(poller.start()).rejects.toThrow(
				kind === undefined ? 'cannot redeliver' : 'Overwrite',
			);
			await clock.wait(minute);
			await expect(poller.poll()).resolves.toHaveLength(1);
			sandbox.requestOffer({ id: 'y' });
			await expect(poller.start()).rejects.toThrow();
			poller.adjust = adjust;
			await clock.wait(minute);
			expect(keys(await poller.start())).toEqual(['exchange.requested:y']);
		},
	);

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
});

describe('many events', () => {
	it('run a few at a time, and those that take long do not hold up the others', async () => {
		const { sandbox, poller } = await started();
		for (let offer = 0; offer < 12; offer++) sandbox.requestOffer({ id: `x${offer}` });
		poller.ending = () => 'silent';
		await poller.poll();
		expect(withItems(poller)).toHaveLength(5);
		await clock.wait(2 * minute);
		await poller.poll();
		expect(withItems(poller)).toHaveLength(10);
		await clock.wait(2 * minute);
		await poller.poll();
		expect(withItems(poller)).toHaveLength(12);
	});

	it('that another process has found meanwhile do not come again when this one is the leader again', async () => {
		const { sandbox, poller } = await begin({}, { events: ['exchange.requested'] });
		const ends = endedByHand(poller);
		const endAll = async () => {
			for (const end of ends.splice(0)) {
				end();
				await clock.wait(1000);
			}
		};
		await poller.start();
		for (let offer = 0; offer < 10; offer++) sandbox.requestOffer();
		const slow = poller.poll();
		await clock.wait(1000);
		const goBack = poller.forgetProcess();
		await poller.start('leadershipChange');
		await endAll();
		sandbox.requestOffer({ id: 'x' });
		const next = poller.poll();
		await clock.wait(1000);
		await endAll();
		await Promise.all([slow, next]);
		goBack();
		await poller.start('leadershipChange');
		const all = keys(withItems(poller).flat());
		expect(all.filter((key) => key === 'exchange.requested:x')).toHaveLength(1);
	});

	it('that wait for their turn in n8n are not started again while those before them end; one that vanishes behind them is', async () => {
		const { sandbox, poller } = await started({}, { events: ['exchange.requested'] });
		const ends = endedByHand(poller);
		await poller.start();
		poller.budget = 1000;
		for (const id of ['a', 'b', 'c']) sandbox.requestOffer({ id });
		// One at a time, as with n8n's limit of concurrency; each takes 40 minutes.
		const startedAt: number[] = [];
		for (let number = 0; number < 4; number++) {
			for (const minutes of await pollFor(poller, 39)) startedAt.push(number * 40 + minutes);
			if (number < 2) ends.shift()?.();
		}
		expect(startedAt).toEqual([0, 141]);
		expect(keys(withItems(poller).flat())).toEqual([
			...['a', 'b', 'c', 'c'].map((id) => `exchange.requested:${id}`),
		]);
	});

	it('wait in the service when none succeeds and there is no room for more; none is lost', async () => {
		const { sandbox, poller } = await started({}, { events: ['exchange.requested'] });
		let works = false;
		poller.ending = ([item]) => (item === undefined || works ? 'success' : 'error');
		for (let offer = 0; offer < 1500; offer++) sandbox.requestOffer({ id: `x${offer}` });
		await poller.poll();
		expect(poller.warnings.at(-1)).toContain('1000 events are waiting');
		expect(poller.warnings.at(-1)).toContain('no room for 500 more');
		await poller.poll();
		expect(poller.savedBytes).toBeLessThan(1_500_000);
		works = true;
		poller.executions.length = 0;
		for (let number = 0; number < 12; number++) {
			await clock.wait(minute);
			await poller.poll();
		}
		const all = keys(withItems(poller).flat());
		expect(new Set(all).size).toBe(1500);
		expect(all).toHaveLength(1500);
	}, 120_000);

	it('each end makes room for the next, so that one poll is enough for all of them', async () => {
		const { sandbox, poller } = await started();
		for (let offer = 0; offer < 12; offer++) sandbox.requestOffer({ id: `x${offer}` });
		poller.takes = () => 10_000;
		await poller.poll();
		expect(withItems(poller)).toHaveLength(5);
		await clock.wait(minute);
		expect(withItems(poller)).toHaveLength(12);
	});

	it('are not started one after the other where n8n starts none, as when the workflow was unpublished', async () => {
		const { sandbox, poller } = await started({}, { events: ['exchange.requested'] });
		for (let offer = 0; offer < 50; offer++) sandbox.requestOffer({ id: `x${offer}` });
		poller.ending = () => 'not started';
		await poller.poll();
		await clock.wait(minute / 2);
		expect(withItems(poller)).toHaveLength(5);
	});

	it('are not held up by one that is large and fails: it is shortened, and says so', async () => {
		const { sandbox, poller } = await started();
		const large = { id: 'x', anchor: 'x'.repeat(1_200_000) };
		sandbox.requestOffer(large);
		sandbox.accept('x');
		for (let offer = 0; offer < 500; offer++) sandbox.requestOffer({ id: `y${offer}` });
		poller.ending = ([item]) => (item?.shortened === true ? 'error' : 'success');
		const items = await poller.poll();
		expect(new Set(keys(items)).size).toBe(502);
		const short = items.filter(({ shortened }) => shortened === true);
		expect(names(short)).toEqual(['exchange.requested', 'exchange.accepted']);
		for (const { data } of short) {
			expect(data).toMatchObject({ id: 'x', anchor: `${'x'.repeat(299)}…` });
			expect(JSON.stringify(data).length).toBeLessThan(2500);
		}
		expect(poller.savedBytes).toBeLessThan(100_000);
	});

	it('a record of very many or strange fields is shortened, whatever they are', async () => {
		const fields = Object.fromEntries(
			Array.from({ length: 5000 }, (_, number) => [`field ${number}`, [number, null]]),
		);
		const odd = { __proto__x: null, ['n'.repeat(5000)]: 1, deep: [['y'.repeat(9000)]], ...fields };
		let shown: unknown[] = [];
		const poller = await beginWith(() => shown, { events: ['exchange.requested'] });
		await poller.start();
		shown = [{ id: 'x', status: 'pending', ...odd }];
		const [item] = await poller.poll();
		expect(item).toMatchObject({ shortened: true, eventKey: 'exchange.requested:x' });
		expect(item?.data).toMatchObject({ id: 'x', status: 'pending', 'field 0': [0, null] });
		expect(JSON.stringify(item).length).toBeLessThan(3500);
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

it('in a digest all events of a poll are one item with a message, and come again together', async () => {
	const { sandbox, poller } = await started({}, { output: 'digest' });
	sandbox.requestOffer({ id: 'a' });
	sandbox.requestOffer({ id: 'b' });
	poller.ending = ([item]) => (item?.attempt === 1 ? 'error' : 'success');
	expect(await pollFor(poller, 30)).toEqual([0, 1]);
	const [[item] = []] = withItems(poller);
	expect(item).toMatchObject({ count: 2, source: 'poll', attempt: 1 });
	expect(item?.message).toMatch(/^2 events:\n- Exchange requested: .+\n- Exchange requested: .+$/);
	expect(names(item?.events as IDataObject[])).toEqual([
		'exchange.requested',
		'exchange.requested',
	]);
});

it('the message of a digest lists the first 20 events, and says how many more there are', async () => {
	const { sandbox, poller } = await started({}, { output: 'digest' });
	for (let count = 0; count < 23; count++) sandbox.requestOffer();
	const [item] = await poller.poll();
	expect(item?.events).toHaveLength(23);
	const lines = (item?.message as string).split('\n');
	expect(lines[0]).toBe('23 events:');
	expect(lines.filter((line) => line.startsWith('- Exchange requested'))).toHaveLength(20);
	expect(lines.at(-1)).toBe('- and 3 more');
});
