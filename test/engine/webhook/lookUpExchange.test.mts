/** Look Up Exchange: the item of a delivery is as complete as that of the polling trigger. */
import { setTimeout } from 'node:timers/promises';

import type { IDataObject, INodeParameters } from 'n8n-workflow';
import { expect, test } from 'vitest';

import { Poller } from '../polling/poller.mts';
import { json, startStubServer } from '../stubServer.mts';
import { useVirtualTime } from '../virtualTime.mts';
import { deliver, runs, setUp } from './setup.mts';

useVirtualTime();

const sites = [
	{ id: 'site_1', url: 'https://tea.example' },
	{ id: 'site_2', url: 'https://garden.example' },
];
const exchange = {
	id: 'exc_1',
	status: 'live',
	from_site: 'https://partner.example',
	to_site: 'https://www.tea.example/',
	anchor: 'green tea',
	live_url: 'https://partner.example/tea',
	accepted_at: '2026-07-01T12:00:00Z',
};
const outgoing = { ...exchange, id: 'exc_2', from_site: 'site_2', to_site: 'partner.example' };
const accepted = { id: 'exc_1', accepted_at: '2026-07-01T12:00:00Z' };
const ignored = "Ignored because the workflow doesn't use this event";

/** A webhook trigger of an account, which a test changes. */
async function setUpWithAccount(parameters: INodeParameters = {}) {
	const account = {
		exchanges: [exchange, outgoing] as IDataObject[],
		isDown: false,
		delayMs: 0,
		requests: [] as string[],
	};
	const { baseUrl, apiKey } = await startStubServer((request, response) => {
		const { url = '' } = request;
		account.requests.push(url.replace('/api', ''));
		const list = url.endsWith('/sites') ? { sites } : account.exchanges;
		void setTimeout(account.delayMs).then(() => {
			if (account.isDown) response.writeHead(503).end('{}');
			else json(list)(request, response);
		});
	});
	const credential = { baseUrl, apiKey };
	return { account, credential, server: await setUp(parameters, credential) };
}

const send = async (server: Awaited<ReturnType<typeof setUp>>, payload: object) =>
	await deliver(server, JSON.stringify(payload));

test('makes an item as complete as that of the polling trigger', async () => {
	const { server } = await setUpWithAccount();
	await send(server, accepted);
	expect(server.executions[0]?.[0]).toMatchObject({
		message:
			"Offer accepted: the offer from partner.example was accepted on 1 Jul 2026, 12:00 UTC. It's for www.tea.example with the anchor “green tea” on the page https://partner.example/tea.",
		direction: 'incoming',
		partner: 'https://partner.example',
		site: 'https://www.tea.example/',
		anchor: 'green tea',
		link: 'https://partner.example/tea',
		eventKey: 'exchange.accepted:exc_1:1782907200',
	});
});

test('adds the exchange of an alert', async () => {
	const { server } = await setUpWithAccount();
	await send(server, { exchange_id: 'exc_1', severity: 'critical', type: 'link_removed' });
	expect(server.executions[0]?.[0]).toMatchObject({
		message:
			'New alert (critical, link removed): the link from https://partner.example/tea to www.tea.example with the anchor “green tea” is gone. Ask partner.example to restore it.',
		title: 'New alert (critical, link removed): partner.example → www.tea.example',
		exchangeId: 'exc_1',
		direction: 'incoming',
		site: 'https://www.tea.example/',
	});
	await send(server, { exchange_id: 'exc_2', type: 'link_removed' });
	expect(server.executions[1]?.[0]).toMatchObject({
		exchangeId: 'exc_2',
		direction: 'outgoing',
		partner: 'partner.example',
		site: 'site_2',
	});
});

test('prefers what was delivered to an outdated list', async () => {
	const { server } = await setUpWithAccount();
	const published = { id: 'exc_1', live_url: 'https://a.example/x', published_at: 1_782_907_200 };
	await send(server, published);
	expect(server.executions[0]?.[0]).toMatchObject({
		link: 'https://a.example/x',
		partner: 'https://partner.example',
		occurredAt: '2026-07-01T12:00:00.000Z',
	});
});

const at = (second: number) => ({ ...accepted, accepted_at: 1_782_907_200 + second });

