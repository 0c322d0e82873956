import { request as httpRequest } from 'node:http';
import { setTimeout } from 'node:timers/promises';
import { gzipSync } from 'node:zlib';

import type { ICredentialDataDecryptedObject, INodeParameters } from 'n8n-workflow';
import { describe, expect, it, onTestFinished } from 'vitest';

import { singleVariants } from '../../../sandbox/dialects.mts';
import { startSandbox } from '../../../sandbox/sandbox.mts';
import { begin, deliver, runs, secret, sign } from './deliver.mts';
import { activate } from './webhookServer.mts';

const accepted = { id: 'exc_1', accepted_at: '2026-07-01T12:00:00Z' };
const acceptedItem = {
	event: 'exchange.accepted',
	eventKey: 'exchange.accepted:exc_1:1782907200',
	data: accepted,
	source: 'webhook',
};

const received = { status: 200, message: 'Received' };
const refused = { status: 401, message: 'The signature could not be verified' };
const ignored = { status: 200, message: 'Ignored: the workflow does not use this event' };

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

	const wrappers: Array<[string, unknown, Record<string, string>?]> = [
		['bare', accepted],
		['event and data', { event: 'exchange.accepted', data: accepted }],
		['event and payload', { event: 'exchange.accepted', payload: accepted }],
		['type and data', { type: 'exchange.accepted', data: accepted }],
		['type and payload', { type: 'exchange.accepted', payload: accepted }],
		['data and the event in a header', { data: accepted }, { 'x-pb-event': 'exchange.accepted' }],
		['an array', [accepted]],
		['an array of wrapped ones', [{ event: 'exchange.accepted', data: accepted }]],
	];
	it.each(wrappers)('wrapped as %s gives the same item', async (_name, body, headers) => {
		const server = await begin();
		expect(await deliver(server, JSON.stringify(body), headers)).toEqual(received);
		expect(server.executions).toMatchObject([[acceptedItem]]);
	});

	it('with several events starts one execution with several items', async () => {
		const server = await begin();
		const alert = { exchange_id: 'exc_1', severity: 'high', type: 'link_removed', detail: 'gone' };
		expect(await deliver(server, JSON.stringify([accepted, alert, { nothing: 1 }]))).toEqual(
			received,
		);
		expect(server.executions).toMatchObject([
			[acceptedItem, { event: 'watchdog.alert', data: alert }],
		]);
	});

	const bodies: Array<[string, string | Buffer, Record<string, string>]> = [
		['no content type', JSON.stringify(accepted), { 'content-type': '' }],
		['text/plain', JSON.stringify(accepted), { 'content-type': 'text/plain' }],
		['octet-stream', JSON.stringify(accepted), { 'content-type': 'application/octet-stream' }],
		['+json', JSON.stringify(accepted), { 'content-type': 'application/vnd.pb+json' }],
		['a byte order mark', `\uFEFF${JSON.stringify(accepted)}`, {}],
		[
			'UTF-16',
			Buffer.from(JSON.stringify(accepted), 'utf16le'),
			{ 'content-type': 'application/json; charset=utf-16le' },
		],
		[
			'an unknown charset',
			JSON.stringify(accepted),
			{ 'content-type': 'application/json; charset=klingon' },
		],
	];
	it.each(bodies)('with %s is read all the same', async (_name, body, headers) => {
		const server = await begin();
		expect(await deliver(server, body, headers)).toEqual(received);
		expect(server.executions).toMatchObject([[acceptedItem]]);
	});

	it('in gzip is verified on what was compressed', async () => {
		const server = await begin();
		const body = JSON.stringify(accepted);
		const headers = { 'content-encoding': 'gzip', 'x-pb-signature': sign(body) };
		expect(await deliver(server, gzipSync(body), headers)).toEqual(received);
		expect(runs(server)).toBe(1);
	});

	it.each([
		['empty', ''],
		['malformed', '{"id":'],
		['a number', '5'],
		['null', 'null'],
		['an array of numbers', '[1]'],
		['not text', Buffer.from([0xff, 0xfe, 0x00])],
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

	it('in an array beside what is no event counts', async () => {
		const server = await begin();
		expect(await deliver(server, JSON.stringify([null, accepted, 5, [], 'x']))).toEqual(received);
		expect(server.executions).toMatchObject([[acceptedItem]]);
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
			const headers = { 'content-type': `application/json; charset=${charset}` };
			expect(await deliver(server, body, headers)).toEqual(received);
			expect(server.executions).toMatchObject([[{ data: { anchor: 'Käse für Zürich, 日本' } }]]);
		},
	);

	it('in the charset that the header names is read, if it is not UTF-8', async () => {
		const server = await begin();
		const body = Buffer.from(JSON.stringify({ ...accepted, anchor: 'Käse' }), 'latin1');
		const headers = { 'content-type': 'application/json; charset=iso-8859-1' };
		expect(await deliver(server, body, headers)).toEqual(received);
		expect(server.executions).toMatchObject([[{ data: { anchor: 'Käse' } }]]);
	});
});

