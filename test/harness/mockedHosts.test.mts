/** The hosts of the internet that end-to-end tests play, for a small process instead of n8n. */
import { execFile } from 'node:child_process';
import { promisify } from 'node:util';

import { afterAll, beforeAll, expect, test } from 'vitest';

import { type MockedHosts, startMockedHosts } from '../e2e/mockedHosts.mts';

interface Posted {
	url: string;
	authorization: string | undefined;
	body: unknown;
}

const posted: Posted[] = [];
let hosts: MockedHosts;

beforeAll(async () => {
	hosts = await startMockedHosts({
		'one.example': (routes) => {
			routes.post('/api', ({ url, headers, body }, reply) => {
				posted.push({ url, authorization: headers.authorization, body });
				return reply.code(202).header('x-from', 'the test').send({ ok: true });
			});
		},
		'two.example': (routes) => {
			routes.get('/', () => 'two');
		},
	});
});

afterAll(async () => {
	await hosts.close();
});

/** Runs a module with the environment of n8n, and returns the JSON that it prints. */
async function run(source: string): Promise<unknown> {
	const { stdout } = await promisify(execFile)(
		process.execPath,
		['--input-type=module', '--eval', `console.log(JSON.stringify(await (${source})()));`],
		{ env: { ...process.env, ...hosts.environment } },
	);
	return JSON.parse(stdout);
}

test('sends what a process posts to a host to the test, and returns its response', async () => {
	const response = await run(`async () => {
		const headers = { 'Content-Type': 'application/json', Authorization: 'Bearer key' };
		const options = { method: 'POST', headers, body: '{"a":1}' };
		const response = await fetch('https://one.example/api?page=2', options);
		return [response.status, response.headers.get('x-from'), await response.json()];
	}`);
	expect(response).toEqual([202, 'the test', { ok: true }]);
	expect(posted).toEqual([
		{ url: '/one.example/api?page=2', authorization: 'Bearer key', body: { a: 1 } },
	]);
});

test('catches requests of the module https, which most libraries use', async () => {
	const body = await run(`async () => {
		const https = await import('node:https');
		const { text } = await import('node:stream/consumers');
		return await new Promise((resolve) => {
			https.get('https://two.example/', (response) => resolve(text(response)));
		});
	}`);
	expect(body).toBe('two');
});

test('responds 404 to other paths of a host', async () => {
	expect(await run(`async () => (await fetch('https://two.example/x')).status`)).toBe(404);
});

test('lets requests to all other hosts pass', async () => {
	const url = `${hosts.environment.TEST_MOCKED_HOSTS_SERVER ?? ''}/two.example/`;
	expect(await run(`async () => (await fetch('${url}')).text()`)).toBe('two');
});
