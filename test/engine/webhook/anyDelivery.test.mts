/**
 * Whatever is delivered, with any header and in any charset: it is answered, never with a 500; nothing throws; and nothing
 * that is not signed starts an execution.
 */
import { request } from 'node:http';

import fc from 'fast-check';
import { describe, expect, it } from 'vitest';

import { begin, runs, secret, sign } from './deliver.mts';
import type { WebhookServer } from './webhookServer.mts';

const fragments = fc.constantFrom(
	'{"id":"x","accepted_at":"2026-07-01T12:00:00Z"}',
	'{"event":"exchange.published","data":{"id":5,"live_url":null,"published_at":"yesterday"}}',
	'{"type":"watchdog.alert","payload":{"exchange_id":"x","severity":{"a":[]},"detail":1e999}}',
	'{"exchange_id":0,"severity":-0,"type":"constructor","detail":"__proto__"}',
	'{"__proto__":{"id":"x"},"constructor":1,"hasOwnProperty":2,"toString":3,"id":"x","anchor":""}',
	'[[[{}]]]',
	'\uFEFF',
	'null',
	'}',
	'\0',
	'\uD800',
);
const text = fc.oneof(
	fc.json({ maxDepth: 6 }),
	fc.array(fragments, { maxLength: 4 }).map((parts) => parts.join(',')),
	fc.array(fragments, { maxLength: 4 }).map((parts) => `[${parts.join(',')}]`),
);
const body = fc.oneof(
	fc.uint8Array({ maxLength: 500 }).map((bytes) => Buffer.from(bytes)),
	...(['utf8', 'utf16le', 'latin1'] as const).map((encoding) =>
		text.map((content) => Buffer.from(content, encoding)),
	),
);
/** What Node.js lets through as the value of a header. */
const headerText = fc
	.string({ unit: 'binary', maxLength: 60 })
	.map((value) => value.replace(/[^\t\x20-\x7e\x80-\xff]/g, ''));
const headers = fc.record(
	{
		'content-type': fc.oneof(
			headerText,
			fc.constantFrom('application/json', 'text/plain', 'multipart/form-data; boundary=x', ''),
			fc
				.oneof(
					headerText,
					fc.constantFrom('utf-8', 'utf-16le', 'utf-16be', 'shift_jis', 'x', '"', 'replacement'),
				)
				.map((charset) => `application/json; charset=${charset}`),
		),
		'x-request-id': headerText,
	},
	{ requiredKeys: [] },
);
const forgery = fc.oneof(
	headerText,
	fc.constantFrom(
		'',
		'sha256=',
		'v1,',
		't=1,v1=',
		`t=1782907200,v1=${'ab'.repeat(32)}`,
		'ab'.repeat(32),
	),
);

async function send(
	server: WebhookServer,
	content: Buffer,
	fields: Record<string, string | string[]>,
): Promise<number> {
	return await new Promise((resolve, reject) => {
		const sent = request(server.url, { method: 'POST', headers: fields }, (response) => {
			response.resume().on('end', () => {
				resolve(response.statusCode ?? 0);
			});
		});
		sent.on('error', reject).end(content);
	});
}

describe.each(['webhook', 'manual'] as const)('in mode %s', (mode) => {
	it('what is not signed gets 401 and starts nothing', async () => {
		const server = await begin({ options: { unknownEvents: 'trigger' } });
		server.mode = mode;
		await fc.assert(
			fc.asyncProperty(
				body,
				headers,
				fc.array(forgery, { maxLength: 3 }),
				async (content, fields, forged) => {
					const status = await send(server, content, { ...fields, 'x-pb-signature': forged });
					expect(status).toBe(401);
					expect(server.executions).toEqual([]);
					// Whoever listens for a test event sees the reason as a failed test; anybody else sees nothing.
					if (mode === 'webhook') expect(server.failures).toEqual([]);
				},
			),
			{ numRuns: 150 },
		);
	});
});

it('what is signed is received, ignored or no event; what is received has an event, a key and its data', async () => {
	const server = await begin({ options: { unknownEvents: 'trigger' } });
	const seen = { received: 0, refused: 0 };
	await fc.assert(
		fc.asyncProperty(body, headers, async (content, fields) => {
			const before = runs(server);
			const status = await send(server, content, { ...fields, 'x-pb-signature': sign(content) });
			expect([200, 400]).toContain(status);
			// The same bytes may be drawn twice.
			expect(runs(server) - before).toBeLessThanOrEqual(status === 200 ? 1 : 0);
			seen[status === 200 ? 'received' : 'refused']++;
			for (const item of server.executions.at(-1) ?? []) {
				expect(item).toMatchObject({
					event: expect.any(String) as unknown,
					eventKey: expect.stringMatching(/:./) as unknown,
					data: expect.any(Object) as unknown,
					source: 'webhook',
				});
				expect(JSON.stringify(item)).not.toContain(sign(content));
			}
		}),
		{ numRuns: 400 },
	);
	// Both must have happened, or the property shows nothing.
	expect(Math.min(seen.received, seen.refused)).toBeGreaterThan(20);
	expect(server.logged.join()).not.toContain(secret);
});