describe('what is not signed', () => {
	const body = JSON.stringify(accepted);
	it.each([
		['without a signature', { 'x-pb-signature': '' }],
		['with another signature', { 'x-pb-signature': sign(body, 'another secret') }],
		['with the signature of another body', { 'x-pb-signature': sign(`${body} `) }],
		['with a stale timestamp', { 'x-pb-signature': `t=1,v1=${sign(`1.${body}`)}` }],
		['with a huge header', { 'x-pb-signature': 'a'.repeat(10_000) }],
	])('%s is answered 401 and starts nothing', async (_name, headers) => {
		const server = await begin();
		expect(await deliver(server, body, headers)).toEqual(refused);
		expect(runs(server)).toBe(0);
	});

	it.each([{ webhookSecret: '' }, { webhookSecret: '  ' }, { webhookSecret: undefined }])(
		'nothing is taken with %j, not even what is signed with it',
		async (credential) => {
			const server = await begin({}, credential);
			const headers = { 'x-pb-signature': sign(body, credential.webhookSecret ?? '') };
			expect(await deliver(server, body, headers)).toEqual(refused);
			expect(runs(server)).toBe(0);
		},
	);
});

describe('secrets', () => {
	const body = JSON.stringify(accepted);
	it('both count during a rotation, and a change counts after two seconds', async () => {
		const server = await begin({ options: { deduplicate: 0 } }, { previousWebhookSecret: 'old' });
		expect(await deliver(server, body)).toEqual(received);
		expect(await deliver(server, body, { 'x-pb-signature': sign(body, 'old') })).toEqual(received);
		server.credentials.values = { webhookSecret: 'new', previousWebhookSecret: '' };
		await setTimeout(2100);
		expect(await deliver(server, body, { 'x-pb-signature': sign(body, 'old') })).toEqual(refused);
		expect(await deliver(server, body)).toEqual(refused);
		expect(await deliver(server, body, { 'x-pb-signature': sign(body, 'new') })).toEqual(received);
		expect(runs(server)).toBe(3);
	});
});

describe('activation', () => {
	it.each([{}, { webhookSecret: '' }, { webhookSecret: ' \n' }, { previousWebhookSecret: 'old' }])(
		'without a secret (%j) is refused, and the message says how to put it right',
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
		[{ options: { tolerance: 'five minutes' } }, 'Tolerance'],
		[{ options: { tolerance: null } }, 'Tolerance'],
		[{ options: { deduplicate: -1 } }, 'Deduplicate'],
		[{ options: { deduplicate: 1e6 } }, 'Deduplicate'],
		[{ options: { signatureEncoding: 'rot13' } }, 'Signature Encoding'],
		[{ options: { signedContent: 5 } }, 'Signed Content'],
		[{ options: { unknownEvents: 'yes' } }, 'Unknown Events'],
		[{ options: { severity: '' } }, 'Severity'],
		[{ options: { sites: {} } }, 'Sites'],
	] as Array<[INodeParameters, string]>)(
		'with %j is refused, and so is each delivery, by the name of the setting',
		async (parameters, name) => {
			await expect(activate({ webhookSecret: secret }, parameters)).rejects.toThrow(`"${name}"`);
			const server = await begin(parameters);
			expect((await deliver(server, JSON.stringify(accepted))).status).toBe(503);
			expect(runs(server)).toBe(0);
			expect(server.logged).toEqual([expect.stringContaining(`"${name}"`)]);
		},
	);

	it('with one goes through', async () => {
		expect(await activate({ webhookSecret: secret })).toBe(true);
	});
});

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
		expect((await fetch(server.url, { method })).status).toBe(200);
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
		['a severity that is no text', alert(3), 0],
		['no severity', alert(), 1],
		['no alert', JSON.stringify(accepted), 1],
	])('on severity, with %s: %s, %i executions', async (_name, body, expected) => {
		const server = await begin({ options: { severity: 'critical, high' } });
		expect((await deliver(server, body)).status).toBe(200);
		expect(runs(server)).toBe(expected);
	});

	const offer = (from_site: unknown, to_site: unknown) =>
		JSON.stringify({ id: 'exc_1', from_site, to_site, anchor: 'a' });
	it.each([
		['at its beginning', offer('https://mine.example/', 'https://other.example/'), 1],
		['at its end', offer('https://other.example/', 'https://mine.example/'), 1],
		['written otherwise', offer('other.example', 'HTTP://www.mine.example'), 1],
		['by its id', offer('site_1', 'site_2'), 1],
		['in an object', offer({ id: 'x', url: 'https://mine.example' }, {}), 1],
		['at neither', offer('https://other.example/', 'https://mine.example.org/'), 0],
		['not named', JSON.stringify(accepted), 1],
	])('on sites, with one of them %s: %s, %i executions', async (_name, body, expected) => {
		const server = await begin({ options: { sites: 'https://mine.example/, site_2' } });
		expect((await deliver(server, body)).status).toBe(200);
		expect(runs(server)).toBe(expected);
	});
});

