/** What the polling trigger gives out, and when. */
import type { IDataObject } from 'n8n-workflow';
import { describe, expect, it, vi } from 'vitest';

import { useVirtualTime } from '../virtualTime.mts';
import { begin, keys, names } from './begin.mts';

const clock = useVirtualTime();

const minute = 60_000;

describe('the first look', () => {
	it('takes note silently, and later polls give out what came after', async () => {
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
				data: expect.objectContaining({ id: 'new', status: 'pending' }) as unknown,
				source: 'poll',
			},
		]);
		expect(await poller.poll()).toEqual([]);
	});

	it('gives out what is there already, if asked to', async () => {
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

describe('what is repeated', () => {
	const repeating = { options: { repeatEvents: true } };

	it('comes as it was, with the time of the first look, with every look of half an hour', async () => {
		const { sandbox, poller } = await begin({}, repeating);
		expect(await poller.start()).toEqual([]);
		sandbox.requestOffer({ id: 'x' });
		const [item] = await poller.poll();
		expect(item).toHaveProperty('givenOutAt', new Date().toISOString());
		await clock.wait(10 * minute);
		sandbox.accept('x');
		const [again, accepted, ...rest] = await poller.poll();
		expect(again).toEqual(item);
		expect(accepted).toHaveProperty('givenOutAt', new Date().toISOString());
		expect(rest).toEqual([]);
		await clock.wait(10 * minute);
		expect(await poller.poll()).toEqual([item, accepted]);
		await clock.wait(20 * minute);
		expect(await poller.poll()).toEqual([item, accepted]);
		await clock.wait(10 * minute);
		expect(await poller.poll()).toEqual([accepted]);
		await clock.wait(minute);
		expect(await poller.poll()).toEqual([]);
	});

	it('comes three times, however rare the looks are', async () => {
		const { sandbox, poller } = await begin({}, repeating);
		await poller.start();
		sandbox.requestOffer({ id: 'x' });
		const counts: number[] = [];
		for (let look = 0; look < 6; look++) {
			counts.push((await poller.poll()).length);
			await clock.wait(24 * 60 * minute);
		}
		expect(counts).toEqual([1, 1, 1, 1, 0, 0]);
	});

	it('comes with every start of an n8n that is stopped again and again, and for half an hour after the last one', async () => {
		const origin = vi.spyOn(performance, 'timeOrigin', 'get');
		try {
			const { sandbox, poller } = await begin({}, repeating);
			await poller.start();
			sandbox.requestOffer({ id: 'x' });
			await poller.poll();
			for (let start = 0; start < 15; start++) {
				await clock.wait(40 * minute);
				origin.mockReturnValue(Date.now());
				expect(keys(await poller.start())).toEqual(['exchange.requested:x']);
			}
			await clock.wait(30 * minute);
			expect(keys(await poller.poll())).toEqual(['exchange.requested:x']);
			await clock.wait(minute);
			expect(await poller.poll()).toEqual([]);
		} finally {
			origin.mockRestore();
		}
	});

	it('ends after twelve hours, although n8n has just started', async () => {
		const origin = vi.spyOn(performance, 'timeOrigin', 'get');
		try {
			const { sandbox, poller } = await begin({}, repeating);
			await poller.start();
			sandbox.requestOffer({ id: 'x' });
			for (let look = 0; look < 4; look++) expect(await poller.poll()).toHaveLength(1);
			await clock.wait(12 * 60 * minute + 1);
			origin.mockReturnValue(Date.now());
			expect(await poller.start()).toEqual([]);
		} finally {
			origin.mockRestore();
		}
	});

	it('is what the account of the credential gave out, and nothing once it is switched off', async () => {
		const { sandbox, poller } = await begin({}, repeating);
		await poller.start();
		sandbox.requestOffer({ id: 'x' });
		await poller.poll();
		const other = await begin();
		poller.credential = { baseUrl: other.sandbox.baseUrl, apiKey: other.sandbox.apiKey };
		expect(await poller.poll()).toEqual([]);
		other.sandbox.requestOffer({ id: 'y' });
		await poller.poll();
		poller.parameters = { ...poller.parameters, options: {} };
		expect(await poller.start()).toEqual([]);
		other.sandbox.requestOffer({ id: 'z' });
		expect(keys(await poller.poll())).toEqual(['exchange.requested:z']);
		expect(await poller.poll()).toEqual([]);
	});

	it('is bounded: what is very long comes once only, and the latest count', async () => {
		const { sandbox, poller } = await begin({}, repeating);
		await poller.start();
		for (let index = 0; index < 8; index++) {
			sandbox.requestOffer({ id: `x${index}`, anchor: 'a'.repeat(100_000) });
		}
		expect(await poller.poll()).toHaveLength(8);
		expect(poller.savedBytes).toBeLessThan(1_000_000);
		expect(await poller.poll()).toHaveLength(4);
		sandbox.requestOffer({ id: 'y', anchor: 'a'.repeat(100_000) });
		sandbox.requestOffer({ id: 'z', anchor: 'a'.repeat(600_000) });
		expect(await poller.poll()).toHaveLength(6);
		expect(poller.savedBytes).toBeLessThan(1_000_000);
		expect(keys(await poller.poll())).toEqual(
			['x5', 'x6', 'x7', 'y'].map((id) => `exchange.requested:${id}`),
		);
	});
});

describe('transitions', () => {
	it('come once each, in order, with the keys that the webhook gives', async () => {
		let now = Date.parse('2026-07-01T12:00:00Z');
		const { sandbox, poller } = await begin({ clock: () => now });
		await poller.start();
		const seconds = () => Math.floor(now / 1000);
		sandbox.requestOffer({ id: 'x' });
		expect(keys(await poller.poll())).toEqual(['exchange.requested:x']);
		now += 10_000;
		sandbox.accept('x');
		expect(keys(await poller.poll())).toEqual([`exchange.accepted:x:${seconds()}`]);
		now += 10_000;
		sandbox.publish('x');
		const published = seconds();
		expect(keys(await poller.poll())).toEqual([`exchange.published:x:${published}`]);
		now += 10_000;
		sandbox.breakLink('x');
		const [broken, alert] = keys(await poller.poll());
		expect(broken).toBe(`exchange.broken:x:${published}`);
		expect(alert).toMatch(/^watchdog\.alert:x:[0-9a-f]{32}$/);
		now += 10_000;
		sandbox.publish('x');
		expect(keys(await poller.poll())).toEqual([`exchange.published:x:${seconds()}`]);
		expect(await poller.poll()).toEqual([]);
	});

	it('that happened between two looks all come, the earliest first', async () => {
		let now = Date.parse('2026-07-01T12:00:00Z');
		const { sandbox, poller } = await begin({ clock: () => (now += 2000) });
		await poller.start();
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

	it('a link that broke and was published again unseen is published anew', async () => {
		let now = Date.parse('2026-07-01T12:00:00Z');
		const { sandbox, poller } = await begin({ clock: () => (now += 2000) });
		sandbox.requestOffer({ id: 'x' });
		sandbox.accept('x');
		sandbox.publish('x');
		await poller.start();
		sandbox.breakLink('x');
		sandbox.publish('x');
		expect(names(await poller.poll())).toEqual(['exchange.published', 'watchdog.alert']);
	});

	it('only alerts of the severities asked for, and only events of the sites asked for, come', async () => {
		const options = { severity: 'critical', sites: 'https://mine.example' };
		const { sandbox, poller } = await begin({}, { options });
		await poller.start();
		const fromSite = 'https://mine.example/';
		sandbox.requestOffer({ id: 'mine', fromSite });
		sandbox.requestOffer({ id: 'other' });
		for (const exchangeId of ['mine', 'other', 'unknown']) {
			sandbox.alert({ exchangeId, severity: 'Critical' });
			sandbox.alert({ exchangeId, severity: 'low' });
		}
		const items = await poller.poll();
		expect(names(items)).toEqual(['exchange.requested', 'watchdog.alert', 'watchdog.alert']);
		const ids = items.map(({ data }) => (data as IDataObject).exchange_id).slice(1);
		expect(ids.sort()).toEqual(['mine', 'unknown']);
		expect(await poller.poll()).toEqual([]);
	});

	it('the sites of an alert are those of its exchange, also where only alerts start the workflow', async () => {
		const parameters = { events: ['watchdog.alert'], options: { sites: 'mine.example' } };
		const { sandbox, poller } = await begin({ dialect: { siteReference: 'object' } }, parameters);
		sandbox.requestOffer({ id: 'mine', fromSite: 'https://mine.example/' });
		sandbox.requestOffer({ id: 'other' });
		await poller.start();
		sandbox.alert({ exchangeId: 'mine' });
		sandbox.alert({ exchangeId: 'other' });
		const items = await poller.poll();
		expect(items.map(({ data }) => (data as IDataObject).exchange_id)).toEqual(['mine']);
	});

	it.each([
		[{ events: [] }, 'Trigger On'],
		[{ events: ['exchange.lost'] }, 'Trigger On'],
		[{ options: { emitExisting: 'perhaps' } }, 'Emit Existing'],
		[{ options: { repeatEvents: 'perhaps' } }, 'Repeat Events'],
		[{ options: { severity: null } }, 'Severity'],
		[{ options: { sites: [] } }, 'Sites'],
	])(
		'with %j nothing is activated, and the message names the setting',
		async (parameters, name) => {
			const { poller } = await begin({}, parameters);
			await expect(poller.start()).rejects.toThrow(`"${name}"`);
		},
	);

	it('only those selected come; the others are not kept for later', async () => {
		const { sandbox, poller } = await begin({}, { events: ['exchange.published'] });
		await poller.start();
		sandbox.requestOffer({ id: 'x' });
		sandbox.alert();
		expect(await poller.poll()).toEqual([]);
		sandbox.accept('x');
		sandbox.publish('x');
		expect(names(await poller.poll())).toEqual(['exchange.published']);
	});

	it('two alerts that read the same are two', async () => {
		const { sandbox, poller } = await begin();
		await poller.start();
		const fields = { exchangeId: 'x', severity: 'high', type: 'gone', detail: 'link missing' };
		sandbox.alert(fields);
		sandbox.alert(fields);
		expect(await poller.poll()).toHaveLength(2);
		sandbox.alert(fields);
		expect(await poller.poll()).toHaveLength(1);
		expect(await poller.poll()).toEqual([]);
	});
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

	it('shows the later one of two that happened in the same second', async () => {
		const now = Date.parse('2026-07-01T12:00:00Z');
		const { sandbox, poller } = await begin({ clock: () => now });
		for (const id of ['first', 'second']) {
			sandbox.requestOffer({ id });
			sandbox.accept(id);
		}
		expect(keys(await poller.test())).toEqual([`exchange.accepted:second:${now / 1000}`]);
	});

	it('shows an accept that is newer than the last alert, and asks for no list that is not watched', async () => {
		let now = Date.parse('2026-07-01T12:00:00Z');
		const { sandbox, poller } = await begin({ clock: () => (now += 2000) });
		sandbox.alert({ exchangeId: 'x' });
		sandbox.requestOffer({ id: 'new' });
		sandbox.accept('new');
		expect(names(await poller.test())).toEqual(['exchange.accepted']);
		poller.parameters = { ...poller.parameters, events: ['watchdog.alert'] };
		expect(names(await poller.test())).toEqual(['watchdog.alert']);
		const paths = sandbox.books.requests().map(({ path }) => path);
		expect(paths).toEqual(['/api/exchanges', '/api/watchdog/events', '/api/watchdog/events']);
	});

	it('says so when there is nothing', async () => {
		const { poller } = await begin();
		await expect(poller.test()).rejects.toThrow('There is no event to show yet');
	});
});
