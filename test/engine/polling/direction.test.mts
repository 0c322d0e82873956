/** The polling trigger tells the offers of partners from those of the user. */
import type { IDataObject } from 'n8n-workflow';
import { describe, expect, test } from 'vitest';

import { useVirtualTime } from '../virtualTime.mts';
import { type Account, getEventKeys, minute, onlyOffers, setUpWithAccount } from './setup.mts';

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