describe('duplicates', () => {
	const body = JSON.stringify(accepted);
	const again = { status: 200, message: 'Received already' };

	it('one after another or at once start one execution', async () => {
		const server = await begin();
		const answers = await Promise.all(Array.from({ length: 30 }, () => deliver(server, body)));
		answers.push(await deliver(server, body));
		expect(answers.filter(({ message }) => message === 'Received')).toEqual([received]);
		expect(answers.filter(({ message }) => message !== 'Received')).toEqual(Array(30).fill(again));
		expect(runs(server)).toBe(1);
	});

	it('other bytes, however alike, are another delivery', async () => {
		const server = await begin();
		for (const other of [body, `${body} `, body.replace('exc_1', 'exc_2')]) {
			expect(await deliver(server, other)).toEqual(received);
		}
		expect(runs(server)).toBe(3);
	});

	it('count as deliveries when that is turned off', async () => {
		const server = await begin({ options: { deduplicate: 0 } });
		expect(await deliver(server, body)).toEqual(received);
		expect(await deliver(server, body)).toEqual(received);
		expect(runs(server)).toBe(2);
	});

	it('another workflow gets its own', async () => {
		const [one, other] = [await begin(), await begin()];
		expect(await deliver(one, body)).toEqual(received);
		expect(await deliver(other, body)).toEqual(received);
	});

	it('a delivery that n8n could not take is taken when it comes again', async () => {
		const server = await begin();
		server.beforeExecution = () => Promise.reject(new Error('the database is away'));
		expect((await deliver(server, body)).status).toBe(500);
		server.beforeExecution = () => Promise.resolve();
		expect(await deliver(server, body)).toEqual(received);
		expect(server.executions).toHaveLength(1);
	});

	it('of two at once, the second takes over when n8n could not take the first', async () => {
		const server = await begin();
		let first = true;
		server.beforeExecution = async () => {
			if (!first) return;
			first = false;
			await setTimeout(200);
			throw new Error('the database is away');
		};
		const statuses = await Promise.all([
			deliver(server, body),
			deliver(server, body),
			deliver(server, body),
		]);
		expect(statuses.map(({ message }) => message).sort()).toEqual([
			'Received',
			'Received already',
			'Workflow could not be started!',
		]);
		expect(server.executions).toHaveLength(1);
	});

	it('whose sender did not wait for the answer: asked to come again, then known as received', async () => {
		const server = await begin();
		let release = () => {};
		const entered = new Promise<void>((resolveEntered) => {
			server.beforeExecution = async () => {
				resolveEntered();
				await new Promise<void>((resolve) => (release = resolve));
			};
		});
		const impatient = httpRequest(server.url, {
			method: 'POST',
			headers: { 'content-type': 'application/json', 'x-pb-signature': sign(body) },
		});
		impatient.on('error', () => undefined);
		impatient.end(body);
		await entered;
		impatient.destroy();
		expect((await deliver(server, body)).status).toBe(503);
		release();
		await expect.poll(() => server.executions.length).toBe(1);
		expect(await deliver(server, body)).toEqual(again);
		expect(server.executions).toHaveLength(1);
	});
});

describe('every variant of what the document does not show', () => {
	const axes = [
		'signatureEncoding',
		'signatureHeader',
		'signedContent',
		'hmacKey',
		'wrapper',
		'delivery',
		'times',
	] as const;
	it.each(axes.flatMap((axis) => singleVariants(axis)))(
		'$name: each event arrives once',
		async ({ settings }) => {
			const server = await begin();
			const sandbox = await startSandbox({
				dialect: settings,
				webhook: { url: server.url, secret },
				delivery: { lateMilliseconds: 20 },
			});
			onTestFinished(() => sandbox.close());
			const { id } = sandbox.requestOffer();
			sandbox.accept(id);
			sandbox.publish(id);
			sandbox.alert({ exchangeId: id });
			await sandbox.settled();
			const events = server.executions.flat().map(({ event }) => event as string);
			expect(events.sort()).toEqual([
				'exchange.accepted',
				'exchange.published',
				'exchange.requested',
				'watchdog.alert',
			]);
			expect(server.failures).toEqual([]);
		},
	);
});
