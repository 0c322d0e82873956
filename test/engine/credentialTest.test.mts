/** n8n's messages for the test of a credential, for each invalid value and each response. */
import { describe, expect, test } from 'vitest';

import { TestCredentials } from './credentials.mts';
import { testCredential } from './credentialsTester.mts';
import { actionType, createWorkflow, credentialType, newNode } from './engine.mts';
import { mockService } from './mockedService.mts';
import { createNodeRunner } from './nodeRunner.mts';
import { startTestService } from './service.mts';

const apiKey = 'key_1234567890';

// n8n 1.123 drops the cause of an error, so it never finds a status code or a network code, and
// shows messages of its own.
const hasOwnMessages = process.env.N8N_CORE_FOLDER !== undefined;

const contentType = { 'content-type': 'application/json' };

const ok = { status: 'OK', message: 'Connection successful!' };

test("sends n8n's declarative test, not one of the nodes", async () => {
	const { sandbox } = await startTestService();
	const { baseUrl, apiKey: key } = sandbox;
	expect(await testCredential({ baseUrl, apiKey: key })).toEqual(ok);
	const pasted = { baseUrl: `\u200b ${baseUrl}// \u2060`, apiKey: `${key}\n` };
	expect(await testCredential(pasted)).toEqual(ok);
	const requests = sandbox.books.requests().map(({ method, path }) => `${method} ${path}`);
	expect(requests).toEqual(['GET /api/sites', 'GET /api/sites']);
});

test.each(['Bearer ', 'bearer\t', ' BEARER  '])(
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

test.each([
	[200, '{"sites":[]}'],
	[200, '[]'],
	[200, '[{"id":"site_1"}]'],
	[200, '{"data":[{"id":"site_1"}],"has_more":false}'],
	[200, ' \n{"items":[]}'],
	[200, '{"results":null}'],
	[204, ''],
])('accepts HTTP %i with %s, as the nodes do', async (status, body) => {
	const { api, baseUrl, requests, run } = mockService({ apiKey });
	api.get('/sites').twice().reply(status, body, contentType);
	expect(await testCredential({ baseUrl, apiKey })).toEqual(ok);
	expect(requests).toEqual(['GET /sites']);
	expect((await run('site', 'getAll')).error?.message).toBeUndefined();
});

describe('explains how to fix the credential', () => {
	test.each([
		['without a URL', '', apiKey, /It's empty.*\/api/],
		['with a URL of blanks', ' \u200b', apiKey, /It's empty.*\/api/],
		['to a public http URL', 'http://app.example.com/api', apiKey, /must start with https/],
		['with an invalid key', undefined, 'two words', /an API key can't contain/],
		['without a key', undefined, '', /It's empty.*API Keys/],
		[
			'without https://',
			'app.example.com/api',
			apiKey,
			/Change it to https:\/\/app.example.com\/api/,
		],
		['with an invalid URL', 'https://app example/api', apiKey, /Check its spelling/],
		[
			'with a query string',
			'https://a.example/api?x=1',
			apiKey,
			/a question mark after the path.*Change it to https:\/\/a.example\/api/,
		],
		['with a fragment', 'https://a.example/api#top', apiKey, /a # after the path/],
		['with a password', 'https://a:b@a.example/api', apiKey, /a username or a password/],
	])('sends nothing %s', async (_, url, key, message) => {
		const { baseUrl, requests } = mockService();
		const result = await testCredential({ baseUrl: url ?? baseUrl, apiKey: key });
		expect(result).toEqual({ status: 'Error', message: expect.stringMatching(message) as unknown });
		expect(requests).toEqual([]);
	});

	test.each([
		[401, '{"error":{"code":"unauthorized"}}', /didn't accept the API key.*\(HTTP 401\)$/],
		[403, '<title>Just a moment...</title>', /plan.*firewall.*\(HTTP 403\)$/],
		[404, 'Not Found', /doesn't lead to the API.*end in \/api.*\(HTTP 404\)$/],
		[429, '', /rate limit.*Wait a minute.*\(HTTP 429\)$/],
		// n8n's own message.
		[503, '', /^Service Unavailable$/],
		[200, '<!doctype html>', /web page, not to the API.*end in \/api/],
		[200, '\ufeff<html>', /web page/],
		[200, '\r\n<html>', /web page/],
	])('HTTP %i with %j', async (status, body, message) => {
		const { api, baseUrl } = mockService({ apiKey });
		// n8n sends the request again after 401.
		api.persist().get('/sites').reply(status, body, contentType);
		const result = await testCredential({ baseUrl, apiKey });
		const expected = hasOwnMessages && status !== 200 ? /./ : message;
		expect(result).toEqual({
			status: 'Error',
			message: expect.stringMatching(expected) as unknown,
		});
	});

	test.each([301, 302, 307, 308])("HTTP %i, which isn't followed", async (status) => {
		const other = mockService({ apiKey });
		const { api, baseUrl, requests } = mockService({ apiKey });
		api.get('/sites').reply(status, '', { location: `${other.baseUrl}/sites` });
		const { status: outcome, message } = await testCredential({ baseUrl, apiKey });
		expect(outcome).toBe('Error');
		const expected = new RegExp(`redirects to another URL.*\\(HTTP ${status}\\)$`);
		expect(message).toMatch(hasOwnMessages ? /./ : expected);
		expect([requests.length, other.requests.length]).toEqual([1, 0]);
	});

	// docs/installing.md explains these codes.
	test.skipIf(hasOwnMessages)('a URL at which nothing responds', async () => {
		const result = await testCredential({ baseUrl: 'http://127.0.0.1:9/api', apiKey });
		expect(result).toEqual({ status: 'Error', message: 'ECONNREFUSED' });
	});
});
