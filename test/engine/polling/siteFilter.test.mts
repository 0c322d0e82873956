/** The Sites filter in polls. Which sites match: unit/polling/siteFilter.test.mts. */
import { expect, test } from 'vitest';

import { useVirtualTime } from '../virtualTime.mts';
import { Poller } from './poller.mts';
import { getEventKeys, minute, setUp, setUpWithAccount } from './setup.mts';

const clock = useVirtualTime();

const mine = 'https://mine.example';
const sites = [{ id: 'site_1', url: mine }];
const offer = { status: 'pending', from_site: 'https://partner.example', to_site: mine };
const parameters = {
	events: ['exchange.requested', 'watchdog.alert'],
	filters: { sites: [mine] },
};

test('leaves out events whose site is not known, and one log line has the key of each', async () => {
	const { account, poller } = await setUpWithAccount({ sites, exchanges: [] }, parameters);
	await poller.start();
	await clock.wait(minute);
	account.exchanges = [
		{ ...offer, id: 'mine' },
		{ ...offer, id: 'foreign', to_site: 'https://unknown.example' },
		{ ...offer, id: 'nothing', from_site: null, to_site: null },
	];
	account.alerts = [
		{ exchange_id: 'mine', type: 'link_removed' },
		{ exchange_id: 'unlisted', type: 'link_removed' },
	];
	const keys = getEventKeys(await poller.poll());
	expect(keys).toEqual([
		'exchange.requested:mine',
		expect.stringContaining('watchdog.alert:mine:'),
	]);
	expect(poller.warnings).toEqual(
		['exchange.requested:foreign', 'exchange.requested:nothing', 'watchdog.alert:unlisted:'].map(
			(key) => expect.stringContaining(key) as unknown,
		),
	);
});

test('leaves out events of your other sites without a log line', async () => {
	const all = [...sites, { id: 'site_2', url: 'https://other.example' }];
	const { account, poller } = await setUpWithAccount({ sites: all, exchanges: [] }, parameters);
	await poller.start();
	await clock.wait(minute);
	account.exchanges = [{ ...offer, id: 'x', to_site: 'site_2' }];
	expect(await poller.poll()).toEqual([]);
	expect(poller.warnings).toEqual([]);
});

test('keeps an alert for the next poll while the exchanges cannot be listed', async () => {
	const { sandbox, poller } = await setUp({}, { ...parameters, events: ['watchdog.alert'] });
	sandbox.addSite({ url: mine, niche: 'tea' });
	sandbox.requestOffer({ id: 'x', toSite: mine });
	await poller.start();
	sandbox.addFault({ kind: 'error-before-commit', path: '/api/exchanges', times: 100 });
	sandbox.alert({ exchangeId: 'x' });
	await clock.wait(minute);
	await expect(poller.poll()).rejects.toThrow();
	sandbox.clearFaults();
	await clock.wait(minute);
	expect(getEventKeys(await poller.poll())).toEqual([expect.stringContaining('watchdog.alert:x:')]);
});

test('passes each event to one of 30 triggers of an account, one for each site', async () => {
	const { sandbox } = await setUp();
	const { baseUrl, apiKey } = sandbox;
	const urls = Array.from({ length: 30 }, (_, number) => `https://client-${number}.example`);
	for (const url of urls) sandbox.addSite({ url, niche: 'tea' });
	const pollers = urls.map(
		(url) =>
			new Poller(
				{ baseUrl, apiKey },
				{
					events: [
						'exchange.requested',
						'exchange.accepted',
						'exchange.published',
						'watchdog.alert',
					],
					filters: { sites: [url] },
				},
			),
	);
	for (const poller of pollers) await poller.start();
	await clock.wait(minute);
	for (const [number, toSite] of urls.entries()) {
		const { id } = sandbox.requestOffer({ id: `exc_${number}`, toSite });
		sandbox.accept(id);
		sandbox.publish(id);
		sandbox.alert({ exchangeId: id });
	}
	await Promise.all(pollers.map(async (poller) => await poller.poll()));
	for (const [number, { executions, warnings }] of pollers.entries()) {
		expect(executions.flat().map(({ event, exchangeId }) => [event, exchangeId])).toEqual(
			['exchange.requested', 'exchange.accepted', 'exchange.published', 'watchdog.alert'].map(
				(event) => [event, `exc_${number}`],
			),
		);
		expect(warnings).toEqual([]);
	}
});
