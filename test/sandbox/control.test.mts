/** Control over HTTP and from the command line, and who may not have it. */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { connect } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

import { describe, expect, it, onTestFinished } from 'vitest';

import { parseCommand } from '../../sandbox/commandLine.mts';
import type { Sandbox } from '../../sandbox/sandbox.mts';
import { askUrl, errorOf, openReceiver, openSandbox, secret } from './harness.mts';

const order = (
	sandbox: Sandbox,
	path: string,
	json: unknown = {},
	headers: Record<string, string> = {},
) => askUrl('POST', `${sandbox.origin}/control${path}`, { json, headers });

describe('the control of a running sandbox', () => {
	it('makes everything happen that the service can do', async () => {
		const receiver = await openReceiver();
		const sandbox = await openSandbox();
		await order(sandbox, '/webhook', { url: receiver.url, secret });
		await order(sandbox, '/sites', { url: 'https://mine.example', niche: 'x' });
		await order(sandbox, '/offers', { count: 50, cost: 1 });
		const [first, second] = sandbox.books.exchanges().map(({ id }) => id);
		for (const path of ['/accept', '/publish', '/break']) {
			expect((await order(sandbox, path, { id: first })).status).toBe(200);
		}
		for (const event of ['exchange.accepted', 'exchange.published']) {
			expect((await order(sandbox, '/event', { event })).status).toBe(200);
		}
		await order(sandbox, '/alert', { severity: 'critical', exchangeId: second });
		await order(sandbox, '/credits', { credits: 0 });
		await sandbox.settled();
		expect(sandbox.books.exchanges()).toHaveLength(50);
		expect(sandbox.books.exchange(first ?? '').status).toBe('broken');
		expect(sandbox.books.exchange(second ?? '').status).toBe('live');
		expect(sandbox.books.balance()).toBe(0);
		expect(sandbox.books.watchdogEvents().map(({ severity }) => severity)).toEqual([
			'critical',
			'critical',
		]);
		expect(receiver.received).toHaveLength(50 + 2 + 2 + 2);
	});

	it('changes the settings', async () => {
		const sandbox = await openSandbox();
		await order(sandbox, '/plan', { plan: 'agency' });
		await order(sandbox, '/read-only', { readOnly: true });
		await order(sandbox, '/dialect', { dialect: 'enveloped' });
		await order(sandbox, '/dialect', { dialect: { pagination: 'link' } });
		await order(sandbox, '/verification', { outcome: 'rejected', delayMilliseconds: 5 });
		await order(sandbox, '/faults', { kind: 'not-json', times: 3 });
		const { json } = await askUrl('GET', `${sandbox.origin}/control/state`);
		expect(json).toMatchObject({
			plan: 'agency',
			readOnly: true,
			dialect: { listShape: 'data', pagination: 'link' },
			verification: { outcome: 'rejected', delayMilliseconds: 5 },
			faults: [{ kind: 'not-json', times: 3 }],
		});
		await order(sandbox, '/faults/clear');
		expect(sandbox.faults()).toEqual([]);
	});

	it('makes and revokes keys', async () => {
		const sandbox = await openSandbox();
		const { json } = await order(sandbox, '/keys', { name: 'n8n' });
		const { id, key } = json as { id: number; key: string };
		const status = async () =>
			(
				await askUrl('GET', `${sandbox.baseUrl}/sites`, {
					headers: { authorization: `Bearer ${key}` },
				})
			).status;
		expect(await status()).toBe(200);
		await order(sandbox, '/keys/revoke', { id });
		expect(await status()).toBe(401);
	});

	it('lets tests in other processes read the books', async () => {
		const sandbox = await openSandbox();
		const { id } = sandbox.requestOffer({ cost: 5 });
		await askUrl('POST', `${sandbox.baseUrl}/exchanges/${id}/accept`, {
			headers: { authorization: `Bearer ${sandbox.apiKey}` },
		});
		const read = async (path: string) =>
			(await askUrl('GET', `${sandbox.origin}/control/books${path}`)).json;
		expect(await read(`/exchanges/${id}`)).toMatchObject({
			accepts: 1,
			creditsSpent: 5,
			exchange: { status: 'accepted' },
		});
		expect(await read(`/requests?exchangeId=${id}&status=200`)).toMatchObject([
			{ method: 'POST', keyId: 1 },
		]);
		expect(await read('/requests?status=500')).toEqual([]);
		expect(await read('/deliveries?event=exchange.accepted')).toMatchObject([
			{ exchangeId: id, state: 'no webhook' },
		]);
	});

	it('shows the webhook secret to its own page, and to no other site', async () => {
		const sandbox = await openSandbox({ webhook: { url: 'http://127.0.0.1:9/hook', secret } });
		const state = (headers: Record<string, string>) =>
			askUrl('GET', `${sandbox.origin}/control/state`, { headers });
		expect((await state({})).text).toContain(secret);
		for (const [name, value] of [
			['origin', 'https://evil.example'],
			['host', 'evil.example'],
		] as const) {
			const { status, text } = await state({ [name]: value });
			expect(status).toBe(403);
			expect(text).not.toContain(secret);
		}
	});

	it('makes up a secret the first time, keeps it for another URL, and never stores an empty one', async () => {
		const sandbox = await openSandbox();
		await order(sandbox, '/webhook', { url: 'http://127.0.0.1:9/first' });
		const made = sandbox.webhook()?.secret ?? '';
		expect(made).toMatch(/^whsec_.{32}$/);
		await order(sandbox, '/webhook', { url: 'http://127.0.0.1:9/second' });
		expect(sandbox.webhook()).toEqual({ url: 'http://127.0.0.1:9/second', secret: made });
	});

	it('sends a test event once, whatever is answered, and changes nothing', async () => {
		const receiver = await openReceiver();
		const sandbox = await openSandbox({ webhook: { url: receiver.url, secret } });
		const { id } = sandbox.requestOffer();
		await sandbox.settled();
		receiver.answers.push(500);
		const answer = await askUrl('POST', `${sandbox.origin}/control/test-event`, {
			json: { event: 'exchange.accepted' },
		});
		expect(answer.json).toMatchObject({ status: 500, answer: 'answer 500' });
		expect(receiver.received.at(-1)?.json).toMatchObject({ id });
		expect(sandbox.books.exchange(id).status).toBe('pending');
		expect(sandbox.books.deliveries({ event: 'exchange.accepted' })).toMatchObject([
			{ state: 'given up', attempts: 1 },
		]);
		const alone = await openSandbox();
		const refused = await askUrl('POST', `${alone.origin}/control/test-event`, {
			json: { event: 'watchdog.alert' },
		});
		expect([refused.status, errorOf(refused).code]).toEqual([409, 'no_webhook']);
	});

	it.each([
		['/plan', { plan: 'gold' }, 400],
		['/offers', { count: 100_000 }, 400],
		['/offers', { cost: -1 }, 400],
		['/offers', { colour: 'red' }, 400],
		['/accept', { id: 'none' }, 404],
		['/publish', {}, 400],
		['/credits', { credits: 1.5 }, 400],
		['/dialect', { dialect: 'nope' }, 422],
		['/dialect', { dialect: '/etc/secrets.json' }, 422],
		['/webhook', { url: 'ftp://x', secret: 's' }, 422],
		['/webhook', { url: 'http://x', secret: '' }, 422],
		['/faults', { kind: 'nope' }, 422],
		['/redeliver', { id: 1 }, 404],
	])('refuses what makes no sense: %s %j', async (path, body, status) => {
		const sandbox = await openSandbox();
		const answer = await order(sandbox, path, body);
		expect([answer.status, errorOf(answer).message !== '']).toEqual([status, true]);
		expect(sandbox.books.exchanges()).toEqual([]);
	});
});

