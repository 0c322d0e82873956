/** Rejected deliveries: without a valid signature, without a secret, or with invalid parameters. */
import type { ICredentialDataDecryptedObject, INodeParameters } from 'n8n-workflow';
import { describe, expect, test } from 'vitest';

import { useVirtualTime } from '../virtualTime.mts';
import { deliver, runs, secret, setUp, sign } from './setup.mts';
import { activate } from './webhookServer.mts';

useVirtualTime();

const body = JSON.stringify({ id: 'exc_1', accepted_at: '2026-07-01T12:00:00Z' });
const received = { status: 200, message: 'Received' };
const rejected = { status: 401, message: "Couldn't verify the signature" };
const forged = { 'x-pb-signature': 'ab'.repeat(32) };

test.each([
	['forged', forged, "the signature doesn't match"],
	['of another body', { 'x-pb-signature': sign('{}') }, "the signature doesn't match"],
	['missing', { 'x-pb-signature': '' }, 'it has no signature (header X-PB-Signature)'],
])(
	'responds 401 to a signature that is %s, starts nothing, and logs it once a minute',
	async (_, headers, reason) => {
		const server = await setUp();
		for (let time = 0; time < 3; time++) {
			expect(await deliver(server, body, headers)).toEqual(rejected);
		}
		expect(runs(server)).toBe(0);
		expect(server.logged).toEqual([expect.stringContaining(reason)]);
		expect(server.logged.join()).not.toMatch(new RegExp(`${secret}|${sign(body)}`));
	},
);

test.each([{ webhookSecret: '' }, { webhookSecret: '  ' }, { webhookSecret: undefined }])(
	'accepts nothing if the secret is %j, not even a delivery signed with it',
	async (credential) => {
		const server = await setUp({}, credential);
		const headers = { 'x-pb-signature': sign(body, credential.webhookSecret ?? '') };
		expect(await deliver(server, body, headers)).toEqual(rejected);
		expect(runs(server)).toBe(0);
		server.credentials.values = { webhookSecret: secret };
		expect(await deliver(server, body)).toEqual(received);
	},
);

test('accepts both secrets during a rotation, and then only the new one', async () => {
	const server = await setUp({}, { previousWebhookSecret: 'old' });
	const signedWith = (key: string, bytes: string) =>
		deliver(server, bytes, { 'x-pb-signature': sign(bytes, key) });
	expect(await signedWith(secret, body)).toEqual(received);
	expect(await signedWith('old', `${body} `)).toEqual(received);
	server.credentials.values = { webhookSecret: 'new', previousWebhookSecret: '' };
	for (const key of ['old', secret]) expect(await signedWith(key, body)).toEqual(rejected);
	expect(await signedWith('new', `${body}  `)).toEqual(received);
});

test("responds 503 if the credential can't be read", async () => {
	const server = await setUp();
	server.credentials.getDecrypted = () => Promise.reject(new Error('the database is away'));
	expect((await deliver(server, body)).status).toBe(503);
	expect(server.logged).toEqual([expect.stringContaining("couldn't read the credential")]);
	expect(runs(server)).toBe(0);
});

test.each(['', 'sha256=', 'x'.repeat(2000), 't=1,t=2,v1=00'])(
	'rejects the header "%s" before it reads the credential',
	async (header) => {
		const server = await setUp();
		let reads = 0;
		server.credentials.getDecrypted = () => {
			reads++;
			return Promise.reject(new Error('the database is away'));
		};
		expect((await deliver(server, body, { 'x-pb-signature': header })).status).toBe(401);
		expect(reads).toBe(0);
		expect(runs(server)).toBe(0);
	},
);

test('responds 200 to GET and HEAD, and starts nothing', async () => {
	const server = await setUp();
	expect(await (await fetch(server.url)).text()).toContain('receives events from the service');
	expect((await fetch(server.url, { method: 'HEAD' })).status).toBe(200);
	expect(runs(server)).toBe(0);
});

describe('while n8n listens for a test event', () => {
	test.each([
		['forged', body, forged, 401, "the signature doesn't match"],
		['no event', 'hello', {}, 400, "the body isn't an event"],
	])(
		'a rejected delivery (%s) gets its response, and fails the test with the reason',
		async (_name, content, headers, status, reason) => {
			const server = await setUp();
			server.mode = 'manual';
			expect((await deliver(server, content, headers)).status).toBe(status);
			expect(server.executions).toEqual([]);
			expect(server.failures).toEqual([
				expect.objectContaining({
					message: expect.stringContaining(reason) as unknown,
					description:
						'The delivery started nothing. Fix the cause, then listen for a test event again.',
				}),
			]);
		},
	);
});

describe('publishing', () => {
	test.each([{}, { webhookSecret: '' }, { webhookSecret: 5 }, { previousWebhookSecret: 'old' }])(
		'fails without a secret (%j), and the message explains how to fix it',
		async (credential) => {
			await expect(activate(credential as ICredentialDataDecryptedObject)).rejects.toMatchObject({
				// n8n shows only the message.
				message: expect.stringMatching(/no webhook secret.*Settings › Webhooks/) as unknown,
			});
		},
	);

	test.each([
		[{ events: [] }, 'Trigger On'],
		[{ events: ['exchange.broken'] }, 'Trigger On'],
		[{ filters: { severities: '={{ "" }}' } }, 'Severities'],
		[{ filters: { severities: '*' } }, 'Severities'],
		[{ filters: { excludedSeverities: 'low, inf*' } }, 'Excluded Severities'],
	] as Array<[INodeParameters, string]>)(
		'fails with %j, as does each delivery, with the label of the parameter',
		async (parameters, name) => {
			await expect(activate({ webhookSecret: secret }, parameters)).rejects.toThrow(`'${name}'`);
			const server = await setUp(parameters);
			expect((await deliver(server, body)).status).toBe(503);
			expect(runs(server)).toBe(0);
			expect(server.logged).toEqual([expect.stringContaining(`'${name}'`)]);
		},
	);

	test('succeeds with a secret', async () => {
		expect(await activate({ webhookSecret: secret })).toBe(true);
	});
});
