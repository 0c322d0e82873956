/** Every variant of what the service's description does not show about lists and records. */
import { expect, it } from 'vitest';

import { singleVariants } from '../../../sandbox/dialects.mts';
import { useVirtualTime } from '../virtualTime.mts';
import { begin, beginWith, keys, names, started } from './begin.mts';

useVirtualTime();

const axes = ['listShape', 'watchdogKey', 'times', 'siteReference', 'rateLimitReset'] as const;
it.each(axes.flatMap((axis) => singleVariants(axis)))('$name', async ({ settings }) => {
	const { sandbox, poller } = await started({ dialect: settings });
	sandbox.requestOffer({ id: 'x' });
	sandbox.accept('x');
	sandbox.alert();
	const items = await poller.poll();
	expect(names(items)).toEqual(['exchange.requested', 'exchange.accepted', 'watchdog.alert']);
	expect(keys(items)[1]).toMatch(/^exchange\.accepted:x:\d{10}$/);
});

it('where the list without a status holds only what is pending, nothing is missed', async () => {
	const { sandbox, poller } = await begin({
		dialect: { exchangeList: 'pending-unless-filtered' },
	});
	for (const id of ['p', 'a', 'l']) sandbox.requestOffer({ id });
	sandbox.accept('l');
	await poller.start();
	sandbox.accept('a');
	sandbox.publish('l');
	expect(names(await poller.poll())).toEqual(['exchange.accepted', 'exchange.published']);
	sandbox.breakLink('l');
	sandbox.requestOffer({ id: 'x' });
	sandbox.accept('x');
	const later = ['exchange.requested', 'exchange.accepted', 'exchange.broken', 'watchdog.alert'];
	expect(names(await poller.poll())).toEqual(later);
});

it('of several entries of one exchange, the latest counts, whatever their order', async () => {
	const entries = ['2026-07-01', '2026-07-02'].map((day) => ({
		id: 'x',
		status: 'live',
		published_at: `${day}T12:00:00Z`,
	}));
	let list = entries;
	const poller = await beginWith(() => list, { events: ['exchange.published'] });
	await poller.start();
	for (const isReversed of [true, true, false, true, true, false]) {
		list = isReversed ? entries.toReversed() : entries;
		expect(await poller.poll()).toEqual([]);
	}
});

it('each break has a key of its own, also where a broken link has lost its time of publication', async () => {
	let record: object = { id: 'x', status: 'live', published_at: '2026-07-01T12:00:00Z' };
	const poller = await beginWith(() => [record], { events: ['exchange.broken'] });
	await poller.start();
	const found: string[] = [];
	for (const day of ['2026-07-02', '2026-07-03']) {
		record = { id: 'x', status: 'broken', published_at: null };
		found.push(...keys(await poller.poll()));
		record = { id: 'x', status: 'live', published_at: `${day}T12:00:00Z` };
		found.push(...keys(await poller.poll()));
	}
	expect(found).toEqual(['exchange.broken:x:1782907200', 'exchange.broken:x:1782993600']);
});

it('the lists per status are not read while the whole list shows all that is known', async () => {
	const { sandbox, poller } = await begin({}, { events: ['exchange.accepted'] });
	sandbox.requestOffer({ id: 'p' });
	await poller.start();
	const before = sandbox.books.requests().length;
	await poller.poll();
	sandbox.accept('p');
	expect(await poller.poll()).toHaveLength(1);
	expect(sandbox.books.requests().length - before).toBe(2);
});

it('the first exchange that is accepted is found where the lists per status lag behind a list of open offers', async () => {
	let [open, accepted] = [[{ id: 'x', status: 'pending' }], [] as unknown[]];
	const poller = await beginWith(
		({ url = '' }) => (url.includes('=accepted') ? accepted : url.includes('?') ? [] : open),
		{ events: ['exchange.accepted'] },
	);
	await poller.start();
	open = [];
	await poller.poll();
	accepted = [{ id: 'x', status: 'accepted' }];
	expect(names(await poller.poll())).toEqual(['exchange.accepted']);
});

it('what a list leaves out that shows open exchanges is there from the start, and no event', async () => {
	let open = ['pending', 'accepted'].map((status) => ({ id: status, status }));
	let live = [{ id: 'old', status: 'live' }];
	const poller = await beginWith(({ url = '' }) => {
		if (url.includes('?')) return url.includes('=live') ? live : [];
		return open;
	});
	await poller.start();
	open = open.slice(0, 1);
	live = [...live, { id: 'accepted', status: 'live' }];
	expect(names(await poller.poll())).toEqual(['exchange.published']);
});

it('an exchange that has left the list is looked for per status at two polls', async () => {
	let entries = [
		{ id: 'a', status: 'live' },
		{ id: 'b', status: 'live' },
	];
	const asked: string[] = [];
	const poller = await beginWith(({ url = '' }) => {
		asked.push(url);
		return url.includes('?') ? [] : entries;
	});
	await poller.start();
	asked.length = 0;
	entries = entries.slice(1);
	for (let polls = 0; polls < 4; polls++) expect(await poller.poll()).toEqual([]);
	expect(asked.filter((url) => url.includes('?')).length).toBe(6);
});

it.each(['has-more', 'next-url', 'next-cursor', 'next-page', 'link-other-origin'] as const)(
	'a list that is cut off (%s) is asked for per status, in lifecycle order',
	async (pagination) => {
		const { sandbox, poller } = await begin(
			{ dialect: { pagination, pageSize: 2 } },
			{ events: ['exchange.requested', 'exchange.accepted', 'exchange.published'] },
		);
		for (const id of ['p', 'a', 'l']) sandbox.requestOffer({ id });
		for (const id of ['a', 'l']) sandbox.accept(id);
		sandbox.publish('l');
		await poller.start();
		const asked = sandbox.books.requests().map(({ path }) => path);
		expect(asked).toEqual([
			'/api/exchanges',
			...['pending', 'accepted', 'live', 'broken'].map(
				(status) => `/api/exchanges?status=${status}`,
			),
		]);
		sandbox.publish('a');
		sandbox.accept('p');
		expect(names(await poller.poll()).sort()).toEqual(['exchange.accepted', 'exchange.published']);
	},
);
