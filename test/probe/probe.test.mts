/** `npm run probe`: the responses of a real service, and how the nodes parse them. */
import { spawn } from 'node:child_process';
import { once } from 'node:events';

import { expect, test } from 'vitest';

import { errorMessages } from '../../nodes/shared/errorMessages.ts';
import type { Sandbox } from '../../sandbox/sandbox.mts';
import { root } from '../repository.mts';
import { openSandbox } from '../sandbox/harness.mts';
import { probe } from './probe.mts';
import { describeShape } from './shape.mts';

/**
 * Probes a sandbox with something in each list.
 *
 * @returns the output
 */
async function probed(change: (sandbox: Sandbox) => void = () => undefined) {
	const sandbox = await openSandbox({ seed: 'demo' });
	change(sandbox);
	const lines: string[] = [];
	const areParsed = await probe(sandbox.baseUrl, sandbox.apiKey, (line) => lines.push(line));
	return { sandbox, text: lines.join('\n'), areParsed };
}

test('reports each response and how the nodes parse it, and sends only GET requests', async () => {
	const { sandbox, text, areParsed } = await probed();
	expect(areParsed).toBe(true);
	expect(text).toMatch(
		/^GET \/sites\n {2}came: {3}200, \{ sites: \d × \{ id: text, url: address, /,
	);
	expect(text).toMatch(
		/; x-ratelimit-remaining: number of \d+ digits; x-ratelimit-reset: epoch seconds; date: HTTP date$/m,
	);
	expect(text).toMatch(/^ {2}nodes: {2}site getAll: \d items, each with id, url, niche/m);
	for (const status of ['pending', 'accepted', 'live', 'broken']) {
		expect(text).toContain(`GET /exchanges?status=${status}`);
	}
	expect(text).toContain(
		'GET /sites and GET /exchanges\n  directions: 12 incoming, 3 outgoing; 0 with neither end among your sites, counted as incoming',
	);
	expect(text).toMatch(/credit getLedger: \d+ items/);
	expect(text).toMatch(/watchdogEvent getAll: \d+ items/);
	expect(text).toContain('account getSummary: understood');
	expect(sandbox.books.requests().every(({ method }) => method === 'GET')).toBe(true);
});

test('prints nothing private: no key, URL, site, anchor text or ID', async () => {
	const { sandbox, text } = await probed();
	const sites = sandbox.books.sites().map(({ url }) => url);
	const partners = sandbox.books.exchanges().flatMap(({ fromSite, toSite }) => [fromSite, toSite]);
	const ids = sandbox.books.exchanges().flatMap(({ id, anchor }) => [id, anchor]);
	for (const secret of [sandbox.apiKey, sandbox.origin, ...sites, ...partners, ...ids]) {
		expect(text).not.toContain(secret);
	}
	expect(describeShape({ exc_1: 1, 'a.example': { b: 'https://x.example' } })).toBe(
		'{ (unusual name): number, (unusual name): { b: address } }',
	);
});

test('reports an unreadable response with the message of the nodes', async () => {
	const body = '<html>secret page</html>';
	const { text, areParsed } = await probed((sandbox) => {
		const path = '/api/watchdog';
		sandbox.addFault({ kind: 'answer-after-commit', status: 200, body, path, times: 100 });
	});
	expect(areParsed).toBe(false);
	expect(text).toMatch(
		/came: {3}200, a web page.*\n {2}nodes: {2}watchdogEvent getAll: ✗ The service returned an unexpected response/,
	);
	expect(text).not.toContain('secret page');
});

/** Runs the probe as a user does. */
async function run(args: string[], key: string | undefined, typed = '') {
	const child = spawn(process.execPath, ['test/probe/main.mts', ...args], {
		cwd: root,
		env: { PATH: process.env.PATH, ...(key !== undefined && { BACKLINK_EXCHANGE_API_KEY: key }) },
		stdio: ['pipe', 'pipe', 'pipe'],
	});
	let output = '';
	for (const stream of [child.stdout, child.stderr]) {
		stream.setEncoding('utf8').on('data', (text: string) => (output += text));
	}
	child.stdin.end(typed);
	const [code] = (await once(child, 'close')) as [number | null];
	return { code, output };
}

test('reads the key from the environment, or prompts for it without showing it', async () => {
	const sandbox = await openSandbox();
	const asked = await run([sandbox.baseUrl], undefined, `${sandbox.apiKey}\n`);
	expect(asked.code).toBe(0);
	expect(asked.output).toContain('API key (it is not shown)');
	expect(asked.output).not.toContain(sandbox.apiKey);
	const wrong = await run([sandbox.baseUrl], 'wrong');
	expect(wrong.code).toBe(1);
	expect(wrong.output).toContain(`✗ ${errorMessages.apiKeyNotAccepted}`);
}, 120_000);

test.each([[[]], [['my-secret-key']], [['https://a.example/api?key=my-secret-key']]])(
	"doesn't repeat an invalid URL: %j",
	async (args) => {
		const { code, output } = await run(args, 'any');
		expect(code).toBe(1);
		expect(output).toContain('The probe takes one web address.');
		expect(output).not.toContain('my-secret-key');
	},
);
