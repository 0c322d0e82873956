/** Filters of lists, and how exchanges are matched. */
import type { INodeParameters } from 'n8n-workflow';
import { describe, expect, test } from 'vitest';

import type { NodeRun } from '../engine.mts';
import { jsonOf } from '../service.mts';
import { json, startStubServer } from '../stubServer.mts';
import { useVirtualTime } from '../virtualTime.mts';

useVirtualTime();

const exchanges = [
	{
		id: 'exc_1',
		from_site: 'https://partner.example/',
		to_site: 'https://www.blog.example',
		anchor: 'Garden Chairs',
		status: 'accepted',
		accepted_at: '2026-07-01T12:00:00Z',
	},
	{
		id: 'exc_2',
		status: 'live',
		from_site: { id: 'site_9', url: 'https://blog.example/' },
		to_site: { id: 'site_7', url: 'https://shop.example' },
		anchor: null,
		accepted_at: '2026-06-01T12:00:00Z',
		published_at: 1_783_000_000,
	},
	{ id: 'exc_3', from_site: 'site_7', to_site: 'site_8', anchor: 'garden', accepted_at: null },
	{ id: 'exc_4' },
];

const find = async (filters: INodeParameters, parameters?: INodeParameters): Promise<NodeRun> => {
	const { run } = await startStubServer(json({ exchanges, sites: [] }));
	return await run('exchange', 'getAll', { parameters: { ...parameters, filters } });
};

const row = (value: string) => ({ __rl: true, mode: 'list', value });

const ids = (run: NodeRun) => jsonOf(run).map(({ id }) => id);
const notes = (run: NodeRun) => run.hints.map(({ message }) => message).join();

describe('exchanges', () => {
	test.each<[string, INodeParameters, string[], leftOut: number]>([
		['no filter', {}, ['exc_1', 'exc_2', 'exc_3', 'exc_4'], 0],
		['a site as host', { site: 'blog.example' }, ['exc_1', 'exc_2'], 1],
		['a site as URL', { site: ' HTTPS://www.Blog.example/ ' }, ['exc_1', 'exc_2'], 1],
		['a site as ID', { site: 'site_7' }, ['exc_2', 'exc_3'], 1],
		['anchor text', { anchor: 'GARDEN' }, ['exc_1', 'exc_3'], 2],
		['a time', { changedSince: '2026-06-15T00:00:00Z' }, ['exc_1', 'exc_2'], 2],
		['the exact time', { changedSince: '2026-07-01T14:00:00+02:00' }, ['exc_1', 'exc_2'], 2],
		// n8n's default time zone: America/New_York, four hours behind UTC in July.
		['a time without a zone', { changedSince: '2026-07-01T08:00:00' }, ['exc_1', 'exc_2'], 2],
		[
			'a DateTime',
			{ changedSince: '={{ DateTime.fromISO("2026-07-01T12:00:01Z") }}' },
			['exc_2'],
			2,
		],
		['several', { site: 'blog.example', anchor: 'chairs' }, ['exc_1'], 2],
		['a time before', { changedBefore: '2026-07-01T12:00:01Z' }, ['exc_1'], 2],
	])('%s', async (_, filters, expected, leftOut) => {
		const run = await find(filters);
		expect(run.error?.message).toBeUndefined();
		expect(ids(run)).toEqual(expected);
		expect(notes(run)).toMatch(
			leftOut === 0 ? /^$/ : new RegExp(`^${leftOut} entr(y was|ies were) left out`),
		);
	});

	test.each([
		['café culture', 'Best Cafe\u0301 Culture'],
		['cafe\u0301 culture', 'CAFÉ CULTURE'],
		['istanbul', 'İstanbul gezi'],
		['strasse', 'Straße'],
		['green tea', 'Green\u00a0Tea'],
	])('finds by %j the anchor text %j', async (text, anchor) => {
		const listed = [
			{ id: 'exc_1', anchor },
			{ id: 'exc_2', anchor: 'other' },
		];
		const { run } = await startStubServer(json({ exchanges: listed, sites: [] }));
		const found = await run('exchange', 'getAll', {
			parameters: { filters: { status: 'all', anchor: text } },
		});
		expect(ids(found)).toEqual(['exc_1']);
	});

	test.each(['', ' ', null, { __rl: true, mode: 'list', value: '' }])(
		'ignores an empty filter of %j, and rejects an expression without a value',
		async (empty) => {
			const all = ['exc_1', 'exc_2', 'exc_3', 'exc_4'];
			for (const name of ['anchor', 'changedSince', 'site']) {
				expect(ids(await find({ [name]: empty })), name).toEqual(all);
				const value = '={{ $json.missing }}';
				const locator = { __rl: true, mode: 'id', value };
				const { error } = await find({ [name]: name === 'site' ? locator : value });
				expect(error?.message).toMatch(/^'(Anchor Text|Changed Since|Site)' is empty \[item 0\]$/);
			}
		},
	);

	test('an exchange without a status has the one that the list was filtered by', async () => {
		const listed = [{ id: 'exc_1', accepted_at: '2026-07-01T12:00:00Z' }];
		const { run } = await startStubServer(json({ exchanges: listed, sites: [] }));
		const filters = { status: 'accepted', changedSince: '2026-06-15T00:00:00Z' };
		const [item] = jsonOf(await run('exchange', 'getAll', { parameters: { filters } }));
		expect(item).toMatchObject({ exchangeId: 'exc_1', status: 'accepted' });
		expect(item?.message).toMatch(/^Accepted, not published yet: /);
	});

	test('the limit counts only matching entries', async () => {
		const run = await find({ site: 'blog.example' }, { limit: 1 });
		expect(ids(run)).toEqual(['exc_1']);
	});

	test.each(['yesterday', '2026-02-30T00:00:00Z', 5])(
		'rejects %j as a time before any request',
		async (since) => {
			const { run, requests } = await startStubServer(json({ exchanges }));
			const { error } = await run('exchange', 'getAll', {
				parameters: { filters: { changedSince: since } },
			});
			expect(error?.message).toMatch(/^'Changed Since' must be a date and time/);
			expect(requests).toEqual([]);
		},
	);
});

