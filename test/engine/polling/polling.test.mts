/** What the polling trigger emits, and when. */
import type { IDataObject } from 'n8n-workflow';
import { describe, expect, it } from 'vitest';

import { events } from '../../../nodes/shared/fields/events.ts';
import { useVirtualTime } from '../virtualTime.mts';
import { begin, beginWith, keys, names, pollFor, started, withItems } from './begin.mts';

const clock = useVirtualTime();

describe('the first poll', () => {
	it('records silently what is there, and later polls emit what came after', async () => {
		const { sandbox, poller } = await begin();
		sandbox.requestOffer({ id: 'old' });
		sandbox.alert();
		expect(await poller.start()).toEqual([]);
		expect(await poller.poll()).toEqual([]);
		sandbox.requestOffer({ id: 'new' });
		const items = await poller.poll();
		expect(items).toEqual([
			{
				event: 'exchange.requested',
				eventKey: 'exchange.requested:new',
				message: expect.stringMatching(
					/^Exchange requested: .+ → .+, anchor ".+", exchange "new"$/,
				) as unknown,
				data: expect.objectContaining({ id: 'new', status: 'pending' }) as unknown,
				source: 'poll',
				attempt: 1,
			},
		]);
		expect(await poller.poll()).toEqual([]);
	});

	it('emits what is there already, if asked to', async () => {
		const { sandbox, poller } = await begin({}, { options: { emitExisting: true } });
		sandbox.requestOffer({ id: 'a' });
		sandbox.requestOffer({ id: 'b' });
		sandbox.accept('b');
		sandbox.alert();
		expect(names(await poller.start())).toEqual([
			'exchange.requested',
			'exchange.requested',
			'exchange.accepted',
			'watchdog.alert',
		]);
		expect(await poller.poll()).toEqual([]);
	});
});

it('every event that can be selected comes, with a sentence of its own', async () => {
	const all = Object.keys(events);
	const { sandbox, poller } = await started({ credits: 80 }, { events: all, creditsLowBelow: 50 });
	const { id } = sandbox.requestOffer();
	sandbox.accept(id);
	sandbox.publish(id);
	sandbox.breakLink(id);
	sandbox.setCredits(12);
	const items = await poller.poll();
	expect(names(items).sort()).toEqual(all);
	for (const { message } of items) expect(message).not.toMatch(/^Event /);
});

it('transitions that happened between two polls all come, the earliest first', async () => {
	let now = Date.parse('2026-07-01T12:00:00Z');
	const { sandbox, poller } = await started({ clock: () => (now += 2000) });
	sandbox.requestOffer({ id: 'one' });
	sandbox.requestOffer({ id: 'two' });
	sandbox.accept('two');
	sandbox.accept('one');
	sandbox.publish('one');
	sandbox.publish('two');
	sandbox.breakLink('one');
	const items = await poller.poll();
	expect(items.map(({ event, data }) => [event, (data as { id?: string }).id])).toEqual([
		['exchange.requested', 'one'],
		['exchange.requested', 'two'],
		['exchange.accepted', 'two'],
		['exchange.accepted', 'one'],
		['exchange.published', 'one'],
		['exchange.published', 'two'],
		['exchange.broken', 'one'],
		['watchdog.alert', expect.any(String)],
	]);
});

it('polls that a later one has overtaken do not confirm to each other what is no longer so', async () => {
	const { sandbox, poller } = await begin();
	sandbox.requestOffer({ id: 'x' });
	sandbox.accept('x');
	sandbox.publish('x');
	await poller.start();
	sandbox.addFault({
		kind: 'delay-after-commit',
		path: '/api/exchanges',
		milliseconds: 500,
		times: 2,
	});
	const slow = [poller.poll(), poller.poll()];
	await clock.wait(100);
	sandbox.breakLink('x');
	await poller.poll();
	await Promise.all(slow);
	await poller.poll();
	expect(names(poller.executions.flat())).toEqual(['exchange.broken', 'watchdog.alert']);
});

it('the message of a broken link and of an alert says on which page it was', async () => {
	const { sandbox, poller } = await begin();
	sandbox.requestOffer({ id: 'one', toSite: 'https://slow-coffee.example' });
	sandbox.accept('one');
	const { liveUrl } = sandbox.publish('one');
	await poller.start();
	sandbox.removeLink('one');
	sandbox.checkLinks();
	const [broken, alert] = await poller.poll();
	expect(broken).toMatchObject({ event: 'exchange.broken', link: liveUrl });
	const where = `the link from ${liveUrl ?? ''} to slow-coffee.example`;
	expect(broken?.message).toContain(`Link broken: ${where} is no longer live, anchor "`);
	expect(alert).toMatchObject({ event: 'watchdog.alert', link: liveUrl });
	expect(alert?.message).toContain(`Link removed (critical): ${where} is gone, anchor "`);
});

