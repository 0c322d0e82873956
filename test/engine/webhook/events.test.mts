/** Which events start the workflow: those selected under Trigger On that pass the filters. */
import { describe, expect, it } from 'vitest';

import { begin, deliver, runs } from './deliver.mts';

const accepted = { id: 'exc_1', accepted_at: '2026-07-01T12:00:00Z' };
const received = { status: 200, message: 'Received' };
const ignored = { status: 200, message: 'Ignored: the workflow does not use this event' };

describe('events', () => {
	it.each(['ignore', 'trigger'])(
		'that are not selected are ignored (%s)',
		async (unknownEvents) => {
			const server = await begin({ events: ['watchdog.alert'], options: { unknownEvents } });
			expect(await deliver(server, JSON.stringify(accepted))).toEqual(ignored);
			expect(runs(server)).toBe(0);
			expect(server.logged).toEqual([]);
		},
	);

	it('that are unknown are ignored, or start the workflow if it is asked to', async () => {
		const body = JSON.stringify({ event: 'credit.low', data: { balance: 3 } });
		const server = await begin();
		expect(await deliver(server, body)).toEqual(ignored);
		expect(runs(server)).toBe(0);
		server.parameters = { ...server.parameters, options: { unknownEvents: 'trigger' } };
		expect(await deliver(server, body)).toEqual(received);
		expect(server.executions).toMatchObject([[{ event: 'credit.low', data: { balance: 3 } }]]);
	});

	it.each(['GET', 'HEAD'])('%s is answered 200 and starts nothing', async (method) => {
		const server = await begin();
		const response = await fetch(server.url, { method });
		expect(response.status).toBe(200);
		if (method === 'GET') expect(await response.text()).toContain('receives deliveries by POST');
		expect(runs(server)).toBe(0);
	});
});

it('that the filters leave out are answered, and start nothing', async () => {
	const filters = { severities: 'critical, 5', sites: 'https://mine.example/, site_2' };
	const server = await begin({ filters });
	const alert = { exchange_id: 'exc_1', type: 'gone', detail: '' };
	const offer = { id: 'exc_1', anchor: 'a', from_site: 'https://other.example/' };
	const other = { id: 'site_7', url: 'https://other.example/' };
	for (const [body, expected] of [
		[{ ...alert, severity: 'Critical' }, 1],
		[{ ...alert, severity: 'low' }, 0],
		[{ ...alert, severity: 3 }, 0],
		[{ ...alert, severity: 5 }, 1],
		[{ ...offer, to_site: 'HTTP://www.mine.example' }, 1],
		[{ ...offer, to_site: 'site_2' }, 1],
		[{ ...offer, from_site: other, to_site: other }, 0],
		[accepted, 1],
	] as const) {
		const before = runs(server);
		expect((await deliver(server, JSON.stringify(body))).status).toBe(200);
		expect(runs(server) - before, JSON.stringify(body)).toBe(expected);
	}
});

/** As the editor saves what a person chooses or enters in a row. */
const row = (mode: string, value: string) => ({ __rl: true, mode, value });

it.each([
	['rows', [row('list', 'https://mine.example, site_2'), row('id', 'tea.example')]],
	['a row with several', [row('id', 'https://mine.example, site_2; tea.example')]],
	['an array of an expression', '={{ ["https://mine.example", "site_2", "tea.example"] }}'],
	['an expression in a row', [row('id', '={{ ["mine.example", "site_2", "tea.example"] }}')]],
	['a text', 'mine.example, site_2, tea.example'],
])('the sites of a filter may come as %s', async (_, sites) => {
	const severities = [row('name', 'critical'), row('list', 'High'), row('list', '')];
	const server = await begin({ filters: { sites, severities } as never });
	const offer = { id: 'exc_1', anchor: 'a', from_site: 'https://other.example' };
	const both = { id: 'site_3', url: 'https://other.example' };
	const alert = { exchange_id: 'exc_1', type: 'gone', detail: '' };
	for (const [body, expected] of [
		[{ ...offer, to_site: 'https://www.mine.example' }, 1],
		[{ ...offer, to_site: 'site_2' }, 1],
		[{ ...offer, to_site: 'https://tea.example/' }, 1],
		[{ ...offer, from_site: both, to_site: both }, 0],
		[{ ...alert, severity: 'HIGH' }, 1],
		[{ ...alert, severity: 'low' }, 0],
	] as const) {
		const before = runs(server);
		expect((await deliver(server, JSON.stringify(body))).status).toBe(200);
		expect(runs(server) - before, JSON.stringify(body)).toBe(expected);
	}
});