describe("other sites' pages", () => {
	const refusals: [string, Record<string, string>, number][] = [
		['of another origin', { origin: 'https://evil.example' }, 403],
		['of an opaque origin', { origin: 'null' }, 403],
		['of another port', { origin: 'http://127.0.0.1:1' }, 403],
		['that the browser calls cross-site', { 'sec-fetch-site': 'cross-site' }, 403],
		['that the browser calls same-site', { 'sec-fetch-site': 'same-site' }, 403],
		['under a rebound name', { host: 'evil.example' }, 403],
		['with a form', { 'content-type': 'application/x-www-form-urlencoded' }, 415],
		['with plain text', { 'content-type': 'text/plain' }, 415],
	];

	it.each(refusals)('%s can change nothing', async (_name, headers, status) => {
		const sandbox = await openSandbox();
		const answer = await order(sandbox, '/offers', {}, headers);
		expect([answer.status, sandbox.books.exchanges()]).toEqual([status, []]);
		if (status === 403) {
			expect((await askUrl('GET', `${sandbox.origin}/control/state`, { headers })).status).toBe(
				403,
			);
		}
	});

	it('get no permission to try, and the own page needs none', async () => {
		const sandbox = await openSandbox();
		const preflight = await askUrl('OPTIONS', `${sandbox.origin}/control/offers`, {
			headers: { origin: 'https://evil.example' },
		});
		expect(preflight.headers['access-control-allow-origin']).toBeUndefined();
		expect(
			(
				await order(
					sandbox,
					'/offers',
					{},
					{ origin: sandbox.origin, 'sec-fetch-site': 'same-origin' },
				)
			).status,
		).toBe(200);
	});

	it('cannot frame the dashboard', async () => {
		const sandbox = await openSandbox();
		const { headers } = await askUrl('GET', `${sandbox.origin}/`);
		expect(headers['content-security-policy']).toContain("frame-ancestors 'none'");
	});

	it('would have to be on this machine: the sandbox listens on loopback', async () => {
		const { origin } = await openSandbox();
		expect(new URL(origin).hostname).toBe('127.0.0.1');
	});
});

