/** The polling trigger tells the offers of partners from those of the user. */
import type { IDataObject } from 'n8n-workflow';
import { describe, expect, test } from 'vitest';

import { useVirtualTime } from '../virtualTime.mts';
import {
	type Account,
	getEventKeys,
	minute,
	onlyOffers,
	setUpWithAccount,
	setUpWithResponse,
} from './setup.mts';

const clock = useVirtualTime();
const hour = 60;

const mine = 'https://mine.example';
const partner = 'https://partner.example';
const sites = [{ id: 'site_mine', url: mine }];

const incoming = (id: string, fields: IDataObject = {}): IDataObject => ({
	id,
	from_site: partner,
	to_site: mine,
	status: 'pending',
	...fields,
});
const outgoing = (id: string, fields: IDataObject = {}) =>
	incoming(id, { from_site: mine, to_site: partner, ...fields });

/** An account with these sites, after the first poll, which found no exchanges. */
async function setUpAndPollAccount(parameters = {}, account: Partial<Account> = {}) {
	const service = await setUpWithAccount({ sites, exchanges: [], ...account }, parameters);
	await service.poller.start();
	await clock.wait(minute);
	return service;
}

describe('New Offer', () => {
	test('starts for offers of partners, not for offers to partners', async () => {
		const { account, poller } = await setUpAndPollAccount();
		account.exchanges = [outgoing('out'), incoming('in')];
		expect(getEventKeys(await poller.poll())).toEqual(['exchange.requested:in']);
	});

	test('starts for an exchange between two of your sites', async () => {
		const { account, poller } = await setUpAndPollAccount();
		account.exchanges = [incoming('own', { from_site: 'https://blog.mine.example' })];
		expect(getEventKeys(await poller.poll())).toEqual(['exchange.requested:own']);
	});

	test.each([
		['has no sites', []],
		['names its sites in a form that the exchanges lack', [{ id: 'site_mine' }]],
	])('starts for every offer if the account %s', async (_, known) => {
		const { account, poller } = await setUpAndPollAccount({}, { sites: known });
		account.exchanges = [outgoing('a'), incoming('b')];
		expect(getEventKeys(await poller.poll())).toHaveLength(2);
	});

	test('leaves offers to partners out of test events', async () => {
		const exchanges = [incoming('in'), outgoing('out', { created_at: '2026-07-01T12:00:00Z' })];
		const { account, poller } = await setUpWithAccount({ sites, exchanges }, onlyOffers);
		expect(getEventKeys(await poller.test())).toEqual(['exchange.requested:in']);
		account.exchanges = [outgoing('out')];
		const [item] = await poller.test();
		expect(item?.message).toMatch(/^No matching event yet/);
	});
});

test('the Sites filter reads one of your sites as that site alone', async () => {
	const sites = ['', '/de'].map((path) => ({ url: `${mine}${path}` }));
	const parameters = { ...onlyOffers, filters: { sites: mine } };
	const { account, poller } = await setUpAndPollAccount(parameters, { sites });
	account.exchanges = ['/de/page', '/about', ''].map((path) =>
		incoming(`in${path}`, { to_site: `${mine}${path}` }),
	);
	const keys = getEventKeys(await poller.poll());
	expect(keys).toEqual(['exchange.requested:in/about', 'exchange.requested:in']);
});

test('the other events start for both directions', async () => {
	const { account, poller } = await setUpAndPollAccount();
	const times = { accepted_at: '2026-07-01T12:00:00Z', published_at: '2026-07-02T12:00:00Z' };
	account.exchanges = [
		outgoing('out', { status: 'broken', ...times }),
		incoming('in', { status: 'broken', ...times }),
	];
	const keys = getEventKeys(await poller.poll()).map((key) => key.split(':', 2).join(':'));
	const others = ['exchange.accepted', 'exchange.published', 'exchange.broken'];
	expect(keys.sort()).toEqual(
		['exchange.requested:in', ...others.flatMap((event) => [`${event}:in`, `${event}:out`])].sort(),
	);
});

describe('a message', () => {
	const times = { accepted_at: '2026-07-01T12:00:00Z', published_at: '2026-07-02T12:00:00Z' };
	const getMessages = async (exchange: IDataObject, parameters = {}) => {
		const { account, poller } = await setUpAndPollAccount(parameters);
		account.exchanges = [{ ...exchange, ...times }];
		account.alerts = [{ exchange_id: exchange.id, type: 'link_removed' }];
		return (await poller.poll()).map(({ message }) => message);
	};
	const parameters = { events: ['exchange.accepted', 'exchange.broken', 'watchdog.alert'] };
	const broken = { status: 'broken', live_url: 'https://partner.example/tea' };

	test('describes what a partner did', async () => {
		expect(await getMessages(outgoing('x', { status: 'broken' }), parameters)).toEqual([
			'Offer accepted: partner.example accepted your offer from mine.example on 1 Jul 2026, 12:00 UTC.',
			'Link broken: the link from mine.example to partner.example is no longer live. Check your own page first, because the link may be there. Otherwise, ask partner.example to restore it.',
			'New alert (link removed): the link from mine.example to partner.example is gone. Check your own page first, because the link may be there. Otherwise, ask partner.example to restore it.',
		]);
	});

	test('describes what became of an offer of a partner', async () => {
		expect(await getMessages(incoming('x', broken), parameters)).toEqual([
			"Offer accepted: the offer from partner.example was accepted on 1 Jul 2026, 12:00 UTC. It's for mine.example on the page https://partner.example/tea.",
			'Link broken: the link from https://partner.example/tea to mine.example is no longer live. Ask partner.example to restore it.',
			'New alert (link removed): the link from https://partner.example/tea to mine.example is gone. Ask partner.example to restore it.',
		]);
	});

	test('stays neutral if neither end is one of your sites', async () => {
		const unknown = { from_site: 'https://a.example', to_site: 'https://b.example' };
		expect(await getMessages(incoming('x', { ...broken, ...unknown }), parameters)).toEqual([
			'Offer accepted: the offer a.example → b.example on the page https://partner.example/tea was accepted on 1 Jul 2026, 12:00 UTC.',
			"Link broken: the link from https://partner.example/tea to b.example is no longer live. Check whether it's still on the page.",
			'New alert (link removed): the link from https://partner.example/tea to b.example is gone.',
		]);
	});
});