it('an alert carries the record of its exchange, whatever else is watched, and one reading of the list is enough', async () => {
	for (const parameters of [{}, { events: ['watchdog.alert'], options: { redeliver: false } }]) {
		const { sandbox, poller } = await begin({}, parameters);
		sandbox.requestOffer({ id: 'x' });
		await poller.start();
		sandbox.alert({ exchangeId: 'x' });
		await clock.wait(60_000);
		const before = sandbox.books.requests({ endpoint: 'GET /api/exchanges' }).length;
		const [item] = await poller.poll();
		expect(item).toHaveProperty('exchange.id', 'x');
		expect(item?.message).toContain('anchor "a good read", exchange "x"');
		expect(sandbox.books.requests({ endpoint: 'GET /api/exchanges' }).length - before).toBe(1);
	}
});

it.each([
	[401, 1],
	[403, 1],
	[500, 4],
])(
	'an alert comes without the record, rather than late, where the list is answered with %i; for one that is left out no list is read',
	async (status, requests) => {
		const filters = { severities: ['critical'] };
		const { sandbox, poller } = await started({}, { events: ['watchdog.alert'], filters });
		const listsRead = () =>
			sandbox.books.requests().filter(({ path }) => path.endsWith('/exchanges')).length;
		sandbox.requestOffer({ id: 'x' });
		sandbox.alert({ exchangeId: 'x', severity: 'low' });
		await poller.poll();
		expect(listsRead()).toBe(0);
		const path = '/api/exchanges';
		sandbox.addFault({ kind: 'error-before-commit', status, path, times: 100 });
		sandbox.alert({ exchangeId: 'x', severity: 'critical' });
		const [alert] = await poller.poll();
		expect(alert).toMatchObject({ event: 'watchdog.alert', data: { exchange_id: 'x' } });
		expect(alert).not.toHaveProperty('exchange');
		await poller.poll();
		expect(listsRead()).toBe(requests);
	},
);

it('the sites of an alert are those of its exchange, also where only alerts start the workflow', async () => {
	const parameters = { events: ['watchdog.alert'], filters: { sites: 'mine.example' } };
	const { sandbox, poller } = await begin({ dialect: { siteReference: 'object' } }, parameters);
	sandbox.requestOffer({ id: 'mine', fromSite: 'https://mine.example/' });
	sandbox.requestOffer({ id: 'other' });
	await poller.start();
	sandbox.alert({ exchangeId: 'mine' });
	sandbox.alert({ exchangeId: 'other' });
	const items = await poller.poll();
	expect(items.map(({ data }) => (data as IDataObject).exchange_id)).toEqual(['mine']);
});

it('in a digest all events of a poll are one item, whose message lists the first 20, and come again together', async () => {
	const { sandbox, poller } = await started({}, { output: 'digest' });
	for (let count = 0; count < 23; count++) sandbox.requestOffer();
	poller.ending = ([item]) => (item?.attempt === 1 ? 'error' : 'success');
	expect(await pollFor(poller, 30)).toEqual([0, 1]);
	const [[item] = []] = withItems(poller);
	expect(item).toMatchObject({ count: 23, source: 'poll', attempt: 1 });
	expect(names(item?.events as IDataObject[])).toEqual(Array(23).fill('exchange.requested'));
	const [first, ...lines] = (item?.message as string).split('\n');
	expect(first).toBe('23 events:');
	expect(lines.filter((line) => line.startsWith('- Exchange requested'))).toHaveLength(20);
	expect(lines.slice(20)).toEqual(['- and 3 more']);
});

it.each(['init', 'update'] as const)(
	'a digest does not wait for its time of day when n8n starts or the workflow is published again (%s)',
	async (mode) => {
		const { sandbox, poller } = await started({}, { output: 'digest' });
		sandbox.requestOffer();
		expect(await poller.start(mode)).toMatchObject([{ count: 1, source: 'poll' }]);
	},
);