it('a site that was chosen from the list leaves out others, in whichever form they are named', async () => {
	const server = await begin({ filters: { sites: [row('list', 'https://mine.example, site_2')] } });
	for (const other of ['https://other.example', 'site_3']) {
		const body = { id: 'exc_1', anchor: 'a', from_site: other, to_site: other };
		expect((await deliver(server, JSON.stringify(body))).status).toBe(200);
	}
	expect(runs(server)).toBe(0);
});

it.each(['', ' ', null, [], [row('list', '')], [row('list', ''), row('id', ' ')]])(
	'a filter that was added and left empty, %j, leaves out nothing',
	async (empty) => {
		const server = await begin({ filters: { sites: empty, severities: empty } as never });
		const alert = { exchange_id: 'exc_1', type: 'gone', detail: '', severity: 'low' };
		for (const body of [accepted, alert]) {
			expect((await deliver(server, JSON.stringify(body))).status).toBe(200);
		}
		expect(runs(server)).toBe(2);
	},
);

it('name the page: its whole address, clickable, and harmless', async () => {
	const server = await begin();
	const page = 'https://kettle-review.example/articles/grüner tee?a=1&lt=<!channel>';
	await deliver(server, JSON.stringify({ id: 'exc_1', live_url: page, published_at: 1 }));
	const link = 'https://kettle-review.example/articles/gr%C3%BCner%20tee?a=1&%6Ct=%3C%21channel%3E';
	expect(server.executions).toMatchObject([
		[
			{
				message: `Link published: the link from ${link} is live, exchange "exc_1"`,
				link,
				data: { live_url: page },
			},
		],
	]);
	await deliver(
		server,
		JSON.stringify({ id: 'exc_1', live_url: 'ftp://x.example', published_at: 1 }),
	);
	expect(server.executions[1]?.[0]).not.toHaveProperty('link');
});

describe('batches', () => {
	const payloads = [accepted, { ...accepted, id: 'exc_2' }];
	const wrapped = payloads.map((data) => ({ event: 'exchange.accepted', data }));
	it.each([
		['an array of payloads', payloads],
		['events under a key', { events: wrapped }],
		['payloads under a key', { events: payloads }],
		['one event with several payloads in data', { event: 'exchange.accepted', data: payloads }],
		[
			'one event with several payloads in payload',
			{ type: 'exchange.accepted', payload: payloads },
		],
	])('%s: one execution with an item for each', async (_name, body) => {
		const server = await begin();
		expect(await deliver(server, JSON.stringify(body))).toEqual(received);
		const items = payloads.map((data) => ({ event: 'exchange.accepted', data }));
		expect(server.executions).toMatchObject([items]);
	});

	it.each([{ events: [] }, { data: [1, 2] }, { event: 'exchange.accepted', data: [null] }])(
		'without an event in them are refused (%j)',
		async (body) => {
			const server = await begin();
			expect((await deliver(server, JSON.stringify(body))).status).toBe(400);
			expect(runs(server)).toBe(0);
		},
	);

	it('a list among the fields of a payload is no batch', async () => {
		const server = await begin();
		const alert = { exchange_id: 'exc_1', severity: 'low', data: [{ id: 'x', anchor: 'y' }] };
		expect(await deliver(server, JSON.stringify(alert))).toEqual(received);
		expect(server.executions).toMatchObject([[{ event: 'watchdog.alert', data: alert }]]);
	});
});
