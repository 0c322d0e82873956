/** What starts nothing: deliveries without a signature that counts, and triggers without a secret or with settings that cannot be read. */
import type { ICredentialDataDecryptedObject, INodeParameters } from 'n8n-workflow';
import { describe, expect, it } from 'vitest';

import { useVirtualTime } from '../virtualTime.mts';
import { deliver, runs, secret, setUp, sign } from './setup.mts';
import { activate } from './webhookServer.mts';

useVirtualTime();

const body = JSON.stringify({ id: 'exc_1', accepted_at: '2026-07-01T12:00:00Z' });
const received = { status: 200, message: 'Received' };
const refused = { status: 401, message: 'The signature could not be verified' };
const forged = { 'x-pb-signature': 'ab'.repeat(32) };

it.each([
	['forged', forged, 'the signature does not match'],
	['of another body', { 'x-pb-signature': sign('{}') }, 'the signature does not match'],
	['missing', { 'x-pb-signature': '' }, 'the header X-PB-Signature is missing'],
])(
	'a signature that is %s: 401, no execution, and one line in the log says why, once a minute',
	async (_, headers, reason) => {
		const server = await setUp({ options: { unknownEvents: 'trigger' } });
		for (let time = 0; time < 3; time++) {
			expect(await deliver(server, body, headers)).toEqual(refused);
		}
		expect(runs(server)).toBe(0);
		expect(server.logged).toEqual([expect.stringContaining(reason)]);
		expect(server.logged.join()).not.toMatch(new RegExp(`${secret}|${sign(body)}`));
	},
);

it.each([{ webhookSecret: '' }, { webhookSecret: '  ' }, { webhookSecret: undefined }])(
	'nothing is taken with %j, not even what is signed with it',
	async (credential) => {
		const server = await setUp({}, credential);
		const headers = { 'x-pb-signature': sign(body, credential.webhookSecret ?? '') };
		expect(await deliver(server, body, headers)).toEqual(refused);
		expect(runs(server)).toBe(0);
		server.credentials.values = { webhookSecret: secret };
		expect(await deliver(server, body)).toEqual(received);
	},
);

it('two secrets: both count during a rotation, and then the new one alone', async () => {
	const server = await setUp({}, { previousWebhookSecret: 'old' });
	const signedWith = (key: string, bytes: string) =>
		deliver(server, bytes, { 'x-pb-signature': sign(bytes, key) });
	expect(await signedWith(secret, body)).toEqual(received);
	expect(await signedWith('old', `${body} `)).toEqual(received);
	server.credentials.values = { webhookSecret: 'new', previousWebhookSecret: '' };
	for (const key of ['old', secret]) expect(await signedWith(key, body)).toEqual(refused);
	expect(await signedWith('new', `${body}  `)).toEqual(received);
});

it('a credential that cannot be read now: the service is asked to come again', async () => {
	const server = await setUp();
	server.credentials.getDecrypted = () => Promise.reject(new Error('the database is away'));
	expect((await deliver(server, body)).status).toBe(503);
	expect(server.logged).toEqual([expect.stringContaining('could not read the credential')]);
	expect(runs(server)).toBe(0);
});

it('GET and HEAD are answered 200 and start nothing', async () => {
	const server = await setUp();
	expect(await (await fetch(server.url)).text()).toContain('receives deliveries by POST');
	expect((await fetch(server.url, { method: 'HEAD' })).status).toBe(200);
	expect(runs(server)).toBe(0);
});

describe('while somebody listens for a test event', () => {
	it.each([
		['forged', body, forged, 401, 'the signature does not match'],
		['no event', 'hello', {}, 400, 'its body is not an event'],
	])(
		'a delivery that is refused (%s) is answered so, and fails the test with the reason',
		async (_name, content, headers, status, reason) => {
			const server = await setUp();
			server.mode = 'manual';
			expect((await deliver(server, content, headers)).status).toBe(status);
			expect(server.executions).toEqual([]);
			expect(server.failures).toEqual([
				expect.objectContaining({
					message: expect.stringContaining(reason) as unknown,
					description: 'None of it was used. Correct this, then listen again.',
				}),
			]);
		},
	);
});

describe('publishing', () => {
	it.each([{}, { webhookSecret: '' }, { webhookSecret: 5 }, { previousWebhookSecret: 'old' }])(
		'without a secret (%j) is refused, and the message says how to fix it',
		async (credential) => {
			await expect(activate(credential as ICredentialDataDecryptedObject)).rejects.toMatchObject({
				// n8n shows the message alone.
				message: expect.stringMatching(/no webhook secret.*Settings, then Webhooks/) as unknown,
			});
		},
	);

	it.each([
		[{ events: [] }, 'Trigger On'],
		[{ events: ['exchange.broken'] }, 'Trigger On'],
		[{ options: { unknownEvents: 'yes' } }, 'Unknown Events'],
		[{ filters: { severities: '={{ "" }}' } }, 'Severities'],
		[{ filters: { sites: {} } }, 'Sites'],
	] as Array<[INodeParameters, string]>)(
		'with %j is refused, and so is each delivery, by the name of the setting',
		async (parameters, name) => {
			await expect(activate({ webhookSecret: secret }, parameters)).rejects.toThrow(`"${name}"`);
			const server = await setUp(parameters);
			expect((await deliver(server, body)).status).toBe(503);
			expect(runs(server)).toBe(0);
			expect(server.logged).toEqual([expect.stringContaining(`"${name}"`)]);
		},
	);

	it.each([
		['http://localhost:5678/', true],
		['http://127.1.2.3/', true],
		['http://[::1]:5678/', true],
		['https://n8n.example.com/localhost', false],
		['http://192.168.1.4:5678/', false],
	])(
		'with one goes through; that only this machine reaches %s is logged: %s',
		async (url, isLogged) => {
			const { isActive, logged } = await activate({ webhookSecret: secret }, {}, `${url}webhook`);
			expect(isActive).toBe(true);
			expect(logged).toHaveLength(Number(isLogged));
			for (const line of logged) expect(line).toMatch(/only this machine can reach.+WEBHOOK_URL/);
		},
	);
});
