/** What n8n keeps of a trigger, and when: what has succeeded or was seen is known after a restart, whatever n8n does meanwhile. */
import fc from 'fast-check';
import type { IDataObject } from 'n8n-workflow';
import { describe, expect, it } from 'vitest';

import { useVirtualTime } from '../virtualTime.mts';
import { begin, beginWith, keys, onlyOffers, pollFor, started } from './begin.mts';
import { Poller } from './poller.mts';

const clock = useVirtualTime();

it('what has succeeded is saved by one execution without items, and none when nothing happened', async () => {
	const { sandbox, poller } = await started();
	await pollFor(poller, 3);
	expect(poller.executions).toEqual([]);
	for (const id of ['a', 'b', 'c']) sandbox.requestOffer({ id });
	await pollFor(poller, 3);
	expect(poller.executions.map(({ length }) => length)).toEqual([1, 1, 1, 0]);
});

const exchange = (status: string) => [{ id: 'x', status }];
const alerts = (...types: string[]) => types.map((type) => ({ type, severity: 'low' }));
it.each([
	['an exchange that has moved on', '/exchanges', [exchange('accepted'), exchange('live')], false],
	['a link that may be repaired', '/exchanges', [exchange('broken'), exchange('live')], false],
	[
		'a link that two polls show as repaired',
		'/exchanges',
		[exchange('broken'), exchange('live'), exchange('live')],
		true,
	],
	['an alert that one poll does not show', '/watchdog', [alerts('a', 'b'), alerts('a')], false],
	[
		'an alert that two polls do not show',
		'/watchdog',
		[alerts('a', 'b'), alerts('a'), alerts('a')],
		true,
	],
])(
	'what the next poll finds anyway is not saved by an execution, and what it would not find is: %s',
	async (_what, path, lists, isSaved) => {
		let list: unknown = lists[0];
		const poller = await beginWith(({ url }) => (url?.includes(path) ? list : []), {
			events: ['exchange.requested', 'watchdog.alert'],
			filters: { severities: ['critical'] },
		});
		await poller.start();
		for (list of lists.slice(1)) await poller.poll();
		expect(poller.executions).toEqual(isSaved ? [[]] : []);
	},
);

it('what has succeeded is saved although n8n is slow to save what was before', async () => {
	const { sandbox, poller } = await started({}, onlyOffers);
	poller.saveTakes = 1000;
	poller.ending = ([item]) => (item?.eventKey === 'exchange.requested:b' ? 'silent' : 'success');
	for (const id of ['a', 'b']) sandbox.requestOffer({ id });
	await poller.poll();
	poller.forgetProcess();
	await clock.wait(60_000);
	expect(keys(await poller.start('init'))).toEqual(['exchange.requested:b']);
});

it.each(['', 'null', '[null, 5]', '{"attempts":1}', '[{"item":{}}]', 'no JSON'])(
	'a state that somebody has changed to %j holds no event, and those to come are none the worse for it',
	async (ledger) => {
		const { sandbox, poller } = await begin({}, onlyOffers);
		poller.adjust = (context) => {
			context.getWorkflowStaticData('global')['backlinkExchange the node'] ??= { ledger };
		};
		await poller.start();
		sandbox.requestOffer({ id: 'x' });
		expect(keys(await poller.poll())).toEqual(['exchange.requested:x']);
	},
);

it('of a copy of a workflow, what has succeeded in the other one has not succeeded yet', async () => {
	const { sandbox, poller } = await started({}, onlyOffers);
	sandbox.requestOffer({ id: 'x' });
	poller.ending = () => 'error';
	await poller.poll();
	poller.ending = () => 'success';
	const copy = new Poller(poller.credential, onlyOffers, { copyOf: poller });
	await clock.wait(60_000);
	for (const each of [poller, copy]) {
		expect(keys(await each.start())).toEqual(['exchange.requested:x']);
	}
});

it.each([
	['the one', [0, 1]],
	['the other', [1, 0]],
])(
	'of two triggers in a workflow that were published one after the other, none takes the state of the other back (%s saves first)',
	async (_, order) => {
		const { sandbox, poller } = await started({}, onlyOffers);
		sandbox.requestOffer({ id: 'a' });
		await poller.poll();
		const other = new Poller(poller.credential, onlyOffers, { beside: poller });
		await other.start();
		sandbox.requestOffer({ id: 'b' });
		await clock.wait(60_000);
		for (const index of order) await [poller, other][index]?.poll();
		for (const each of [poller, other]) each.forgetProcess();
		// While n8n is off.
		sandbox.requestOffer({ id: 'c' });
		for (const each of [poller, other]) {
			expect(keys(await each.start('init'))).toEqual(['exchange.requested:c']);
		}
	},
);

it("n8n's scheduler without durable cursors: what two polls have to agree on is found, too", async () => {
	let status = 'broken';
	let alerts = ['gone', 'other'].map((type) => ({ exchange_id: 'x', type }));
	const { credential } = await beginWith(({ url }) =>
		url?.includes('watchdog') ? alerts : [{ id: 'x', status, published_at: 1782907200 }],
	);
	const poller = new Poller(credential, {}, { isScheduled: true });
	await poller.start();
	status = 'live';
	const [gone] = alerts.splice(0, 1);
	for (let poll = 0; poll < 3; poll++) await poller.poll();
	if (gone !== undefined) alerts = [gone, ...alerts];
	await poller.poll();
	expect(keys(poller.executions.flat())).toEqual([
		'exchange.published:x:1782907200#2',
		expect.stringContaining('watchdog.alert:x'),
	]);
});

