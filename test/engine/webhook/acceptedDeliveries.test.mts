/** Signed deliveries: one item for each selected event, only once. */
import { setTimeout } from 'node:timers/promises';

import { expect, test } from 'vitest';

import { singleVariants } from '../../../sandbox/dialects.mts';
import { startTestService } from '../service.mts';
import { useVirtualTime } from '../virtualTime.mts';
import { deliver, runs, secret, setUp, sign } from './setup.mts';
import type { WebhookServer } from './webhookServer.mts';

const time = useVirtualTime();

const accepted = { id: 'exc_1', accepted_at: '2026-07-01T12:00:00Z', anchor: 'Käse  für 日本' };
const body = JSON.stringify(accepted);
const acceptedItem = {
	message:
		'Offer accepted: the offer with the anchor “Käse für 日本” was accepted on 1 Jul 2026, 12:00 UTC.',
	title: 'Offer accepted: exchange “exc_1”',
	event: 'exchange.accepted',
	exchangeId: 'exc_1',
	anchor: 'Käse  für 日本',
	occurredAt: '2026-07-01T12:00:00.000Z',
	eventKey: 'exchange.accepted:exc_1:1782907200',
};
const received = { status: 200, message: 'Received' };
const ignored = { status: 200, message: "Ignored because the workflow doesn't use this event" };
const again = { status: 200, message: "Already received, so the workflow didn't start again" };

test('starts the workflow with the event, its message first, its key, and no signature', async () => {
	const server = await setUp();
	expect(await deliver(server, body, { 'x-request-id': 'r1' })).toEqual(received);
	const [[item] = []] = server.executions;
	const receivedAt = expect.stringMatching(/^\d{4}-.*Z$/) as unknown;
	const expected = { ...acceptedItem, receivedAt, deliveryId: 'r1' };
	expect(item).toEqual(expected);
	expect(Object.keys(item ?? {})).toEqual(Object.keys(expected));
	expect(JSON.stringify(item)).not.toContain(sign(body));
});

test('reads from_site as the partner, and adds the payload only if configured', async () => {
	const server = await setUp({ options: { includeRecord: true } });
	const payload = {
		id: 7,
		from_site: 'https://partner.example',
		to_site: { url: 'https://tea.example/', id: 'site_1' },
		anchor: 'green tea',
	};
	await deliver(server, JSON.stringify(payload), { 'x-pb-delivery': 'd1', 'x-request-id': 'r1' });
	expect(server.executions).toEqual([
		[
			{
				message:
					'New offer: partner.example offers a link to tea.example with the anchor “green tea”.',
				title: 'New offer from partner.example for tea.example',
				event: 'exchange.requested',
				exchangeId: '7',
				partner: 'https://partner.example',
				site: 'https://tea.example/',
				anchor: 'green tea',
				eventKey: 'exchange.requested:7',
				receivedAt: expect.any(String) as unknown,
				deliveryId: 'd1',
				record: payload,
			},
		],
	]);
});

test.each([
	['Europe/Berlin', '2026-03-29T00:59:00Z', '29 Mar 2026, 01:59 CET'],
	['Europe/Berlin', '2026-03-29T01:01:00Z', '29 Mar 2026, 03:01 CEST'],
	['America/New_York', '2026-07-01T02:00:00Z', '30 Jun 2026, 22:00 GMT-4'],
	['Mars/Olympus', '2026-07-01T12:00:00Z', '1 Jul 2026, 12:00 UTC'],
])("the message has the time in the workflow's time zone: %s, %s", async (timeZone, at, shown) => {
	const server = await setUp();
	server.timeZone = timeZone;
	await deliver(server, JSON.stringify({ id: 'x', accepted_at: at }));
	expect(server.executions[0]?.[0]?.message).toContain(`was accepted on ${shown}.`);
});

const axes = [
	'signatureEncoding',
	'signatureHeader',
	'signedContent',
	'hmacKey',
	'wrapper',
	'times',
] as const;
test.each(axes.flatMap((axis) => singleVariants(axis)))(
	'emits each event once in any form: $name',
	async ({ settings }) => {
		const server = await setUp();
		const webhook = { url: server.url, secret };
		const { sandbox } = await startTestService({ dialect: settings, webhook });
		const { id } = sandbox.requestOffer();
		sandbox.accept(id);
		sandbox.publish(id);
		sandbox.alert({ exchangeId: id });
		await sandbox.settled();
		const keys = server.executions.flat().map(({ eventKey }) => eventKey as string);
		expect(keys.sort()).toEqual([
			expect.stringMatching(new RegExp(`^exchange\\.accepted:${id}:\\d+$`)),
			expect.stringMatching(new RegExp(`^exchange\\.published:${id}:\\d+$`)),
			`exchange.requested:${id}`,
			expect.stringMatching(new RegExp(`^watchdog\\.alert:${id}:`)),
		]);
		expect(server.failures).toEqual([]);
	},
);