describe('exchanges of an account with sites', () => {
	const sites = [
		{ id: 'site_1', url: 'https://shop.example' },
		{ id: 'site_2', url: 'https://shop.example/de' },
		{ id: 'site_3', url: 'https://Blog.example' },
	];
	const between = (from_site: unknown, to_site: unknown) => ({
		id: `${JSON.stringify(from_site)} ${JSON.stringify(to_site)}`.replaceAll('"', ''),
		from_site,
		to_site,
	});
	const partner = 'https://partner.example/@friend/tea';
	const incoming = [
		between(partner, 'https://www.shop.example/'),
		between('https://partner.example/@Friend', 'https://shop.example/de/tea'),
		between('https://stranger.example', 'site_2'),
		between('https://shop.example/fr', 'blog.example'),
		between(undefined, undefined),
	];
	const outgoing = [between('site_3', partner), between('https://tea.blog.example', 'x.example')];
	const findIds = async (filters: INodeParameters, parameters: INodeParameters = {}) => {
		const exchanges = [...outgoing, ...incoming];
		const { run } = await startStubServer(json({ exchanges, sites }));
		return ids(await run('exchange', 'getAll', { parameters: { ...parameters, filters } }));
	};
	const getIds = (exchanges: Array<{ id: string }>) => exchanges.map(({ id }) => id);

	test.each([
		['incoming', incoming],
		['outgoing', outgoing],
	])('are filtered by the direction %s', async (direction, expected) => {
		expect(await findIds({ direction })).toEqual(getIds(expected));
		expect(await findIds({ direction }, { limit: 1 })).toEqual(getIds(expected.slice(0, 1)));
	});

	const [fromFriend, toPage, toId, toBlog] = incoming.map(({ id }) => id);
	const [byId, bySubdomain] = getIds(outgoing);
	test.each<[string, unknown, unknown[]]>([
		[
			'a chosen site, but not another one below it',
			row('https://shop.example'),
			[fromFriend, toBlog],
		],
		['a chosen site with a path', row('https://shop.example/de'), [toPage, toId]],
		['the ID of a site', 'site_2', [toPage, toId]],
		['a site with its subdomains', 'https://blog.example/', [byId, bySubdomain, toBlog]],
		['a partner with its pages', 'https://partner.example/@friend', [byId, fromFriend]],
		['a partner in another letter case', 'https://partner.example/@FRIEND', []],
		['a host with all its pages', 'PARTNER.example', [byId, fromFriend, toPage]],
	])('are filtered by %s', async (_, site, expected) => {
		expect(await findIds({ site: site as string })).toEqual(expected);
	});

	test('have the direction, your site, the partner and the page in front of their own fields', async () => {
		const live_url = 'https://partner.example/tea';
		const times = { status: 'accepted', accepted_at: '2026-07-03T12:00:00Z' };
		const ends = { from_site: 'site_3', to_site: partner };
		const exchange = { id: 7, ...ends, live_url, direction: 'own', ...times };
		const { run } = await startStubServer(json({ exchanges: [exchange], sites }));
		const item = {
			message: `Accepted, not published yet: “site_3” → partner.example/@friend/tea on the page ${live_url}. Accepted on 3 Jul 2026, 12:00 UTC, 4 days ago.`,
			title: 'Accepted, not published yet: “site_3” → partner.example/@friend/tea',
			exchangeId: '7',
			direction: 'outgoing',
			partner,
			site: 'site_3',
			link: live_url,
			id: 7,
			from_site: 'site_3',
			to_site: partner,
			live_url,
			...times,
		};
		for (const operation of ['getAll', 'get']) {
			const parameters = operation === 'get' ? { exchangeId: '7' } : {};
			const timezone = 'UTC';
			const [found] = jsonOf(await run('exchange', operation, { parameters, timezone }));
			expect(found).toEqual(item);
			expect(Object.keys(found ?? {})).toEqual(Object.keys(item));
		}
	});
});