describe('saving an end', () => {
	it('waits for nothing: n8n stops although an execution waits for its turn, or for an end that it never reports', async () => {
		const { sandbox, poller } = await started({}, onlyOffers);
		for (const id of ['done', 'silent', 'waiting']) sandbox.requestOffer({ id });
		const isOf = (name: string, [item]: IDataObject[]) =>
			item?.eventKey === `exchange.requested:${name}`;
		poller.limit = 1;
		poller.takes = (items) => (isOf('done', items) ? 1000 : 5000);
		poller.ending = (items) => (isOf('silent', items) ? 'silent' : 'success');
		await poller.poll();
		await poller.stop();
		await poller.start('init');
		await clock.wait(120_000);
		await poller.poll();
		const executions = poller.executions.filter((items) => isOf('done', items));
		expect(executions).toHaveLength(1);
	});

	it('needs no execution of its own for an end that starts another', async () => {
		const { sandbox, poller } = await started({}, onlyOffers);
		for (let offer = 0; offer < 60; offer++) sandbox.requestOffer({ id: `x${offer}` });
		poller.takes = ([item]) => (item === undefined ? 0 : 1000);
		await poller.poll();
		await clock.wait(30_000);
		// One for each end that starts no other.
		expect(poller.executions.filter(({ length }) => length === 0)).toHaveLength(5);
	});

	it.each([
		['of the first poll after a start of n8n', 'init' as const],
		['of a publication', 'activate' as const],
	])('what the executions %s have done is done, without another poll', async (_, mode) => {
		const { sandbox, poller } = await begin({}, { ...onlyOffers, options: { emitExisting: true } });
		sandbox.requestOffer({ id: 'x' });
		poller.takes = () => 20_000;
		await poller.start(mode);
		await poller.stop();
		for (let restart = 0; restart < 3; restart++) {
			await poller.start('init');
			await clock.wait(600_000);
			await poller.stop();
		}
		expect(keys(poller.executions.flat())).toEqual(['exchange.requested:x']);
	});

	it.each([false, true])(
		'goes on for an execution that ends after another publication or poll (scheduler: %s)',
		async (isScheduled) => {
			const { sandbox, poller } = await begin({}, onlyOffers, { isScheduled });
			await poller.start();
			sandbox.requestOffer({ id: 'x' });
			poller.takes = () => 20_000;
			await poller.poll();
			await (isScheduled ? poller.poll() : poller.start('update'));
			await poller.stop();
			await poller.start('init');
			await clock.wait(120_000);
			await poller.poll();
			expect(keys(poller.executions.flat())).toEqual(['exchange.requested:x']);
		},
	);
});

describe('durable poll cursors', () => {
	it('what has succeeded is written down without an execution, and so is the first poll', async () => {
		const { sandbox, poller } = await begin({}, {}, { hasDurableCursors: true });
		await poller.start();
		expect(poller.executions).toEqual([]);
		for (const id of ['a', 'b']) {
			sandbox.requestOffer({ id });
			await poller.poll();
			poller.forgetProcess();
		}
		for (let poll = 0; poll < 3; poll++) await poller.poll();
		expect(poller.executions.map(({ length }) => length)).toEqual([1, 1]);
	});

	it('may be switched on later: the trigger goes on', async () => {
		const { sandbox, poller } = await started();
		sandbox.requestOffer({ id: 'a' });
		poller.ending = () => 'error';
		await poller.poll();
		poller.ending = () => 'success';
		poller.hasDurableCursors = true;
		poller.forgetProcess();
		sandbox.requestOffer({ id: 'b' });
		await clock.wait(60_000);
		const items = [...(await poller.start('init')), ...(await poller.poll())];
		expect(keys(items).sort()).toEqual(['exchange.requested:a', 'exchange.requested:b']);
		for (let poll = 0; poll < 3; poll++) expect(await poller.poll()).toEqual([]);
	});
});

const phase = fc.record({
	exchange: fc.oneof(
		fc.record({ status: fc.constantFrom('pending', 'accepted') }),
		fc.record({
			status: fc.constantFrom('live', 'broken'),
			published_at: fc.constant(1782907200),
		}),
	),
	isAlertListed: fc.boolean(),
	balance: fc.constantFrom(40, 60),
	/** Whether n8n starts again before the first of the two polls that show this. */
	restarts: fc.boolean(),
});

it('that n8n starts again changes nothing, while links keep their time', async () => {
	let [shown] = fc.sample(phase, 1);
	const { credential } = await beginWith(({ url = '' }) => {
		if (url.includes('credits')) return { balance: shown?.balance, lifetime_spent: 5 };
		const alerts = shown?.isAlertListed === true ? [{ exchange_id: 'x', type: 'gone' }] : [];
		return url.includes('watchdog') ? alerts : [{ id: 'x', ...shown?.exchange }];
	});
	const plan = fc.record({
		event: fc.constantFrom('exchange.broken', 'watchdog.alert', 'credits.low'),
		phases: fc.array(phase, { minLength: 4, maxLength: 8 }),
	});
	await fc.assert(
		fc.asyncProperty(plan, async ({ event, phases }) => {
			const parameters = { events: [event], creditsLowBelow: 50 };
			const steady = new Poller(credential, parameters);
			const restarted = new Poller(credential, parameters);
			[shown] = phases;
			await steady.start();
			await restarted.start();
			for (shown of phases) {
				const expected: string[] = [];
				const given: string[] = [];
				for (const restarts of [shown.restarts, false]) {
					// Until nothing is shared any more that was read before.
					await clock.wait(15 * 60_000);
					expected.push(...keys(await steady.poll()));
					given.push(...keys(await (restarts ? restarted.start('init') : restarted.poll())));
				}
				expect(given).toEqual(expected);
			}
		}),
		{ numRuns: 60 },
	);
}, 300_000);