test.each([
	'',
	'text/plain',
	'multipart/related; boundary=x',
	'application/pb+json; charset=latin1',
])('parses the body as JSON in UTF-8, ignoring unsigned headers (%j)', async (type) => {
	const server = await setUp();
	for (const bytes of [body, `\uFEFF${body}`]) {
		expect(await deliver(server, bytes, { 'content-type': type })).toEqual(received);
	}
	expect(server.executions).toMatchObject([[acceptedItem], [acceptedItem]]);
});

test.each(['', '{"id":', '5', 'null', '[1]', '\u0000'])(
	'responds 400, and starts nothing, if the body is no event (%j)',
	async (bytes) => {
		const server = await setUp();
		const noEvent = { status: 400, message: "The body isn't an event" };
		expect(await deliver(server, bytes)).toEqual(noEvent);
		expect(runs(server)).toBe(0);
	},
);

test.each([
	['a payload', { id: 'x', live_url: 'https://a.example' }, 'exchange.published'],
	['a publication by its time', { id: 'x', published_at: 1782907200 }, 'exchange.published'],
	['an offer by its from_site', { id: 'x', from_site: 'a.example' }, 'exchange.requested'],
	['an offer by its to_site', { id: 'x', to_site: 'a.example' }, 'exchange.requested'],
	['an offer by its anchor', { id: 'x', anchor: 'green tea' }, 'exchange.requested'],
	['an empty live_url', { ...accepted, live_url: '' }, 'exchange.accepted'],
	['an exchange with a detail', { ...accepted, detail: 'x' }, 'exchange.accepted'],
	['an alert with its own type', { exchange_id: 'x', type: 'gone' }, 'watchdog.alert'],
	['event and data', { event: 'exchange.requested', data: { id: 'x' } }, 'exchange.requested'],
	['type and payload', { type: 'exchange.accepted', payload: { id: 'x' } }, 'exchange.accepted'],
	['a flat event', { event: 'exchange.requested', id: 'x' }, 'exchange.requested'],
	['an array', [accepted, 5, { event: 'watchdog.alert', exchange_id: 'x' }], 'exchange.accepted'],
])('recognizes %s', async (_, sent, event) => {
	const server = await setUp();
	expect(await deliver(server, JSON.stringify(sent))).toEqual(received);
	expect(server.executions[0]?.[0]?.event).toBe(event);
	expect(server.executions[0]?.length).toBe(Array.isArray(sent) ? 2 : 1);
});

test('ignores an event that is not selected, and one that is not known', async () => {
	const server = await setUp({ events: ['watchdog.alert'], options: { lookUpExchange: false } });
	expect(await deliver(server, body)).toEqual(ignored);
	const unknown = JSON.stringify({ event: 'credit.low', data: { balance: 3 } });
	expect(await deliver(server, unknown)).toEqual(ignored);
	expect(runs(server)).toBe(0);
	const mixed = JSON.stringify([{ event: 'credit.low' }, { exchange_id: 'x', type: 'gone' }]);
	expect(await deliver(server, mixed)).toEqual(received);
	expect(server.executions).toMatchObject([[{ event: 'watchdog.alert' }]]);
	expect(server.logged).toHaveLength(2);
});

test('logs an unrecognized delivery once a minute, with only its field names', async () => {
	const server = await setUp();
	for (const balance of [3, 4]) {
		const sent = JSON.stringify({ kind: 'credit.low', data: { balance } });
		expect(await deliver(server, sent)).toEqual(ignored);
	}
	expect(server.logged).toEqual([expect.stringContaining('an object with kind, data (balance)')]);
	expect(server.logged.join()).not.toContain('credit.low');
});

test.each([
	['a list of payloads', { event: 'watchdog.alert', data: [{ exchange_id: 'exc_1' }] }],
	['a payload below another key', { event: 'exchange.accepted', data: { exchange: accepted } }],
	['no payload', { event: 'exchange.accepted', data: null }],
	['no payload, and an ID of its own', { event: 'exchange.accepted', id: 'evt_1', data: null }],
	['a list, and an ID of its own', { type: 'exchange.accepted', id: 'evt_1', payload: [accepted] }],
	['an alert without an exchange', { event: 'watchdog.alert', exchange_id: '', type: 'gone' }],
	['an offer without an ID', [{ event: 'exchange.requested', id: {} }]],
])('rejects a delivery without the ID of an exchange: %s', async (_, sent) => {
	const server = await setUp();
	expect((await deliver(server, JSON.stringify(sent))).status).toBe(400);
	expect(runs(server)).toBe(0);
	expect(server.logged).toEqual([expect.stringContaining('with the ID of an exchange')]);
});

test('starts the workflow with the usable events of a delivery, and logs the others', async () => {
	const server = await setUp({ options: { lookUpExchange: false } });
	const sent = [{ event: 'exchange.accepted', data: null }, accepted, { kind: 'credit.low' }];
	expect(await deliver(server, JSON.stringify(sent))).toEqual(received);
	expect(server.executions).toMatchObject([[acceptedItem]]);
	expect(server.logged).toEqual([
		expect.stringContaining('is unknown (an object with kind)'),
		expect.stringContaining('lacks the ID of its exchange (an object with event, data (null))'),
	]);
});

