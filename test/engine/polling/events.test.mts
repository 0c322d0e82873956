/** Output of the polling trigger. */
import type { IDataObject, INodeParameters } from 'n8n-workflow';
import { describe, expect, test } from 'vitest';

import { events } from '../../../nodes/shared/events/events.ts';
import { createWorkflow, newNode, nodeTypes, pollingType, webhookType } from '../engine.mts';
import { useVirtualTime } from '../virtualTime.mts';
import {
	getEventKeys,
	getEventNames,
	onlyOffers,
	pollFor,
	setUp,
	setUpAndPoll,
	setUpWithAccount,
	setUpWithResponse,
} from './setup.mts';

const clock = useVirtualTime();
const minute = 60_000;

/** Returns a clock for the service that gives each event a time of its own. */
function ticking(): () => number {
	let now = Date.parse('2026-07-01T12:00:00Z');
	return () => (now += 2000);
}

describe('the first poll', () => {
	test('records the current state silently; all events of a later poll start one execution', async () => {
		const { sandbox, poller } = await setUp({ clock: ticking() });
		sandbox.requestOffer({ id: 'old' });
		sandbox.alert();
		await poller.start();
		await poller.poll();
		expect(poller.executions).toEqual([]);
		sandbox.requestOffer({ id: 'new' });
		sandbox.accept('old');
		await poller.poll();
		expect(poller.executions).toHaveLength(1);
		const [[item, other] = []] = poller.executions;
		expect(item).toMatchObject({ event: 'exchange.requested', exchangeId: 'new' });
		expect(other?.event).toBe('exchange.accepted');
		await pollFor(poller, 5);
		expect(poller.executions).toHaveLength(1);
	});
});

test('One Execution per Event starts an execution for each of them', async () => {
	const options = { outputFormat: 'executions' };
	const { sandbox, poller } = await setUpAndPoll({}, { ...onlyOffers, options });
	for (const id of ['a', 'b', 'c']) sandbox.requestOffer({ id });
	await poller.poll();
	expect(poller.executions.map((items) => items.map(({ exchangeId }) => exchangeId))).toEqual([
		['a'],
		['b'],
		['c'],
	]);
});

test('emits every event with its own sentence, earliest first', async () => {
	const { sandbox, poller } = await setUpAndPoll(
		{ credits: 80, clock: ticking() },
		{ events: events.map(({ name }) => name), lowCreditThreshold: 50 },
	);
	sandbox.requestOffer({ id: 'one' });
	sandbox.requestOffer({ id: 'two' });
	sandbox.accept('two');
	sandbox.accept('one');
	sandbox.publish('one');
	sandbox.breakLink('one');
	sandbox.setCredits(12);
	// The trigger reads the balance every 15 minutes.
	await clock.wait(15 * minute);
	const items = await poller.poll();
	expect(items.map(({ event, exchangeId }) => [event, exchangeId])).toEqual([
		['exchange.requested', 'one'],
		['exchange.requested', 'two'],
		['exchange.accepted', 'two'],
		['exchange.accepted', 'one'],
		['exchange.published', 'one'],
		['exchange.broken', 'one'],
		['watchdog.alert', 'one'],
		['credits.low', undefined],
	]);
	for (const { event, message, title } of items as Array<Record<string, string>>) {
		const label = events.find(({ name }) => name === event)?.label.toLowerCase();
		for (const text of [message, title]) expect(text?.toLowerCase()).toContain(label);
	}
	expect(items.at(-1)).toEqual({
		message:
			'Low credits: your balance is 12 credits, below the threshold of 50. Check it before you accept more offers.',
		title: 'Low credits: 12 left',
		event: 'credits.low',
		balance: 12,
		eventKey: expect.stringMatching(/^credits\.low:\d+$/) as unknown,
	});
});