describe('what is no HTTP', () => {
	it('gets the documented error body', async () => {
		const sandbox = await openSandbox();
		const socket = connect(Number(new URL(sandbox.origin).port), '127.0.0.1');
		socket.end('nonsense\r\n\r\n');
		let text = '';
		for await (const chunk of socket) text += String(chunk);
		expect(text).toMatch(/^HTTP\/1\.1 400/);
		expect(JSON.parse(text.split('\r\n\r\n')[1] ?? '')).toMatchObject({
			error: { code: 'bad_request' },
		});
	});
});

/** Runs the command line to its end. */
async function run(...args: string[]): Promise<{ code: unknown; out: string; err: string }> {
	const child = spawn(process.execPath, ['sandbox/main.mts', ...args]);
	let [out, err] = ['', ''];
	child.stdout.on('data', (chunk: Buffer) => (out += chunk.toString()));
	child.stderr.on('data', (chunk: Buffer) => (err += chunk.toString()));
	const [code] = (await once(child, 'close')) as [unknown];
	return { code, out, err };
}

describe('the command line', () => {
	it('steers a running sandbox', async () => {
		const sandbox = await openSandbox();
		const port = new URL(sandbox.origin).port;
		sandbox.requestOffer({ id: 'e1' });
		expect(
			await run(
				'event',
				'watchdog.alert',
				'--severity',
				'critical',
				'--exchange',
				'e1',
				'--port',
				port,
			),
		).toEqual({
			code: 0,
			out: 'watchdog.alert has happened.\n',
			err: '',
		});
		expect(sandbox.books.watchdogEvents()).toMatchObject([
			{ severity: 'critical', exchangeId: 'e1' },
		]);
		const file = join(mkdtempSync(join(tmpdir(), 'command-')), 'mine.json');
		onTestFinished(() => {
			rmSync(join(file, '..'), { recursive: true });
		});
		writeFileSync(file, '{"times": "epoch-seconds"}');
		expect((await run('set', 'dialect', file, '--port', port)).code).toBe(0);
		expect(sandbox.dialect().times).toBe('epoch-seconds');
		expect(await run('event', 'exchange.published', '--port', port)).toMatchObject({
			code: 1,
			err: 'There is no accepted exchange that this could happen to.\n',
		});
	});

	it('starts a sandbox, which stops when it is told to', async () => {
		const child = spawn(process.execPath, [
			'sandbox/main.mts',
			'--port',
			'0',
			'--data',
			':memory:',
			'--seed',
			'x',
			'--plan',
			'agency',
			'--api-key',
			'my-key',
			'--dialect',
			'pagination=link',
		]);
		const [chunk] = (await once(child.stdout, 'data')) as [Buffer];
		const base = /Base URL: +(\S+)/.exec(chunk.toString())?.[1] ?? '';
		const answer = await askUrl('GET', `${base}/exchanges`, {
			headers: { authorization: 'Bearer my-key' },
		});
		expect([answer.status, answer.headers['x-ratelimit-remaining']]).toEqual([200, '239']);
		child.kill('SIGTERM');
		expect(await once(child, 'exit')).toEqual([0, null]);
	});

	it('says what is wrong, and how to put it right', async () => {
		const sandbox = await openSandbox();
		const taken = await run('--port', new URL(sandbox.origin).port, '--data', ':memory:');
		expect(taken).toMatchObject({
			code: 1,
			err: expect.stringMatching(
				/^Port \d+ is in use\. Choose another one with --port\.\n$/,
			) as string,
		});
		await sandbox.close();
		expect(
			(await run('event', 'watchdog.alert', '--port', new URL(sandbox.origin).port)).err,
		).toMatch(/^No sandbox is running at/);
	});

	it.each([
		[['frobnicate'], /no command "frobnicate"/],
		[['--colour', 'red'], /Unknown option '--colour'/],
		[['--plan', 'gold'], /no plan "gold"/],
		[['--port', 'high'], /--port takes a whole number/],
		[['--port', '70000'], /up to 65535/],
		[['event'], /Which event\?/],
		[['event', 'exchange.broken'], /Which event\?/],
		[['event', 'watchdog.alert', 'twice'], /more than event takes/],
		[['event', 'watchdog.alert', '--plan', 'pro'], /--plan does not go with event/],
		[['set', 'colour', 'red'], /no setting "colour"/],
		[['set', 'plan'], /Say what to set/],
		[['set', 'read-only', 'maybe'], /on or off/],
		[['fault', 'nope'], /Which fault\?/],
	])('refuses %j', (args, message) => {
		expect(() => parseCommand(args)).toThrow(message);
	});

	it('explains itself', () => {
		const text = (args: string[]) => {
			const command = parseCommand(args);
			return command.name === 'print' ? command.text : '';
		};
		for (const option of ['--port', '--plan', '--dialect', '--data', '--seed']) {
			expect(text(['--help'])).toContain(option);
		}
		expect(text(['dialects'])).toContain('listShape=resource | array');
		expect(text(['faults'])).toContain('cut-after-commit');
	});
});
