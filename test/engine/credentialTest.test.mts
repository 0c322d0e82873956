/** What n8n shows when the credential is tested, for everything that can be wrong with it. */
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

/** The way n8n finds it: by the name in `testedBy`, on the first node that it comes across. */
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

/** A server that answers everything the same way. */
async function answering(status: number, body: string, headers: Record<string, string> = {}) {
	const { baseUrl, asked } = await startStubServer((_request, response) => {
		response.writeHead(status, { 'content-type': 'application/json', ...headers }).end(body);
	});
	return { baseUrl, asked, host: new URL(baseUrl).host };
}

const ok = { status: 'OK', message: 'Connection successful' };

it.each([actionType, webhookType, pollingType])(
	'works by whichever node n8n asks (%s)',
	async (type) => {
		const { sandbox } = await startTestService();
		const { baseUrl, apiKey: key } = sandbox;
		expect(await test({ baseUrl, apiKey: key }, type)).toEqual(ok);
		const pasted = { baseUrl: `\u200b ${baseUrl}// \u2060`, apiKey: `${key}\n` };
		expect(await test(pasted, type)).toEqual(ok);
		const asked = sandbox.books.requests().map(({ method, path }) => `${method} ${path}`);
		expect(asked).toEqual(['GET /api/sites', 'GET /api/sites']);
	},
);

it.each(['Bearer ', 'bearer\t', ' BEARER  '])(
	'a key that was pasted with %j in front works, also in other nodes',
	async (word) => {
		const { sandbox } = await startTestService();
		const { baseUrl, apiKey: key } = sandbox;
		expect(await test({ baseUrl, apiKey: `${word}${key}` })).toEqual(ok);
		const { run } = createNodeRunner({ baseUrl, apiKey: `${word}${key}` });
		expect((await run('credit', 'getBalance')).error?.message).toBeUndefined();
		// As n8n's HTTP Request node sends it, which knows nothing of this package.
		const { workflow, node } = createWorkflow(newNode('HTTP Request', actionType, {}));
		const credential = { baseUrl, apiKey: `${word}${key}` };
		const store = new TestCredentials(credentialType, credential);
		const request = { url: `${baseUrl}/sites` };
		const { headers } = await store.authenticate(credential, '', request, workflow, node);
		expect(headers).toEqual({ Authorization: `Bearer ${key}` });
	},
);

describe('says what is wrong, and how to fix it', () => {
	it.each([
		['without an address', '', apiKey, /Enter the base URL.*\/api/],
		[
			'where everybody on the way can read the key',
			'http://app.example.com/api',
			apiKey,
			/does not protect the API key/,
		],
		['with what is no key', undefined, 'two words', /characters that no key has/],
		['without a key', undefined, '', /Enter the API key/],
		[
			'without https://',
			'app.example.com/api',
			apiKey,
			/Enter it as https:\/\/app.example.com\/api/,
		],
		['with what is no address', 'https://app example/api', apiKey, /Check the spelling/],
		[
			'with a question',
			'https://a.example/api?x=1',
			apiKey,
			/Enter it as https:\/\/a.example\/api/,
		],
	])('nothing is sent %s', async (_, address, key, message) => {
		const { baseUrl, asked } = await answering(200, '{"sites":[]}');
		const result = await test({ baseUrl: address ?? baseUrl, apiKey: key });
		expect(result).toEqual({ status: 'Error', message: expect.stringMatching(message) as unknown });
		expect(asked).toEqual([]);
	});

	it('a connection that is refused', async () => {
		const { message } = await test({ baseUrl: 'http://127.0.0.1:9/api', apiKey });
		expect(message).toContain('Nothing answers at 127.0.0.1:9');
		expect(message).toContain('Docker');
	});

	// Every other answer, and that the key is in none of them: test/engine/action/errors.test.mts.
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
		const { baseUrl } = await answering(status, body);
		const result = await test({ baseUrl, apiKey });
		expect(result).toEqual({ status: 'Error', message: expect.stringMatching(message) as unknown });
	});

	it('a redirect, which is not followed: the key stays, and the base URL to enter is named', async () => {
		const other = await answering(200, '{"sites":[]}');
		const { baseUrl, asked } = await answering(302, '', { location: `${other.baseUrl}/sites` });
		const { status, message } = await test({ baseUrl, apiKey });
		expect(status).toBe('Error');
		expect(message).toContain(`Enter the base URL in the credential as ${other.baseUrl}`);
		expect([asked.length, other.asked.length]).toEqual([1, 0]);
	});
});
