/** Which events start the workflow: those selected under Trigger On that pass the filters. */
import { describe, expect, it } from 'vitest';

import { begin, deliver, runs } from './deliver.mts';

const accepted = { id: 'exc_1', accepted_at: '2026-07-01T12:00:00Z' };
const received = { status: 200, message: 'Received' };
const ignored = { status: 200, message: 'Ignored: the workflow does not use this event' };

describe('events', () => {
	it('that are not selected are answered and ignored', async () => {
		const server = await begin({ events: ['watchdog.alert'] });
		expect(await deliver(server, JSON.stringify(accepted))).toEqual(ignored);
		expect(runs(server)).toBe(0);
	});

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

describe('filters', () => {
	const alert = (severity?: unknown) =>
		JSON.stringify({ exchange_id: 'exc_1', severity, type: 'gone', detail: '' });
	it.each([
		['the severity asked for', alert('critical'), 1],
		['in other letters', alert('High'), 1],
		['another severity', alert('low'), 0],
		['a number, which no word can be compared with', alert(3), 1],
		['no severity', alert(), 1],
		['no alert', JSON.stringify(accepted), 1],
	])('on severity, with %s: %s, %i executions', async (_name, body, expected) => {
		const server = await begin({ filters: { severities: 'critical, high' } });
		expect((await deliver(server, body)).status).toBe(200);
		expect(runs(server)).toBe(expected);
	});

	it('on severity takes numbers as well', async () => {
		const server = await begin({ filters: { severities: '4, 5' } });
		for (const severity of [3, '3', 5, '4']) await deliver(server, alert(severity));
		expect(runs(server)).toBe(2);
	});

	const offer = (from_site: unknown, to_site: unknown) =>
		JSON.stringify({ id: 'exc_1', from_site, to_site, anchor: 'a' });
	const other = (url: string) => ({ id: 'site_7', url });
	it.each([
		['at its beginning', offer('https://mine.example/', 'https://other.example/'), 1],
		['at its end', offer('https://other.example/', 'https://mine.example/'), 1],
		['written otherwise', offer('other.example', 'HTTP://www.mine.example'), 1],
		['by its id', offer('site_1', 'site_2'), 1],
		['in an object', offer({ id: 'x', url: 'https://mine.example' }, {}), 1],
		['at neither', offer(other('https://other.example/'), other('https://mine.example.org/')), 0],
		['named in another form', offer('https://other.example/', 'https://mine.example.org/'), 1],
		['not named', JSON.stringify(accepted), 1],
	])('on sites, with one of them %s: %s, %i executions', async (_name, body, expected) => {
		const server = await begin({ filters: { sites: 'https://mine.example/, site_2' } });
		expect((await deliver(server, body)).status).toBe(200);
		expect(runs(server)).toBe(expected);
	});
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
