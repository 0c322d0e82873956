/** A proxy in the environment of n8n. The address of the service cannot be resolved here, so nothing can go past it. */
import { createServer, type IncomingMessage } from 'node:http';

import { afterEach, expect, test, vi } from 'vitest';

import { listen } from '../../untilTheTestEnds.mts';
import { clientOf } from '../client.mts';
import { useVirtualTime } from '../virtualTime.mts';

// So that the pauses between tries take no time.
useVirtualTime();

const apiKey = 'key_1234567890';

const listSites = async (baseUrl: string) =>
	await clientOf({ baseUrl, apiKey }).run('site', 'getAll');

afterEach(() => {
	vi.unstubAllEnvs();
});

/** A proxy that answers http requests itself and opens no tunnel; and what it was asked for. */
async function localProxy(): Promise<{ url: string; asked: IncomingMessage[] }> {
	const asked: IncomingMessage[] = [];
	const server = createServer((request, response) => {
		asked.push(request);
		response.end(JSON.stringify({ sites: [{ id: 'site_1' }] }));
	});
	server.on('connect', (request: IncomingMessage, socket) => {
		asked.push(request);
		socket.end('HTTP/1.1 502 Bad Gateway\r\n\r\n');
	});
	return { url: `http://127.0.0.1:${await listen(server)}`, asked };
}

const requestLines = (asked: IncomingMessage[]) =>
	new Set(asked.map(({ method, url }) => `${String(method)} ${String(url)}`));

test('is used for an http address', async () => {
	const proxy = await localProxy();
	vi.stubEnv('HTTP_PROXY', proxy.url);
	const { items } = await listSites('http://service.internal/api');
	expect(items.map(({ json }) => json)).toEqual([{ id: 'site_1' }]);
	expect(requestLines(proxy.asked)).toEqual(new Set(['GET http://service.internal/api/sites']));
});

test('tunnels to an https address, and does not see the key', async () => {
	const proxy = await localProxy();
	vi.stubEnv('HTTPS_PROXY', proxy.url);
	const { error } = await listSites('https://service.example/api');
	expect(error?.message).toBe('The service is not available right now');
	expect(requestLines(proxy.asked)).toEqual(new Set(['CONNECT service.example:443']));
	for (const { rawHeaders } of proxy.asked) {
		expect(rawHeaders.join()).not.toMatch(/authorization/i);
		expect(rawHeaders.join()).not.toContain(apiKey);
	}
});

test('is left out for the hosts of NO_PROXY', async () => {
	const proxy = await localProxy();
	vi.stubEnv('HTTP_PROXY', proxy.url);
	// npm test sets both, and the one in lower case counts first.
	for (const name of ['no_proxy', 'NO_PROXY']) vi.stubEnv(name, 'service.internal');
	const { error } = await listSites('http://service.internal/api');
	expect(error?.message).toBe('The service could not be reached');
	expect(proxy.asked).toEqual([]);
});
