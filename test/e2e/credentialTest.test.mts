/**
 * The response of n8n's own server when a user tests the credential. All messages:
 * test/engine/credentialTest.test.mts.
 */
import { expect, it } from 'vitest';

import { useWorld } from './workflows/environment.mts';

const world = useWorld();

it.each<[name: string, changed: Record<string, () => string>, message: RegExp]>([
	['works', {}, /successful/],
	['no /api', { baseUrl: () => world.sandbox.origin }, /has to end in \/api/],
	['a wrong key', { apiKey: () => 'wrong' }, /does not accept the API key/],
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