test('shows severity, type and detail that are objects or lists as JSON', async () => {
	const server = await setUp();
	const detail = { old: 'green tea', new: 'casino' };
	await deliver(
		server,
		JSON.stringify({ exchange_id: 'x', severity: ['high'], type: 'anchor_changed', detail }),
	);
	expect(server.executions[0]?.[0]).toMatchObject({
		message: expect.stringContaining('“{"old":"green tea","new":"casino"}”') as unknown,
		severity: '["high"]',
		type: 'anchor_changed',
		detail: '{"old":"green tea","new":"casino"}',
	});
});

test('shows a detail that is true or false', async () => {
	const server = await setUp();
	const sent = { exchange_id: 'x', severity: true, type: 'nofollow', detail: false };
	await deliver(server, JSON.stringify(sent));
	expect(server.executions[0]?.[0]).toMatchObject({ severity: 'true', detail: 'false' });
});

const alert = { exchange_id: 'exc_1', type: 'gone', detail: '' };
test.each([
	['a selected severity', { severities: 'Critical' }, { ...alert, severity: 'critical' }, 1],
	['a severity in another form', { severities: 'groß' }, { ...alert, severity: 'GROSS' }, 1],
	['another severity', { severities: 'critical' }, { ...alert, severity: 'info' }, 0],
	['no severity', { severities: 'critical' }, alert, 1],
	[
		'one of several severities',
		{ severities: 'high, critical' },
		{ ...alert, severity: 'HIGH' },
		1,
	],
	['an excluded severity', { excludedSeverities: 'low, Info' }, { ...alert, severity: 'info' }, 0],
	['no excluded severity', { excludedSeverities: 'info' }, { ...alert, severity: 'high' }, 1],
	[
		'a severity in both lists',
		{ severities: 'info, high', excludedSeverities: 'info' },
		{ ...alert, severity: 'info' },
		0,
	],
	['no severity, with an excluded one', { excludedSeverities: 'info' }, alert, 1],
	['a severity that is a list', { severities: 'info' }, { ...alert, severity: ['low'] }, 1],
	['an excluded number', { excludedSeverities: '5' }, { ...alert, severity: 5 }, 0],
	['a number, unlike the words', { severities: 'critical' }, { ...alert, severity: 5 }, 1],
	['a decimal, unlike the words', { severities: 'critical' }, { ...alert, severity: 7.5 }, 1],
	['the same as text', { severities: 'critical' }, { ...alert, severity: '7.5' }, 1],
	['a negative number', { severities: 'critical' }, { ...alert, severity: -1 }, 1],
	['another number', { severities: '7.5' }, { ...alert, severity: 5 }, 0],
])('filters: %s', async (_, filters, payload, expected) => {
	const server = await setUp({ filters });
	await deliver(server, JSON.stringify(payload));
	expect(runs(server)).toBe(expected);
});

/** Blocks the next execution before it starts. */
function held(server: WebhookServer) {
	const [entered, held] = [Promise.withResolvers<unknown>(), Promise.withResolvers<unknown>()];
	server.beforeExecution = async () => {
		entered.resolve(true);
		await held.promise;
	};
	return { entered: entered.promise, fail: held.reject };
}

test('deduplicates identical deliveries for 5 minutes, also concurrent ones or after clock changes', async () => {
	const server = await setUp();
	const answers = await Promise.all(Array.from({ length: 20 }, () => deliver(server, body)));
	expect(answers.filter(({ message }) => message === 'Received')).toEqual([received]);
	// Only the body and the timestamp are signed, not the URL and other headers.
	expect(await deliver({ url: `${server.url}?again` }, body, { 'x-request-id': '2' })).toEqual(
		again,
	);
	time.ahead = -Date.now();
	await setTimeout(5 * 60_000 - 1);
	expect(await deliver(server, body)).toEqual(again);
	await setTimeout(1);
	expect(await deliver(server, body)).toEqual(received);
	time.ahead = 0;
	expect(runs(server)).toBe(2);
});

test('a different body is a different delivery, and so is an equal one in another workflow', async () => {
	const [server, other] = [await setUp(), await setUp()];
	for (const bytes of [body, `${body} `, body.replace('exc_1', 'exc_2')]) {
		expect(await deliver(server, bytes)).toEqual(received);
	}
	expect(await deliver(other, body)).toEqual(received);
});

test('accepts a repeated delivery if n8n could not process the first one', async () => {
	const server = await setUp();
	const { entered, fail } = held(server);
	const first = deliver(server, body);
	await entered;
	fail(new Error('the database is away'));
	expect((await first).status).toBe(500);
	server.beforeExecution = () => Promise.resolve();
	expect(await deliver(server, body)).toEqual(received);
	expect(server.executions).toHaveLength(1);
});

test('shows a repeated delivery while n8n listens for a test event', async () => {
	const server = await setUp();
	server.mode = 'manual';
	for (let time = 0; time < 3; time++) expect(await deliver(server, body)).toEqual(received);
	expect(runs(server)).toBe(3);
});
