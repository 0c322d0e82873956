/** How a signed delivery may be wrapped, encoded and called, and which item it becomes. */
import { describe, expect, it } from 'vitest';

import { begin, deliver, runs, sign } from './deliver.mts';

const accepted = { id: 'exc_1', accepted_at: '2026-07-01T12:00:00Z' };
const acceptedItem = {
	event: 'exchange.accepted',
	eventKey: 'exchange.accepted:exc_1:1782907200',
	message: 'Exchange accepted: exchange "exc_1"',
	data: accepted,
	source: 'webhook',
};
const received = { status: 200, message: 'Received' };

describe('a signed delivery', () => {
	it('starts the workflow with the event, its key and what helps to debug, but no signature', async () => {
		const server = await begin();
		expect(await deliver(server, JSON.stringify(accepted), { 'x-request-id': 'r1' })).toEqual(
			received,
		);
		expect(server.executions).toEqual([
			[
				{
					...acceptedItem,
					delivery: {
						receivedAt: expect.stringMatching(/^\d{4}-.*Z$/) as unknown,
						headers: {
							'content-type': 'application/json',
							'user-agent': expect.any(String) as unknown,
							'x-request-id': 'r1',
						},
					},
				},
			],
		]);
		expect(JSON.stringify(server.executions)).not.toContain(sign(JSON.stringify(accepted)));
	});

	const bodies: Array<[string, string, Record<string, string>]> = [
		['no content type', JSON.stringify(accepted), { 'content-type': '' }],
		['text/plain', JSON.stringify(accepted), { 'content-type': 'text/plain' }],
		['octet-stream', JSON.stringify(accepted), { 'content-type': 'application/octet-stream' }],
		['multipart', JSON.stringify(accepted), { 'content-type': 'multipart/related; boundary=x' }],
		['+json', JSON.stringify(accepted), { 'content-type': 'application/vnd.pb+json' }],
		['a byte order mark', `\uFEFF${JSON.stringify(accepted)}`, {}],
	];
	it.each(bodies)('with %s is read anyway', async (_name, body, headers) => {
		const server = await begin();
		expect(await deliver(server, body, headers)).toEqual(received);
		expect(server.executions).toMatchObject([[acceptedItem]]);
	});

	it.each([
		['empty', ''],
		['malformed', '{"id":'],
		['a number', '5'],
		['null', 'null'],
		['an array of numbers', '[1]'],
		['not text', Buffer.from([0xff, 0xfe, 0x00])],
		['in UTF-16', Buffer.from(JSON.stringify(accepted), 'utf16le')],
	])('that is %s is answered 400 and starts nothing', async (_name, body) => {
		const server = await begin();
		expect(await deliver(server, body)).toEqual({
			status: 400,
			message: 'The body is not an event',
		});
		expect(runs(server)).toBe(0);
	});

	it('nested so deep that n8n could not write it down is no event', async () => {
		const server = await begin({ options: { unknownEvents: 'trigger' } });
		const nested = (depth: number) => `{"x":${'['.repeat(depth)}${']'.repeat(depth)}}`;
		expect((await deliver(server, nested(200_000))).status).toBe(400);
		expect(runs(server)).toBe(0);
		expect((await deliver(server, nested(50))).status).toBe(200);
		expect(runs(server)).toBe(1);
	});

	it('with an empty live_url is not published by it', async () => {
		const server = await begin();
		const body = { ...accepted, live_url: '', published_at: null };
		expect(await deliver(server, JSON.stringify(body))).toEqual(received);
		expect(server.executions).toMatchObject([[{ ...acceptedItem, data: body }]]);
	});

	it.each(['latin1', 'utf-16le', 'shift_jis', 'klingon', 'x-user-defined'])(
		'in UTF-8 is read as UTF-8, though an unsigned header says %s',
		async (charset) => {
			const server = await begin();
			const body = JSON.stringify({ ...accepted, anchor: 'Käse für Zürich, 日本' });
			// n8n itself reads application/json in that charset, and refuses what is no JSON then.
			const headers = { 'content-type': `application/vnd.pb+json; charset=${charset}` };
			expect(await deliver(server, body, headers)).toEqual(received);
			expect(server.executions).toMatchObject([[{ data: { anchor: 'Käse für Zürich, 日本' } }]]);
		},
	);
});
