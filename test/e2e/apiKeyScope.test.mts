/**
 * The credential in n8n's HTTP Request node, in a real n8n: the key is sent only to the host and
 * port of the base URL.
 */
import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';

import { beforeAll, expect, test } from 'vitest';

import { chain, node } from './nodes.mts';
import { useWorld } from './workflows/environment.mts';

const world = useWorld();
/** Received Authorization headers, by host and path. */
const receivedHeaders = new Map<string, string | undefined>();
let elsewhere: string;

beforeAll(async () => {
	const server = createServer(({ url = '', headers }, response) => {
		receivedHeaders.set(`${headers.host ?? ''}${url}`, headers.authorization);
		const location = `${elsewhere.replace('127.0.0.1', 'localhost')}/redirected`;
		if (url.endsWith('/redirect')) response.writeHead(302, { location });
		response.end('{}');
	});
	await once(server.listen(0), 'listening');
	elsewhere = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
	return () => server.close();
});

async function get(url: string, typeVersion: number): Promise<string> {
	const authentication = 'predefinedCredentialType';
	const nodeCredentialType = 'backlinkExchangeApi';
	const parameters = { url, authentication, nodeCredentialType, options: {} };
	const credentials = { [nodeCredentialType]: world.editor.credential(nodeCredentialType) };
	const workflow = await world.editor.create(
		chain('http', [
			node('Start', 'manualTrigger', 1),
			node('HTTP Request', 'httpRequest', typeVersion, parameters, { credentials }),
		]),
	);
	return (await workflow.execute('Start')).status;
}

test.each([3, 4.2])('HTTP Request %d', async (typeVersion) => {
	expect(await get(`${world.sandbox.baseUrl}/sites`, typeVersion)).toBe('success');
	expect(await get(`${elsewhere}/other`, typeVersion)).toBe('error');
	const { baseUrl, apiKey } = world.sandbox;
	await world.editor.addCredential('backlinkExchangeApi', { baseUrl: `${elsewhere}/api`, apiKey });
	expect(await get(`${elsewhere}/api`, typeVersion)).toBe('success');
	expect(await get(`${elsewhere}/redirect`, typeVersion)).toBe('error');
	await world.editor.addCredential('backlinkExchangeApi', { baseUrl, apiKey });
	const host = new URL(elsewhere).host;
	expect([...receivedHeaders]).toEqual([
		[`${host}/api`, `Bearer ${apiKey}`],
		[`${host}/redirect`, `Bearer ${apiKey}`],
	]);
	receivedHeaders.clear();
});
