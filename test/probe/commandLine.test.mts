/** `npm run probe` as a person runs it: a process with an environment and a terminal. */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, readFileSync } from 'node:fs';
import { createServer } from 'node:http';
import path from 'node:path';

import { expect, test } from 'vitest';

import { findFreePort } from '../../playground/n8n/ports.mts';
import type { Report } from '../../probe/report.mts';
import { singleVariants } from '../../sandbox/dialects.mts';
import type { Sandbox, SandboxOptions } from '../../sandbox/sandbox.mts';
import { openSandbox } from '../sandbox/harness.mts';
import { listen, temporaryFolder } from '../untilTheTestEnds.mts';

async function probe(
	args: string[],
	{ environment = {}, input = '' }: { environment?: Record<string, string>; input?: string } = {},
) {
	const file = path.join(temporaryFolder(), 'report.json');
	const child = spawn(process.execPath, ['probe/main.mts', ...args, '--report', file], {
		env: { PATH: process.env.PATH, ...environment },
		stdio: ['pipe', 'pipe', 'pipe'],
	});
	let output = '';
	for (const stream of [child.stdout, child.stderr]) {
		stream.setEncoding('utf8').on('data', (text: string) => (output += text));
	}
	child.stdin.end(input);
	const [code] = (await once(child, 'close')) as [number | null];
	const report = existsSync(file) ? (JSON.parse(readFileSync(file, 'utf8')) as Report) : undefined;
	return { code, output, report };
}

const open = (options: SandboxOptions = {}) => openSandbox({ seed: 'demo', ...options });
const toBase = ({ baseUrl }: Sandbox) => baseUrl;
const wrongKey = { BACKLINK_EXCHANGE_API_KEY: 'wrong' };
const confirmation = (id: string) => `spend an unknown number of credits on ${id}\n`;
const accept = (sandbox: Sandbox, id: string, input: string) =>
	probe([sandbox.baseUrl, '--accept', id], { environment: keyOf(sandbox), input });
const keyOf = ({ apiKey }: Sandbox) => ({ BACKLINK_EXCHANGE_API_KEY: apiKey });

test('with the key from the environment it prints what it sees and writes the report', async () => {
	const sandbox = await open();
	const { code, output, report } = await probe([sandbox.baseUrl], { environment: keyOf(sandbox) });
	expect(output).toContain('exchanges: list shape: array in exchanges');
	expect(report).toMatchObject({ probe: 1, dialect: { listShape: 'resource' } });
	expect(output).not.toContain(sandbox.apiKey);
	expect(code).toBe(0);
});

test('without it, it asks for the key and does not show it', async () => {
	const sandbox = await open();
	const { code, output } = await probe([sandbox.baseUrl], { input: `${sandbox.apiKey}\n` });
	expect(output).toContain('API key');
	expect(output).not.toContain(sandbox.apiKey);
	expect(code).toBe(0);
});

test.each([['--key'], ['--api-key'], ['--apiKey']])(
	'%s is refused, and what follows is not repeated',
	async (option) => {
		const { code, output } = await probe(['http://127.0.0.1:1/api', option, 'my-secret-key']);
		expect(output).toContain('does not know');
		expect(output).not.toContain('my-secret-key');
		expect(code).toBe(1);
	},
);

test('nothing entered: it says which variable to set', async () => {
	const { code, output } = await probe(['http://127.0.0.1:1/api']);
	expect(output).toContain('BACKLINK_EXCHANGE_API_KEY');
	expect(code).toBe(1);
});

test.each<[string, SandboxOptions, (sandbox: Sandbox) => string, object, string]>([
	['a wrong key', {}, toBase, wrongKey, 'does not accept this key'],
	['a plan without API access', { plan: 'none' }, toBase, {}, 'Pro or the Agency plan'],
	['an address without /api', {}, ({ origin }) => origin, {}, 'end in /api'],
	['nobody listens', {}, () => 'http://127.0.0.1:1/api', {}, 'nothing listens'],
])('%s', async (_, options, address, key, said) => {
	const sandbox = await open(options);
	const environment = { ...keyOf(sandbox), ...key };
	const { code, output, report } = await probe([address(sandbox)], { environment });
	expect(output).toContain(said);
	expect(code).toBe(1);
	expect(report).toBeUndefined();
});

test('a redirect is not followed, so that the key stays', async () => {
	const sandbox = await open();
	const server = createServer((request, response) => {
		response.writeHead(301, { location: sandbox.origin + (request.url ?? '') }).end();
	});
	const port = await listen(server);
	const { code, output } = await probe([`http://127.0.0.1:${port}/api`], {
		environment: keyOf(sandbox),
	});
	expect(output).toContain('redirects');
	expect(code).toBe(1);
	expect(sandbox.books.requests()).toEqual([]);
});

test.each(singleVariants('accept'))('--accept finds out $name', async ({ settings }) => {
	const sandbox = await open({ dialect: settings });
	const { id } = sandbox.requestOffer({ cost: 10 });
	const { code, output, report } = await accept(sandbox, id, confirmation(id));
	expect(report?.dialect).toEqual(settings);
	expect(output).toContain('deducted at once');
	expect(JSON.stringify(report)).not.toContain(id);
	expect(sandbox.books.acceptsOf(id)).toBe(1);
	expect(code).toBe(0);
});

test.each([
	['is confirmed with nothing', ''],
	['is confirmed with "yes"', 'yes\n'],
	['is confirmed with another id', confirmation('exc_other')],
	['is about what is not pending', confirmation('exc_1')],
])('--accept that %s sends nothing', async (title, input) => {
	const sandbox = await open();
	const { id } = sandbox.requestOffer({ id: 'exc_1', cost: 10 });
	if (title.endsWith('not pending')) sandbox.accept(id);
	const { code, output } = await accept(sandbox, id, input);
	expect(output).toContain('Nothing was sent.');
	expect(code).toBe(1);
	expect(sandbox.books.requests().filter(({ method }) => method === 'POST')).toEqual([]);
});

test('--listen receives deliveries and ends after as many as asked for', async () => {
	const secret = 'a secret of the probe';
	// Sent again until the probe listens.
	const sandbox = await open({ delivery: { backoffMilliseconds: Array(100).fill(500) } });
	const port = await findFreePort();
	const running = probe(['--listen', String(port), '--deliveries', '1'], {
		environment: { BACKLINK_EXCHANGE_WEBHOOK_SECRET: secret },
	});
	sandbox.setWebhook({ url: `http://127.0.0.1:${port}/`, secret });
	sandbox.alert({ detail: 'not to be shown' });
	const { code, output, report } = await running;
	expect(report?.dialect).toMatchObject({ signatureEncoding: 'hex', wrapper: 'bare' });
	expect(output + JSON.stringify(report)).not.toContain('not to be shown');
	expect(output).not.toContain(secret);
	expect(code).toBe(0);
});
