/** Whatever is delivered without a signature, with any header and in any charset: it is answered 401, and starts nothing. */
import { request } from 'node:http';

import fc from 'fast-check';
import { describe, expect, it } from 'vitest';

import { begin } from './deliver.mts';
import type { WebhookServer } from './webhookServer.mts';

const body = fc.oneof(
	fc.uint8Array({ maxLength: 500 }).map((bytes) => Buffer.from(bytes)),
	fc.json({ maxDepth: 4 }).map((content) => Buffer.from(content)),
	fc.constant(Buffer.from('{"id":"x","accepted_at":"2026-07-01T12:00:00Z"}')),
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
