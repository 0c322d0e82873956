/** What starts nothing: deliveries without a signature that counts, and triggers without a secret or with settings that cannot be read. */
import { setTimeout } from 'node:timers/promises';

import type { ICredentialDataDecryptedObject, INodeParameters } from 'n8n-workflow';
import { describe, expect, it } from 'vitest';

import { useVirtualTime } from '../virtualTime.mts';
import { begin, deliver, runs, secret, sign } from './deliver.mts';
import { activate } from './webhookServer.mts';

const time = useVirtualTime();

const body = JSON.stringify({ id: 'exc_1', accepted_at: '2026-07-01T12:00:00Z' });
const received = { status: 200, message: 'Received' };
const refused = { status: 401, message: 'The signature could not be verified' };

it.each([{ webhookSecret: '' }, { webhookSecret: '  ' }, { webhookSecret: undefined }])(
	'nothing is taken with %j, not even what is signed with it',
	async (credential) => {
		const server = await begin({}, credential);
		const headers = { 'x-pb-signature': sign(body, credential.webhookSecret ?? '') };
		expect(await deliver(server, body, headers)).toEqual(refused);
		expect(runs(server)).toBe(0);
		server.credentials.values = { webhookSecret: secret };
		expect(await deliver(server, body)).toEqual(received);
	},
);

it('two secrets: both count during a rotation, and a change counts after two seconds, whatever is done to the clock', async () => {
	const server = await begin({ options: { deduplicate: 0 } }, { previousWebhookSecret: 'old' });
	const { credentials } = server;
	const signedWith = (key: string) => deliver(server, body, { 'x-pb-signature': sign(body, key) });
	for (const key of [secret, 'old']) expect(await signedWith(key)).toEqual(received);
	expect(credentials.reads).toBe(1);
	const elsewhere = await begin({}, { webhookSecret: 'of another workflow' });
	expect(await deliver(elsewhere, body)).toEqual(refused);
	credentials.values = { webhookSecret: 'new', previousWebhookSecret: '' };
	time.ahead = -Date.now();
	await setTimeout(2000);
	for (const key of ['old', secret]) expect(await signedWith(key)).toEqual(refused);
	expect(await signedWith('new')).toEqual(received);
	time.ahead = 0;
	expect(runs(server)).toBe(3);
});

describe('activation', () => {
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
		[{ events: 'watchdog.alert' }, 'Trigger On'],
		[{ options: { tolerance: 'five minutes' } }, 'Tolerance (Seconds)'],
		[{ options: { tolerance: null } }, 'Tolerance (Seconds)'],
		[{ options: { deduplicate: -1 } }, 'Deduplicate (Minutes)'],
		[{ options: { deduplicate: 1e6 } }, 'Deduplicate (Minutes)'],
		[{ options: { unknownEvents: 'yes' } }, 'Unknown Events'],
		[{ filters: { severities: '={{ "" }}' } }, 'Severities'],
		[{ filters: { sites: {} } }, 'Sites'],
	] as Array<[INodeParameters, string]>)(
		'with %j is refused, and so is each delivery, by the name of the setting',
		async (parameters, name) => {
			await expect(activate({ webhookSecret: secret }, parameters)).rejects.toThrow(`"${name}"`);
			const server = await begin(parameters);
			expect((await deliver(server, body)).status).toBe(503);
			expect(runs(server)).toBe(0);
			expect(server.logged).toEqual([expect.stringContaining(`"${name}"`)]);
		},
	);

	it.each([
		['http://localhost:5678/', true],
		['https://n8n.localhost/', true],
		['http://127.0.0.1:5678/', true],
		['http://127.1.2.3/', true],
		['http://[::1]:5678/', true],
		['http://0.0.0.0:5678/', true],
		['https://n8n.example.com/localhost', false],
		['https://localhost.example.com/', false],
		['http://192.168.1.4:5678/', false],
		['http://[2001:db8::1]/', false],
	])(
		'with one goes through; that only this machine reaches %s is logged: %s',
		async (url, isLogged) => {
			const { isActive, logged } = await activate({ webhookSecret: secret }, {}, `${url}webhook`);
			expect(isActive).toBe(true);
			expect(logged).toHaveLength(Number(isLogged));
			for (const line of logged) {
				expect(line).toMatch(/only this machine can reach.+http.+WEBHOOK_URL/);
			}
		},
	);
});