describe('a site that is added later', () => {
	test('turns no exchange into a new offer that was known before', async () => {
		const exchanges = [outgoing('to-partner'), incoming('from-partner')];
		const { account, poller } = await setUpAndPollAccount({}, { sites: [] });
		account.exchanges = exchanges;
		expect(getEventKeys(await poller.poll())).toHaveLength(2);
		for (const known of [sites, [...sites, { id: 'site_2', url: partner }]]) {
			account.sites = known;
			await clock.wait((hour + 1) * minute);
			expect(await poller.poll()).toEqual([]);
		}
		account.exchanges = [...exchanges, outgoing('both')];
		await clock.wait(minute);
		expect(getEventKeys(await poller.poll())).toEqual(['exchange.requested:both']);
	});

	test('is found for its first offer, with one request', async () => {
		const { account, poller } = await setUpAndPollAccount();
		account.sites = [...sites, { id: 'site_new', url: 'https://new.example/blog' }];
		account.exchanges = [outgoing('out', { from_site: 'https://new.example/blog/' })];
		expect(await poller.poll()).toEqual([]);
		expect(account.sitesRequestedAt).toHaveLength(2);
	});

	test('is looked for by all triggers that poll at the same time', async () => {
		const { account, poller } = await setUpAndPollAccount();
		const { poller: other } = await setUpWithAccount({ sites, exchanges: [] });
		other.credential = poller.credential;
		await other.start();
		await clock.wait(minute);
		account.sites = [...sites, { id: 'site_new', url: 'https://new.example' }];
		account.exchanges = [outgoing('out', { from_site: 'https://new.example' })];
		expect(await Promise.all([poller.poll(), other.poll()])).toEqual([[], []]);
		expect(account.sitesRequestedAt).toHaveLength(2);
	});
});

describe('the sites', () => {
	test('are requested once an hour, and once in ten minutes while an exchange has two unknown ends', async () => {
		const { account, poller } = await setUpAndPollAccount();
		const firstTime = account.sitesRequestedAt[0] ?? NaN;
		const unknown = { from_site: 'https://a.example', to_site: 'https://b.example' };
		for (let passed = 1; passed <= 3 * hour; passed++) {
			if (passed === 90) account.exchanges.push(incoming('x', unknown));
			if (passed === 120) account.exchanges.pop();
			await poller.poll();
			await clock.wait(minute);
		}
		const requestedAt = account.sitesRequestedAt.map((time) =>
			Math.round((time - firstTime) / minute),
		);
		expect(requestedAt).toEqual([0, 61, 90, 100, 110, 171]);
	});

	test('are requested once by a trigger without events of exchanges', async () => {
		const parameters = { events: ['watchdog.alert'] };
		const { account, poller } = await setUpAndPollAccount(parameters);
		await poller.poll();
		expect(account.sitesRequestedAt).toHaveLength(1);
	});

	test('that were listed last are used if they cannot be listed', async () => {
		const { account, poller } = await setUpAndPollAccount();
		account.failsToListSites = true;
		await clock.wait(2 * hour * minute);
		account.exchanges = [outgoing('out'), incoming('in')];
		expect(getEventKeys(await poller.poll())).toEqual(['exchange.requested:in']);
		expect(account.sitesRequestedAt).toHaveLength(2);
	});

	test('fail the first poll if they cannot be listed; it stores nothing', async () => {
		const { account, poller } = await setUpWithAccount({ sites, exchanges: [incoming('old')] });
		account.failsToListSites = true;
		expect(await poller.start('init')).toEqual([]);
		await expect(poller.poll()).rejects.toThrow('list the sites');
		account.failsToListSites = false;
		account.exchanges = ['old', 'older'].map((id) => incoming(id));
		await clock.wait(minute);
		expect(await poller.poll()).toEqual([]);
	});

	test('fail polls after a restart until they can be listed; no event is lost', async () => {
		const { account, poller } = await setUpAndPollAccount();
		poller.kill();
		account.failsToListSites = true;
		account.exchanges = [incoming('in'), outgoing('out')];
		expect(await poller.start('init')).toEqual([]);
		await expect(poller.poll()).rejects.toThrow('list the sites');
		account.failsToListSites = false;
		await clock.wait(minute);
		expect(getEventKeys(await poller.poll())).toEqual(['exchange.requested:in']);
	});

	test('do not hold back an alert', async () => {
		const { account, poller } = await setUpAndPollAccount({ events: ['watchdog.alert'] });
		account.failsToListSites = true;
		account.exchanges = [incoming('x')];
		account.alerts = [{ exchange_id: 'x', type: 'link_removed' }];
		expect(await poller.poll()).toMatchObject([{ exchangeId: 'x', type: 'link_removed' }]);
	});
});

test('a poller of an account whose records name no sites goes on as before', async () => {
	const exchanges = [{ id: 'a', status: 'pending' }];
	const poller = await setUpWithResponse(() => exchanges, onlyOffers);
	await poller.start();
	exchanges.push({ id: 'b', status: 'pending' });
	await clock.wait(minute);
	expect(getEventKeys(await poller.poll())).toEqual(['exchange.requested:b']);
});