describe('an item', () => {
	const page = 'https://partner.example/tea';
	const exchange = {
		id: 7,
		status: 'live',
		from_site: 'https://partner.example/',
		to_site: { id: 'site_1', url: 'https://mine.example' },
		anchor: 'green tea',
		accepted_at: 1_782_907_200,
		live_url: page,
		published_at: '2026-07-02T12:00:00+02:00',
	};
	const alert = { exchange_id: 7, severity: 5, type: 'link_removed', detail: 'HTTP 404' };
	const emit = async (options: IDataObject = {}, timeZone = 'UTC') => {
		const { account, poller } = await setUpWithAccount(
			{ sites: [{ id: 'site_1', url: 'https://mine.example' }], exchanges: [] },
			{ options: options as INodeParameters },
		);
		poller.timeZone = timeZone;
		await poller.start();
		await clock.wait(minute);
		account.exchanges = [exchange];
		account.alerts = [{ id: 'evt_1', ...alert, created_at: '2026-07-03T12:00:00Z' }];
		return await poller.poll();
	};
	const names = {
		exchangeId: '7',
		direction: 'incoming',
		partner: 'https://partner.example/',
		site: 'https://mine.example',
		anchor: 'green tea',
	};
	const theLink = `the link from ${page} to mine.example with the anchor “green tea”`;
	const expected = [
		{
			message:
				'New offer: partner.example offers a link to mine.example with the anchor “green tea” on the page https://partner.example/tea.',
			title: 'New offer from partner.example for mine.example',
			event: 'exchange.requested',
			...names,
			link: page,
			eventKey: 'exchange.requested:7',
		},
		{
			message: `Offer accepted: the offer from partner.example was accepted on 1 Jul 2026, 12:00 UTC. It's for mine.example with the anchor “green tea” on the page ${page}.`,
			title: 'Offer accepted: partner.example → mine.example',
			event: 'exchange.accepted',
			...names,
			occurredAt: '2026-07-01T12:00:00.000Z',
			link: page,
			eventKey: 'exchange.accepted:7:1782907200',
		},
		{
			message: `Link published: ${theLink} went live on 2 Jul 2026, 10:00 UTC.`,
			title: 'Link published: partner.example/tea',
			event: 'exchange.published',
			...names,
			occurredAt: '2026-07-02T10:00:00.000Z',
			link: page,
			eventKey: 'exchange.published:7:1782986400',
		},
		{
			message: `New alert (“5”, link removed): ${theLink} is gone. The alert was raised on 3 Jul 2026, 12:00 UTC. The service reports “HTTP 404”. Ask partner.example to restore it.`,
			title: 'New alert (“5”, link removed): partner.example → mine.example',
			event: 'watchdog.alert',
			...names,
			severity: '5',
			type: 'link_removed',
			detail: 'HTTP 404',
			occurredAt: '2026-07-03T12:00:00.000Z',
			link: page,
			eventKey: expect.stringMatching(/^watchdog\.alert:7:[0-9a-f]{32}$/) as unknown,
		},
	];

	test('is flat, with the fields in this order', async () => {
		const items = await emit();
		expect(items).toEqual(expected);
		expect(items.map(Object.keys)).toEqual(expected.map(Object.keys));
	});

	test('has the record of the service only if configured', async () => {
		const items = await emit({ includeRecord: true });
		const records = [exchange, exchange, exchange, expect.objectContaining(alert)];
		expect(items).toEqual(
			expected.map((item, at) => ({ ...item, record: records[at] as unknown })),
		);
		for (const item of items) expect(Object.keys(item).at(-1)).toBe('record');
	});

	test("has times in the workflow's time zone in its message", async () => {
		const [, accepted, published] = await emit({}, 'Asia/Tokyo');
		expect(accepted?.message).toContain('was accepted on 1 Jul 2026, 21:00 GMT+9.');
		expect(published?.message).toContain('went live on 2 Jul 2026, 19:00 GMT+9.');
		expect(accepted?.occurredAt).toBe('2026-07-01T12:00:00.000Z');
	});
});

describe('an alert', () => {
	const onlyAlerts = { events: ['watchdog.alert'] };

	test.each([
		// The lists of the statuses that the whole list lacks come with it.
		['all', 3],
		['pending-unless-filtered', 4],
	] as const)('contains its link, which is fetched only then: %s', async (exchangeList, lists) => {
		const { sandbox, poller } = await setUp({ dialect: { exchangeList } }, onlyAlerts);
		sandbox.requestOffer({ id: 'one', toSite: 'https://slow-coffee.example' });
		sandbox.accept('one');
		const { liveUrl } = sandbox.publish('one');
		const listsRead = () =>
			sandbox.books.requests().filter(({ path }) => path.startsWith('/api/exchanges')).length;
		await poller.start();
		expect(listsRead()).toBe(0);
		sandbox.removeLink('one');
		sandbox.checkLinks();
		const [alert] = await poller.poll();
		expect(listsRead()).toBe(lists);
		expect(alert).toMatchObject({
			event: 'watchdog.alert',
			exchangeId: 'one',
			direction: 'incoming',
			site: 'https://slow-coffee.example',
			link: liveUrl,
		});
		expect(alert?.message).toContain(`${liveUrl ?? ''} to slow-coffee.example`);
	});

	test('comes without its exchange, rather than late, if the list of exchanges is unreadable', async () => {
		const { sandbox, poller } = await setUpAndPoll({}, onlyAlerts);
		sandbox.requestOffer({ id: 'x' });
		sandbox.addFault({ kind: 'error-before-commit', path: '/api/exchanges', times: 100 });
		sandbox.alert({ exchangeId: 'x' });
		const [alert] = await poller.poll();
		expect(alert).toMatchObject({ exchangeId: 'x' });
		expect(alert).not.toHaveProperty('direction');
		expect(alert).not.toHaveProperty('partner');
	});
});

