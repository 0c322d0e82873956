/** n8n's messages for the test of a credential, for each invalid value and each response. */
import { describe, expect, it } from 'vitest';

import { TestCredentials } from './credentials.mts';
import { testCredential } from './credentialsTester.mts';
import {
	actionType,
	createWorkflow,
	credentialType,
	newNode,
	nodeTypes,
	webhookType,
} from './engine.mts';
import { createNodeRunner } from './nodeRunner.mts';
import { pollingType } from './polling/poller.mts';
import { startTestService } from './service.mts';
import { startStubServer } from './stubServer.mts';

const apiKey = 'key_1234567890';

// n8n 1.123 drops the cause of an error, so it never finds a status code or a network code, and
// shows messages of its own.
const hasOwnMessages = process.env.N8N_CORE_FOLDER !== undefined;

/** Starts a server that always sends the same response. */
async function startServer(status: number, body: string, headers: Record<string, string> = {}) {
	const { baseUrl, requests } = await startStubServer((_request, response) => {
		response.writeHead(status, { 'content-type': 'application/json', ...headers }).end(body);
	});
	return { baseUrl, requests };
}

const ok = { status: 'OK', message: 'Connection successful!' };

it("sends n8n's declarative test, not one of the nodes", async () => {
	const { sandbox } = await startTestService();
	const { baseUrl, apiKey: key } = sandbox;
	expect(await testCredential({ baseUrl, apiKey: key })).toEqual(ok);
	const pasted = { baseUrl: `\u200b ${baseUrl}// \u2060`, apiKey: `${key}\n` };
	expect(await testCredential(pasted)).toEqual(ok);
	const requests = sandbox.books.requests().map(({ method, path }) => `${method} ${path}`);
	expect(requests).toEqual(['GET /api/sites', 'GET /api/sites']);
	for (const type of [actionType, webhookType, pollingType]) {
		const { credentials = [] } = nodeTypes().getByNameAndVersion(type).description;
		expect(credentials).toEqual([{ name: 'backlinkExchangeApi', required: true }]);
	}
});

it.each(['Bearer ', 'bearer\t', ' BEARER  '])(
	'accepts a key with %j pasted in front, also in other nodes',
	async (word) => {
		const { sandbox } = await startTestService();
		const { baseUrl, apiKey: key } = sandbox;
		expect(await testCredential({ baseUrl, apiKey: `${word}${key}` })).toEqual(ok);
		const { run } = createNodeRunner({ baseUrl, apiKey: `${word}${key}` });
		expect((await run('credit', 'getBalance')).error?.message).toBeUndefined();
		// Like n8n's HTTP Request node, which doesn't know this package.
		const { workflow, node } = createWorkflow(newNode('HTTP Request', actionType, {}));
		const credential = { baseUrl, apiKey: `${word}${key}` };
		const store = new TestCredentials(credentialType, credential);
		const request = { url: `${baseUrl}/sites` };
		const { headers } = await store.authenticate(credential, '', request, workflow, node);
		expect(headers).toEqual({ Authorization: `Bearer ${key}` });
	},
);

it.each([
	[200, '{"sites":[]}'],
	[200, '[]'],
	[200, '[{"id":"site_1"}]'],
	[200, '{"data":[{"id":"site_1"}],"has_more":false}'],
	[200, ' \n{"items":[]}'],
	[200, '{"results":null}'],
	[204, ''],
])('accepts HTTP %i with %s, as the nodes do', async (status, body) => {
	const { baseUrl, requests } = await startServer(status, body);
	expect(await testCredential({ baseUrl, apiKey })).toEqual(ok);
	expect(requests.map(({ url }) => url)).toEqual(['/api/sites']);
	const { run } = createNodeRunner({ baseUrl, apiKey });
	expect((await run('site', 'getAll')).error?.message).toBeUndefined();
});

describe('explains how to fix the credential', () => {
	it.each([
		['without a URL', '', apiKey, /Enter the base URL.*\/api/],
		['with a URL of blanks', ' \u200b', apiKey, /Enter the base URL.*\/api/],
		['to a public http URL', 'http://app.example.com/api', apiKey, /does not protect the API key/],
		['with an invalid key', undefined, 'two words', /characters that no key has/],
		['without a key', undefined, '', /Enter the API key/],
		[
			'without https://',
			'app.example.com/api',
			apiKey,
			/Enter it as https:\/\/app.example.com\/api/,
		],
		['with an invalid URL', 'https://app example/api', apiKey, /Check the spelling/],
		[
			'with a query string',
			'https://a.example/api?x=1',
			apiKey,
			/Enter it as https:\/\/a.example\/api/,
		],
	])('sends nothing %s', async (_, url, key, message) => {
		const { baseUrl, requests } = await startServer(200, '{"sites":[]}');
		const result = await testCredential({ baseUrl: url ?? baseUrl, apiKey: key });
		expect(result).toEqual({ status: 'Error', message: expect.stringMatching(message) as unknown });
		expect(requests).toEqual([]);
	});

	it.each([
		[401, '{"error":{"code":"unauthorized"}}', /didn't accept the API key.*\(HTTP 401\)$/],
		[403, '<title>Just a moment...</title>', /plan.*firewall.*\(HTTP 403\)$/],
		[404, 'Not Found', /doesn't lead to the API.*\/api at its end.*\(HTTP 404\)$/],
		[429, '', /rate limit.*Wait a minute.*\(HTTP 429\)$/],
		// n8n's own message.
		[503, '', /^Service Unavailable$/],
		[200, '<!doctype html>', /web page, not to the API.*\/api at its end/],
		[200, '\ufeff<html>', /web page/],
		[200, '\r\n<html>', /web page/],
	])('HTTP %i with %j', async (status, body, message) => {
		const { baseUrl } = await startServer(status, body);
		const result = await testCredential({ baseUrl, apiKey });
		const expected = hasOwnMessages && status !== 200 ? /./ : message;
		expect(result).toEqual({
			status: 'Error',
			message: expect.stringMatching(expected) as unknown,
		});
	});

	it.each([301, 302, 307, 308])("HTTP %i, which isn't followed", async (status) => {
		const other = await startServer(200, '{"sites":[]}');
		const { baseUrl, requests } = await startServer(status, '', {
			location: `${other.baseUrl}/sites`,
		});
		const { status: outcome, message } = await testCredential({ baseUrl, apiKey });
		expect(outcome).toBe('Error');
		const expected = new RegExp(`redirects to another URL.*\\(HTTP ${status}\\)$`);
		expect(message).toMatch(hasOwnMessages ? /./ : expected);
		expect([requests.length, other.requests.length]).toEqual([1, 0]);
	});

	// docs/installing.md explains these codes.
	it.skipIf(hasOwnMessages)('a URL at which nothing responds', async () => {
		const result = await testCredential({ baseUrl: 'http://127.0.0.1:9/api', apiKey });
		expect(result).toEqual({ status: 'Error', message: 'ECONNREFUSED' });
	});
});

it('has messages in plain words', () => {
	const messages = (credentialType.test?.rules ?? []).map(({ properties }) => properties.message);
	for (const message of messages) expect(message).not.toMatch(/error|problem|failure|mistake/i);
});
