/** How a signed delivery may be wrapped, encoded and called, and which item it becomes. */
import { expect, it } from 'vitest';

import { begin, deliver, runs, sign } from './deliver.mts';

const accepted = { id: 'exc_1', accepted_at: '2026-07-01T12:00:00Z', anchor: 'Käse für 日本' };
const body = JSON.stringify(accepted);
const acceptedItem = {
	event: 'exchange.accepted',
	eventKey: 'exchange.accepted:exc_1:1782907200',
	message: expect.stringMatching(/^Exchange accepted: .*exchange "exc_1"$/) as unknown,
	data: accepted,
	source: 'webhook',
};
const received = { status: 200, message: 'Received' };

it('a signed delivery starts the workflow with the event, its key and what helps to debug, but no signature', async () => {
	const server = await begin();
	expect(await deliver(server, body, { 'x-request-id': 'r1' })).toEqual(received);
	const delivery = {
		receivedAt: expect.stringMatching(/^\d{4}-.*Z$/) as unknown,
		headers: {
			'content-type': 'application/json',
			'user-agent': expect.any(String) as unknown,
			'x-request-id': 'r1',
		},
	};
	expect(server.executions).toEqual([[{ ...acceptedItem, delivery }]]);
	expect(JSON.stringify(server.executions)).not.toContain(sign(body));
});

it.each([
	'',
	'text/plain',
	'application/octet-stream',
	'multipart/related; boundary=x',
	// n8n itself reads application/json in that charset, and refuses what is no JSON then.
	...['latin1', 'utf-16le', 'shift_jis', 'klingon', 'x-user-defined'].map(
		(charset) => `application/vnd.pb+json; charset=${charset}`,
	),
])(
	'a signed delivery is read as JSON in UTF-8, whatever an unsigned header says (%j)',
	async (type) => {
		const server = await begin();
		for (const bytes of [body, `\uFEFF${body}`]) {
			expect(await deliver(server, bytes, { 'content-type': type })).toEqual(received);
		}
		expect(server.executions).toMatchObject([[acceptedItem], [acceptedItem]]);
	},
);

const nested = (depth: number) => `{"x":${'['.repeat(depth)}${']'.repeat(depth)}}`;

it.each([
	['empty', ''],
	['malformed', '{"id":'],
	['a number', '5'],
	['null', 'null'],
	['an array of numbers', '[1]'],
	['a batch without an event', '{"event":"exchange.accepted","data":[null]}'],
	['not text', Buffer.from([0xff, 0xfe, 0x00])],
	['in UTF-16', Buffer.from(body, 'utf16le')],
	['nested so deep that n8n could not write it down', nested(200_000)],
])('a signed delivery that is %s is answered 400 and starts nothing', async (_name, bytes) => {
	const server = await begin({ options: { unknownEvents: 'trigger' } });
	const noEvent = { status: 400, message: 'The body is not an event' };
	expect(await deliver(server, bytes)).toEqual(noEvent);
	expect(runs(server)).toBe(0);
	expect(await deliver(server, nested(50))).toEqual(received);
});

it('a signed delivery with an empty live_url is not published by it', async () => {
	const server = await begin();
	const data = { ...accepted, live_url: '', published_at: null };
	expect(await deliver(server, JSON.stringify(data))).toEqual(received);
	expect(server.executions).toMatchObject([[{ ...acceptedItem, data }]]);
});