test('filters sites by their verification', async () => {
	const { run } = await startStubServer(
		json([{ id: 1, verified: true }, { id: 2 }, { id: 3, verified: false }]),
	);
	const getSites = async (filters = {}) => await run('site', 'getAll', { parameters: { filters } });
	expect(ids(await getSites())).toEqual([1, 2, 3]);
	const { error } = await getSites({ verified: '={{ "some" }}' });
	expect(error?.description).toContain('remove the option to use "all"');
	expect(ids(await getSites({ verified: 'verified' }))).toEqual([1]);
	const unverified = await getSites({ verified: 'unverified' });
	expect(ids(unverified)).toEqual([3]);
	expect(notes(unverified)).toMatch(/^1 entry was left out/);
});

describe('alerts', () => {
	const events = [
		{
			id: 1,
			exchange_id: 'exc_1',
			severity: ' Critical ',
			type: 'link_removed',
			created_at: '2026-07-01T12:00:00Z',
		},
		{
			id: 2,
			exchange_id: 'exc_2',
			severity: 'warning',
			type: 'link_nofollow',
			detected_at: '2026-07-02T16:00:00Z',
			occurred_at: '2026-07-04T16:00:00Z',
		},
		{ id: 3, exchange_id: 'exc_1', type: 'link_nofollow' },
		{
			id: 4,
			exchange_id: 'EXC_4',
			severity: 'info',
			type: { name: 'moved' },
			created_at: 1_751_000_000,
		},
	];

	test.each<[string, INodeParameters, number[], unknown: number]>([
		['nothing', { severity: '', type: '', exchangeId: '', since: '' }, [1, 2, 3, 4], 0],
		['a list entry', { severity: row('Critical'), exchangeId: row('exc_1') }, [1], 1],
		['severity', { severity: 'critical' }, [1], 1],
		['type', { type: 'LINK_NOFOLLOW' }, [2, 3], 0],
		['exchange', { exchangeId: 'exc_1' }, [1, 3], 0],
		['exchange, case-sensitive', { exchangeId: 'EXC_1' }, [], 0],
		['exchange in upper case', { exchangeId: 'EXC_4' }, [4], 0],
		['time', { since: '2026-07-01T12:00:00Z' }, [1, 2], 1],
		['a later time', { since: '2026-07-02T15:00:00Z' }, [2], 1],
		['time, later than the time that the item shows', { since: '2026-07-03T00:00:00Z' }, [], 1],
		['all', { exchangeId: 'exc_1', severity: 'critical', type: 'link_removed' }, [1], 0],
	])(
		'by %s; entries without the field are left out, with a hint',
		async (_, filters, expected, unknown) => {
			const { run } = await startStubServer(json({ events }));
			const found = await run('watchdogEvent', 'getAll', { parameters: { filters } });
			expect(found.error?.message).toBeUndefined();
			expect(ids(found)).toEqual(expected);
			expect(found.hints.length).toBe(unknown);
		},
	);
});

test('a site that is neither a URL nor an ID is an error, because no exchange could match it', async () => {
	const { run, requests } = await startStubServer(json([]));
	const parameters = { filters: { site: { __rl: true, mode: 'url', value: 'blog' } } };
	const { error } = await run('exchange', 'getAll', { parameters });
	expect(error?.message).toContain("'Site' must be a list of sites");
	expect(requests).toEqual([]);
});