it.each([
	[{ events: [] }, 'Trigger On'],
	[{ events: ['exchange.lost'] }, 'Trigger On'],
	[{ options: { emitExisting: 'perhaps' } }, 'Emit Existing Events'],
	[{ options: { redeliver: 'perhaps' } }, 'Redeliver'],
	[{ options: { headStart: -1 } }, 'Head Start (Minutes)'],
	[{ filters: { severitiesMode: 'most' } }, 'Severities Mode'],
	[{ output: 'both' }, 'Output'],
	[{ events: ['credits.low'], creditsLowBelow: 0 }, 'Credits Low Below'],
	[{ filters: { severities: '={{ null }}' } }, 'Severities'],
	[{ filters: { sites: '={{ [] }}' } }, 'Sites'],
	[{ filters: { sites: [{ __rl: true, mode: 'id', value: '={{ undefined }}' }] } }, 'Sites'],
	[{ filters: { sites: ' , ' } }, 'Sites'],
])('with %j nothing is activated, and the message names the setting', async (parameters, name) => {
	const { poller } = await begin({}, parameters);
	await expect(poller.start()).rejects.toThrow(`"${name}"`);
});

describe('the manual test', () => {
	it('shows the newest event and leaves the state alone', async () => {
		let now = Date.parse('2026-07-01T12:00:00Z');
		const { sandbox, poller } = await begin({ clock: () => (now += 2000) });
		sandbox.requestOffer({ id: 'first' });
		sandbox.requestOffer({ id: 'second' });
		sandbox.accept('first');
		expect(keys(await poller.test())[0]).toMatch(/^exchange\.accepted:first:/);
		expect(await poller.start()).toEqual([]);
		sandbox.accept('second');
		await poller.test();
		expect(names(await poller.poll())).toEqual(['exchange.accepted']);
	});

	it('shows the newer one of an accept and an alert, of what is selected, and asks for no list that is not', async () => {
		let now = Date.parse('2026-07-01T12:00:00Z');
		const { sandbox, poller } = await begin({ clock: () => (now += 2000) });
		sandbox.alert({ exchangeId: 'x' });
		sandbox.requestOffer({ id: 'new' });
		sandbox.accept('new');
		expect(names(await poller.test())).toEqual(['exchange.accepted']);
		sandbox.publish('new');
		sandbox.alert();
		expect(names(await poller.test())).toEqual(['watchdog.alert']);
		const asked = sandbox.books.requests().length;
		for (const event of ['watchdog.alert', 'exchange.accepted']) {
			poller.parameters = { ...poller.parameters, events: [event] };
			expect(names(await poller.test())).toEqual([event]);
		}
		const paths = sandbox.books.requests().map(({ path }) => path.split('?')[0]);
		expect([...new Set(paths.slice(asked))]).toEqual(['/api/watchdog/events', '/api/exchanges']);
	});

	it('shows a digest where one is asked for, and of an alert the page of its exchange, which is read for that', async () => {
		const { sandbox, poller } = await begin({}, { events: ['watchdog.alert'], output: 'digest' });
		sandbox.requestOffer({ id: 'x' });
		sandbox.accept('x');
		const { liveUrl } = sandbox.publish('x');
		sandbox.removeLink('x');
		sandbox.checkLinks();
		const alert = { event: 'watchdog.alert', link: liveUrl };
		expect(await poller.test()).toMatchObject([{ count: 1, events: [alert], attempt: 1 }]);
	});

	it('shows the newest pending offer, in whatever order they are listed, where offers alone are selected', async () => {
		const ids = ['old', 'new', 'accepted'];
		const list = ids.map((id, day) => ({
			id,
			status: id === 'accepted' ? id : 'pending',
			created_at: `2026-07-0${day + 1}T12:00:00Z`,
		}));
		for (const listed of [list, list.toReversed()]) {
			const poller = await beginWith(() => listed, { events: ['exchange.requested'] });
			expect(keys(await poller.test())).toEqual(['exchange.requested:new']);
		}
		const poller = await beginWith(() => list.slice(2), { events: ['exchange.requested'] });
		expect(keys(await poller.test())).toEqual(['exchange.requested:accepted']);
	});

	it('says what would make an event where there is none, and is no error', async () => {
		const alerts = { events: ['watchdog.alert', 'exchange.broken'] };
		const { poller } = await begin({}, alerts);
		const next = 'A published workflow starts with the next event.';
		expect(await poller.test()).toEqual([
			{
				message: `There is no event to show yet. What would make one: Watchdog Alert (the watchdog raised an alert about a link), Exchange Broken (the link of an exchange is no longer live). ${next}`,
				source: 'poll',
			},
		]);
		const filtered = await beginWith(
			() => [{ id: 'one', from_site: 'a.example', to_site: 'b.example', status: 'broken' }],
			{ events: ['exchange.broken'], filters: { sites: 'https://elsewhere.example' } },
		);
		expect(await filtered.test()).toEqual([
			{
				message: `There is no event to show yet. The filters leave out 1 that the account has. What would make one: Exchange Broken (the link of an exchange is no longer live). ${next}`,
				source: 'poll',
			},
		]);
	});
});
