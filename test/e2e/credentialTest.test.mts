/** What n8n's own server answers when a person tests the credential. */
import { afterAll, beforeAll, expect, it } from 'vitest';

import { type Sandbox, startSandbox } from '../../sandbox/sandbox.mts';
import { RealN8n } from './realN8n.mts';
import { Editor } from './workflows/editor.mts';

let n8n: RealN8n;
let sandbox: Sandbox;
let editor: Editor;

beforeAll(async () => {
	sandbox = await startSandbox({});
	n8n = await RealN8n.prepare();
	await n8n.start();
	editor = await Editor.open(n8n);
});

afterAll(async () => {
	await n8n.remove();
	await sandbox.close();
});

const account = () => ({ baseUrl: sandbox.baseUrl, apiKey: sandbox.apiKey });

it.each([
	['works', () => account(), /successful/],
	[
		'no /api',
		() => ({ ...account(), baseUrl: sandbox.baseUrl.replace(/\/api$/, '') }),
		/has to end in \/api/,
	],
	['a wrong key', () => ({ ...account(), apiKey: 'wrong' }), /does not accept the API key/],
])('%s', async (name, data, message) => {
	const type = 'backlinkExchangeApi';
	const body = { name, type, data: data() };
	const { id } = (await editor.request('POST', '/rest/credentials', body)) as { id: string };
	const credentials = { id, ...body };
	const result = (await editor.request('POST', '/rest/credentials/test', { credentials })) as {
		message: string;
	};
	expect(result.message).toMatch(message);
});