describe('a digest', () => {
	test('is one item per poll with a message, a title and a count, and none without events', async () => {
		const { sandbox, poller } = await setUpAndPoll({}, { options: { outputFormat: 'digest' } });
		await pollFor(poller, 3);
		expect(poller.executions).toEqual([]);
		for (let count = 0; count < 40; count++) sandbox.requestOffer({ id: `x${count}` });
		sandbox.alert({ exchangeId: 'x1' });
		const [digest, ...others] = await poller.poll();
		expect(others).toEqual([]);
		expect(digest).toMatchObject({
			title: '1 new alert, 40 new offers: your-site.example',
			count: 41,
		});
		expect(digest?.items).toHaveLength(41);
		const lines = (digest?.message as string).split('\n');
		expect(lines).toHaveLength(1 + 1 + 10 + 1);
		expect(lines.at(-1)).toBe('- and 30 more new offers');
	});
});

test('low credits start the workflow once per fall, also if they are low from the start', async () => {
	const parameters = { events: ['credits.low'], lowCreditThreshold: 50 };
	const { sandbox, poller } = await setUp({ credits: 12 }, parameters);
	expect(getEventNames(await poller.start())).toEqual(['credits.low']);
	const after = async (credits: number) => {
		sandbox.setCredits(credits);
		await clock.wait(15 * minute);
		return getEventNames(await poller.poll());
	};
	expect(await after(11)).toEqual([]);
	expect(await after(80)).toEqual([]);
	expect(await after(49)).toEqual(['credits.low']);
	const keys = getEventKeys(poller.executions.flat());
	expect(keys).toEqual(Array(2).fill(expect.stringMatching(/^credits\.low:\d{10}$/)));
	expect(new Set(keys).size).toBe(2);
	expect([...new Set(sandbox.books.requests().map(({ path }) => path))]).toEqual([
		'/api/sites',
		'/api/credits/balance',
	]);
});

test.each([
	[{ events: [] }, 'Trigger On'],
	[{ events: ['exchange.lost'] }, 'Trigger On'],
	[{ options: { includeRecord: 'perhaps' } }, 'Include Record'],
	[{ options: { outputFormat: 'both' } }, 'Output Format'],
	[{ events: ['credits.low'], lowCreditThreshold: 0 }, 'Low Credit Threshold'],
	[{ filters: { sites: '={{ [] }}' } }, 'Sites'],
	[{ filters: { sites: [] } }, 'Sites'],
	[{ filters: { sites: [''] } }, 'Sites'],
	[{ filters: { sites: ' ' } }, 'Sites'],
])(
	'with %j, publishing fails with the label of the parameter in the message, without a request',
	async (parameters, name) => {
		const { poller, sandbox } = await setUp({}, parameters);
		await expect(poller.start()).rejects.toThrow(`'${name}'`);
		expect(sandbox.books.requests()).toEqual([]);
	},
);

test.each([
	[pollingType, 1],
	[webhookType, 2],
])('the canvas describes what starts it for %s', (type, version) => {
	const selected = ['watchdog.alert', 'exchange.requested'];
	const { workflow, node } = createWorkflow({
		...newNode('Trigger', type, { events: selected }),
		typeVersion: version,
	});
	const { subtitle } = nodeTypes().getByNameAndVersion(type, version).description;
	const shown = workflow.expression.getSimpleParameterValue(node, subtitle, 'internal', {});
	expect(shown).toBe('New Alert, New Offer');
});

describe('Fetch Test Event', () => {
	test("shows the newest selected event, and doesn't change the state", async () => {
		const { sandbox, poller } = await setUp({ clock: ticking() });
		sandbox.requestOffer({ id: 'first' });
		sandbox.requestOffer({ id: 'second' });
		sandbox.accept('first');
		expect(getEventKeys(await poller.test())[0]).toMatch(/^exchange\.accepted:first:/);
		await poller.start();
		sandbox.accept('second');
		await poller.test();
		expect(getEventNames(await poller.poll())).toEqual(['exchange.accepted']);
		sandbox.alert();
		expect(getEventNames(await poller.test())).toEqual(['watchdog.alert']);
		poller.parameters = { ...poller.parameters, options: { outputFormat: 'digest' } };
		expect(await poller.test()).toMatchObject([
			{ title: 'New alert (high, nofollow): partner.example → your-site.example', count: 1 },
		]);
	});

	test('shows an offer that can still be accepted, for any order of the list', async () => {
		const list = ['old', 'new', 'accepted'].map((id, day) => ({
			id,
			status: id === 'accepted' ? id : 'pending',
			created_at: `2026-07-0${day + 1}T12:00:00Z`,
		}));
		for (const listed of [list, list.toReversed()]) {
			const poller = await setUpWithResponse(() => listed, onlyOffers);
			expect(getEventKeys(await poller.test())).toEqual(['exchange.requested:new']);
		}
	});

	test("returns an item without an event if there is none, and doesn't fail", async () => {
		const { poller } = await setUp({}, { events: ['credits.low', 'exchange.broken'] });
		const [item] = await poller.test();
		expect(item?.title).toBe('No matching event yet');
		expect(item?.event).toBeUndefined();
	});
});
