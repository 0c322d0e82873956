/**
 * Requests that were never sent, and those that may have been: TLS, the wrong scheme, and
 * connections that break at any time.
 */
import type { Socket } from 'node:net';
import { createServer as createTlsServer } from 'node:tls';

import type { INodeParameters } from 'n8n-workflow';
import { describe, expect, test } from 'vitest';

import { errorMessages } from '../../../nodes/shared/errorMessages.ts';
import { listen } from '../../fixtures.mts';
import { createNodeRunner } from '../nodeRunner.mts';
import { selfSigned } from '../selfSigned.mts';
import { acceptParameters } from '../service.mts';
import { json, startStubServer } from '../stubServer.mts';
import { useVirtualTime } from '../virtualTime.mts';

const time = useVirtualTime();

const run = async (
	baseUrl: string,
	[resource, operation, parameters]: [string, string, INodeParameters],
) =>
	await createNodeRunner({ baseUrl, apiKey: crypto.randomUUID() }).run(resource, operation, {
		parameters,
	});

const operations: Array<[string, string, INodeParameters]> = [
	['site', 'getAll', {}],
	['exchange', 'accept', acceptParameters('exc_1')],
];

describe.each(operations)('%s %s', (...operation) => {
	test('reports an invalid certificate as "nothing was sent", and doesn\'t retry', async () => {
		let connections = 0;
		const server = createTlsServer(selfSigned).on('connection', () => connections++);
		const port = await listen(server.on('tlsClientError', () => undefined));
		const { error } = await run(`https://localhost:${port}/api`, operation);
		expect(error?.message).toBe(errorMessages.certificateInvalid);
		expect(error?.description).toContain('The certificate is self-signed');
		expect(error?.context?.code).toBe('DEPTH_ZERO_SELF_SIGNED_CERT');
		expect((error as { failure?: unknown }).failure).toEqual({ cause: 'configuration-invalid' });
		expect(connections).toBe(1);
	});

	// The engine of an older n8n doesn't expose the cause of a network error.
	const isOlder = process.env.N8N_CORE_FOLDER !== undefined;
	test.skipIf(isOlder)(
		'reports an https URL of a server without TLS as "nothing was sent"',
		async () => {
			const { baseUrl, requests } = await startStubServer(json({}));
			const { error } = await run(baseUrl.replace('http:', 'https:'), operation);
			expect(error?.message).toBe(errorMessages.tlsFailed);
			expect(error?.description).toContain('No request was sent');
			expect(error?.description).toContain('change https:// to http://');
			expect(requests).toEqual([]);
		},
	);

	test('reports ECONNREFUSED as "nothing was sent"', async () => {
		const { error } = await run('http://127.0.0.1:9/api', operation);
		expect(error?.message).toBe(errorMessages.unreachable);
		expect(error?.description).toContain('so no request was sent');
		expect(error?.description).toContain('No server accepts connections at 127.0.0.1:9');
	});

	test("a canceled execution aborts its request, and doesn't send it again", async () => {
		const closed = Promise.withResolvers<unknown>();
		const service = await startStubServer(({ socket }) => socket.on('close', closed.resolve));
		const startedAt = time.now();
		const [resource, name, parameters] = operation;
		const more = { parameters, cancelAfter: 1000 };
		const { run: execution } = await service.run(resource, name, more);
		await closed.promise;
		expect(execution.status).toBe('canceled');
		expect(time.now() - startedAt).toBeLessThan(2000);
		expect(service.requests.length).toBe(1);
	});
});

const half = 'HTTP/1.1 200 OK\r\nContent-Length: 100\r\n\r\n{"id":"exc_1"';
test.each<[string, (socket: Socket) => void]>([
	['is closed before the response', (socket) => socket.end()],
	[
		'is reset within the response',
		(socket) => {
			socket.write(half, () => {
				socket.resetAndDestroy();
			});
		},
	],
	['never gets a response', () => undefined],
	['never gets a complete response', (socket) => socket.write(half)],
])('sends an accept once, and claims nothing, if its connection %s', async (_, cut) => {
	const id = `exc_${Math.random()}`;
	let acceptCount = 0;
	const { accept } = await startStubServer((request, response) => {
		if (request.method === 'POST') acceptCount++;
		if (acceptCount === 0) json([{ id, status: 'pending' }])(request, response);
		else cut(request.socket.on('error', () => undefined));
	});
	const { error, items } = await accept(id);
	expect([acceptCount, items]).toEqual([1, []]);
	expect(error?.message).toMatch(/^Couldn't see whether the offer/);
	expect(error?.description).not.toMatch(/no request was sent/i);
});

test('retries again in the execution after a failure', async () => {
	const { run, requests } = await startStubServer((_request, response) => {
		response.writeHead(503).end();
	});
	for (const requestCount of [4, 8]) {
		await run('site', 'getAll');
		expect(requests.length).toBe(requestCount);
		await time.wait(1);
	}
});
