/** n8n's messages for the test of a credential, for each invalid value and each failure. */
import type {
	ICredentialsDecrypted,
	ICredentialTestFunctions,
	INodeCredentialTestResult,
	IWorkflowExecuteAdditionalData,
} from 'n8n-workflow';
import { describe, expect, it } from 'vitest';

import { TestCredentials } from './credentials.mts';
import {
	actionType,
	createWorkflow,
	credentialType,
	newNode,
	nodeTypes,
	webhookType,
} from './engine.mts';
import { n8nCore } from './n8n.mts';
import { createNodeRunner } from './nodeRunner.mts';
import { pollingType } from './polling/poller.mts';
import { startTestService } from './service.mts';
import { startStubServer } from './stubServer.mts';
import { useVirtualTime } from './virtualTime.mts';

useVirtualTime();

const apiKey = 'key_1234567890';

type Test = (
	this: ICredentialTestFunctions,
	credential: ICredentialsDecrypted,
) => Promise<INodeCredentialTestResult>;

/** Tests a credential as n8n does: by the name in `testedBy`, on the first node that has it. */
async function test(
	data: Record<string, unknown>,
	type = actionType,
): Promise<INodeCredentialTestResult> {
	const node = nodeTypes().getByNameAndVersion(type);
	const name = node.description.credentials?.[0]?.testedBy as string;
	const method = ('methods' in node ? node.methods?.credentialTest?.[name] : undefined) as Test;
	const context = new n8nCore.CredentialTestContext({} as IWorkflowExecuteAdditionalData);
	const credential = { id: '1', name: 'Test', type: 'backlinkExchangeApi', data: data as never };
	return await method.call(context, credential);
}

/** Starts a server that always sends the same response. */
async function startServer(status: number, body: string, headers: Record<string, string> = {}) {
	const { baseUrl, requests } = await startStubServer((_request, response) => {
		response.writeHead(status, { 'content-type': 'application/json', ...headers }).end(body);
	});
	return { baseUrl, requests, host: new URL(baseUrl).host };
}

const ok = { status: 'OK', message: 'Connection successful' };

it.each([actionType, webhookType, pollingType])(
	'works through any node that n8n chooses (%s)',
	async (type) => {
		const { sandbox } = await startTestService();
		const { baseUrl, apiKey: key } = sandbox;
		expect(await test({ baseUrl, apiKey: key }, type)).toEqual(ok);
		const pasted = { baseUrl: `\u200b ${baseUrl}// \u2060`, apiKey: `${key}\n` };
		expect(await test(pasted, type)).toEqual(ok);
		const requests = sandbox.books.requests().map(({ method, path }) => `${method} ${path}`);
		expect(requests).toEqual(['GET /api/sites', 'GET /api/sites']);
	},
);

it.each(['Bearer ', 'bearer\t', ' BEARER  '])(
	'accepts a key with %j pasted in front, also in other nodes',
	async (word) => {
		const { sandbox } = await startTestService();
		const { baseUrl, apiKey: key } = sandbox;
		expect(await test({ baseUrl, apiKey: `${word}${key}` })).toEqual(ok);
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

describe('explains what is wrong, and how to fix it', () => {
	it.each([
		['without a URL', '', apiKey, /Enter the base URL.*\/api/],
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
	])('sends nothing %s', async (_, address, key, message) => {
		const { baseUrl, requests } = await startServer(200, '{"sites":[]}');
		const result = await test({ baseUrl: address ?? baseUrl, apiKey: key });
		expect(result).toEqual({ status: 'Error', message: expect.stringMatching(message) as unknown });
		expect(requests).toEqual([]);
	});

	it('a refused connection', async () => {
		const { message } = await test({ baseUrl: 'http://127.0.0.1:9/api', apiKey });
		expect(message).toContain('Nothing answers at 127.0.0.1:9');
		expect(message).toContain('Docker');
	});

	// Other responses, and that messages never contain the key: test/engine/action/errors.test.mts.
	it.each([
		[
			401,
			'{"error":{"code":"unauthorized","message":"Bad token"}}',
			/accept the API key.*“Bad token”/,
		],
		[403, '<title>Just a moment...</title>', /in front of the service.*“Just a moment...”/],
		[429, '', /request limit/],
		[200, '{"users":[]}', /Expected a list of sites, received an object with users/],
	])('HTTP %i with %s', async (status, body, message) => {
		const { baseUrl } = await startServer(status, body);
		const result = await test({ baseUrl, apiKey });
		expect(result).toEqual({ status: 'Error', message: expect.stringMatching(message) as unknown });
	});

	it("a redirect isn't followed, and the message suggests the base URL", async () => {
		const other = await startServer(200, '{"sites":[]}');
		const { baseUrl, requests } = await startServer(302, '', {
			location: `${other.baseUrl}/sites`,
		});
		const { status, message } = await test({ baseUrl, apiKey });
		expect(status).toBe('Error');
		expect(message).toContain(`Enter the base URL in the credential as ${other.baseUrl}`);
		expect([requests.length, other.requests.length]).toEqual([1, 0]);
	});
});