test('shares the list for ten seconds', async () => {
	const { account, server } = await setUpWithAccount();
	await Promise.all([1, 2, 3, 4, 5].map(async (second) => await send(server, at(second))));
	expect(account.requests.sort()).toEqual(['/exchanges', '/sites']);
	await setTimeout(11_000);
	await send(server, at(6));
	expect(account.requests.filter((url) => url === '/exchanges')).toHaveLength(2);
});

test('fetches the list once more for an exchange that it lacks', async () => {
	const { account, server } = await setUpWithAccount();
	await send(server, accepted);
	account.exchanges.push({ ...exchange, id: 'exc_3' });
	await setTimeout(1000);
	await send(server, { ...accepted, id: 'exc_3' });
	expect(server.executions[1]?.[0]).toMatchObject({ exchangeId: 'exc_3', anchor: 'green tea' });
	expect(account.requests.filter((url) => url === '/exchanges')).toHaveLength(2);
});

test.each([
	['that are listed', (number: number) => ({ ...at(number) })],
	['that are new', (number: number) => ({ ...exchange, id: `new_${number}` })],
	['that are not listed', (number: number) => ({ ...accepted, id: `other_${number}` })],
])(
	'fetches at most 3 lists for 100 deliveries in ten seconds, of exchanges %s',
	async (_, create) => {
		const { account, server } = await setUpWithAccount();
		for (let number = 0; number < 100; number++) {
			await send(server, { event: 'exchange.requested', data: create(number) });
			await setTimeout(95);
		}
		expect(runs(server)).toBe(100);
		expect(account.requests.filter((url) => url.startsWith('/exchanges')).length).toBeLessThan(4);
	},
);

test('leaves the item as it was delivered if the exchange is not listed', async () => {
	const { account, server } = await setUpWithAccount();
	account.exchanges = [];
	expect(await send(server, accepted)).toMatchObject({ status: 200, message: 'Received' });
	expect(server.executions[0]?.[0]).toMatchObject({
		message:
			'Offer accepted: the offer with the ID “exc_1” was accepted on 1 Jul 2026, 12:00 UTC. To see more, look up the exchange in your dashboard.',
	});
	for (const field of ['direction', 'partner', 'site']) {
		expect(server.executions[0]?.[0]).not.toHaveProperty(field);
	}
});

test('is given up after three seconds, or if the service is away, without retries', async () => {
	for (const change of [{ isDown: true }, { delayMs: 10_000 }]) {
		const { account, server } = await setUpWithAccount();
		Object.assign(account, change);
		const startTime = performance.now();
		expect(await send(server, accepted)).toMatchObject({ status: 200, message: 'Received' });
		expect(performance.now() - startTime).toBeLessThan(3500);
		expect(server.executions[0]?.[0]).not.toHaveProperty('partner');
		expect(server.logged).toEqual([expect.stringContaining("couldn't look up an exchange")]);
		expect(account.requests).toHaveLength(1);
	}
});

test("doesn't keep a poll from retrying", async () => {
	const { account, server, credential } = await setUpWithAccount();
	account.isDown = true;
	await send(server, accepted);
	const poller = new Poller(credential, { events: ['exchange.requested'] });
	const poll = poller.start();
	await setTimeout(200);
	account.isDown = false;
	expect(await poll).toEqual([]);
	expect(poller.warnings).toEqual([]);
});

test('can be turned off', async () => {
	const { account, server } = await setUpWithAccount({ options: { lookUpExchange: false } });
	await send(server, accepted);
	expect(account.requests).toEqual([]);
	expect(runs(server)).toBe(1);
});

test.each([
	['the exchange is not listed', { exchanges: [] }],
	['the lookup fails', { isDown: true }],
])('starts the workflow for an offer of the user as it was delivered if %s', async (_, change) => {
	const { account, server } = await setUpWithAccount();
	Object.assign(account, change);
	await send(server, { event: 'exchange.requested', data: outgoing });
	expect(server.executions[0]?.[0]).toMatchObject({
		exchangeId: 'exc_2',
		partner: 'site_2',
		site: 'partner.example',
	});
	expect(server.executions[0]?.[0]).not.toHaveProperty('direction');
});

test('ignores an offer of the user', async () => {
	const { server } = await setUpWithAccount();
	const payload = { event: 'exchange.requested', data: outgoing };
	expect(await send(server, payload)).toEqual({ status: 200, message: ignored });
	expect(runs(server)).toBe(0);
});
