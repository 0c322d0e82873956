/** What n8n keeps of a trigger, and when: what has succeeded or was seen is known after a restart, whatever n8n does meanwhile. */
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';

import { useVirtualTime } from '../virtualTime.mts';
import { begin, beginWith, keys, onlyOffers, pollFor, started, withItems } from './begin.mts';
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
const alerts = (types: string) => Array.from(types, (type) => ({ type, severity: 'low' }));
it.each([
	[
		'an exchange that has moved on',
		'exchange.requested',
		['accepted', 'live'].map(exchange),
		false,
	],
	['a link that may be repaired', 'exchange.requested', ['broken', 'live'].map(exchange), false],
	[
		'a link that two polls show as repaired',
		'exchange.requested',
		['broken', 'live', 'live'].map(exchange),
		true,
	],
	['an alert that one poll does not show', 'watchdog.alert', ['ab', 'a'].map(alerts), false],
	['an alert that two polls do not show', 'watchdog.alert', ['ab', 'a', 'a'].map(alerts), true],
	[
		'a balance that is no longer low, beside exchanges that are as before',
		['exchange.requested', 'credits.low'],
		[40, 60].map((balance) => ({ exchanges: [], balance, lifetime_spent: 0 })),
		true,
	],
])(
	'what the next poll finds anyway is not saved by an execution, and what it would not find is: %s',
	async (_what, events, lists: unknown[], isSaved) => {
		let list = lists[0];
		const filters = { severities: ['critical'] };
		const watched = { events: [events].flat(), creditsLowBelow: 50 };
		const poller = await beginWith(() => list, { ...watched, filters });
		await poller.start();
		poller.executions.length = 0;
		for (list of lists.slice(1)) {
			// Until nothing is shared any more that was read before.
			await clock.wait(15 * 60_000);
			await poller.poll();
		}
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

it.each([
	'',
	'null',
	'[null, 5]',
	'{"attempts":1}',
	'[{"item":{}}]',
	'[{"item":{},"since":1}]',
	'no JSON',
])(
	'a state that somebody has changed to %j holds no event, and those to come are none the worse for it',
	async (ledger) => {
		const { sandbox, poller } = await begin({}, onlyOffers);
		poller.adjust = (context) => {
			context.getWorkflowStaticData('global')['backlinkExchange the node'] ??= { ledger };
		};
		await poller.start();
		sandbox.requestOffer({ id: 'x' });
		await poller.poll();
		expect(keys(withItems(poller).flat())).toEqual(['exchange.requested:x']);
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

it('an end that starts another execution needs none of its own to be saved', async () => {
	const { sandbox, poller } = await started({}, onlyOffers);
	for (let offer = 0; offer < 60; offer++) sandbox.requestOffer({ id: `x${offer}` });
	poller.takes = ([item]) => (item === undefined ? 0 : 1000);
	await poller.poll();
	await clock.wait(30_000);
	// One for each end that starts no other.
	expect(poller.executions.filter(({ length }) => length === 0)).toHaveLength(5);
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

it('that n8n starts again, or its scheduler polls, changes nothing, while links keep their time', async () => {
	let [shown] = fc.sample(phase, 1);
	const { credential } = await beginWith(({ url = '' }) => {
		if (url.includes('credits')) return { balance: shown?.balance, lifetime_spent: 5 };
		const types = shown?.isAlertListed === true ? ['gone', 'other'] : ['other'];
		const alerts = types.map((type) => ({ exchange_id: 'x', type }));
		return url.includes('watchdog') ? alerts : [{ id: 'x', ...shown?.exchange }];
	});
	const plan = fc.record({
		event: fc.constantFrom(
			...['exchange.published', 'exchange.broken', 'watchdog.alert', 'credits.low'],
		),
		phases: fc.array(phase, { minLength: 4, maxLength: 8 }),
	});
	await fc.assert(
		fc.asyncProperty(plan, async ({ event, phases }) => {
			const parameters = { events: [event], creditsLowBelow: 50 };
			const steady = new Poller(credential, parameters);
			const restarted = new Poller(credential, parameters);
			const scheduled = new Poller(credential, parameters, { isScheduled: true });
			[shown] = phases;
			for (const poller of [steady, restarted, scheduled]) await poller.start();
			for (shown of phases) {
				const found: string[][] = [[], [], []];
				for (const restarts of [shown.restarts, false]) {
					// Until nothing is shared any more that was read before.
					await clock.wait(15 * 60_000);
					found[0]?.push(...keys(await steady.poll()));
					found[1]?.push(...keys(await (restarts ? restarted.start('init') : restarted.poll())));
					found[2]?.push(...keys(await scheduled.poll()));
				}
				expect(found.slice(1)).toEqual([found[0], found[0]]);
			}
		}),
		{ numRuns: 80 },
	);
}, 300_000);
