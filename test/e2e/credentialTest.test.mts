/**
 * The response of n8n's own server when a user tests the credential. All messages:
 * test/engine/credentialTest.test.mts.
 */
import { expect, test } from 'vitest';

import { useWorld } from './workflows/environment.mts';

const world = useWorld();

test.each<[name: string, changed: Record<string, () => string>, message: RegExp]>([
	['works', {}, /^Connection successful!$/],
	['blanks and slashes', { baseUrl: () => ` ${world.sandbox.baseUrl}// ` }, /successful/],
	['no /api', { baseUrl: () => world.sandbox.origin }, /doesn't lead to the API/],
	['no URL', { baseUrl: () => '' }, /^The base URL isn't valid/],
	['a wrong key', { apiKey: () => 'wrong' }, /didn't accept the API key.*\(HTTP 401\)$/],
	['no key', { apiKey: () => '' }, /^The API key isn't valid/],
	['a closed port', { baseUrl: () => 'http://127.0.0.1:9/api' }, /^ECONNREFUSED$/],
])('%s', async (name, changed, message) => {
	const { baseUrl, apiKey } = world.sandbox;
	const data: Record<string, string> = { baseUrl, apiKey };
	for (const [field, value] of Object.entries(changed)) data[field] = value();
	const body = { name, type: 'backlinkExchangeApi', data };
	const { id } = (await world.editor.request('POST', '/rest/credentials', body)) as { id: string };
	const credentials = { id, ...body };
	const result = await world.editor.request('POST', '/rest/credentials/test', { credentials });
	expect((result as { message: string }).message).toMatch(message);
});
