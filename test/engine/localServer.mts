/** Servers of a single test, for answers that the sandbox does not give. */
import { createServer, type IncomingMessage, type RequestListener, type Server } from 'node:http';
import type { AddressInfo, Server as NetServer } from 'node:net';

import { onTestFinished } from 'vitest';

import { type NodeRun, type NodeRunOptions, runNode } from './engine.mts';

/** Listens on a free port until the test is over, and gives the port back. */
export async function listen(server: NetServer): Promise<number> {
	await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
	onTestFinished(() => {
		server.close();
		(server as Partial<Server>).closeAllConnections?.();
	});
	return (server.address() as AddressInfo).port;
}

export interface LocalService {
	baseUrl: string;
	/** What it was asked, in order. */
	asked: IncomingMessage[];
	run: (resource: string, operation: string, options?: Partial<NodeRunOptions>) => Promise<NodeRun>;
}

/** The action node against a service that answers in this way. */
export async function localService(
	answer: RequestListener,
	credential: Partial<Record<'baseUrl' | 'apiKey', string>> = {},
): Promise<LocalService> {
	const asked: IncomingMessage[] = [];
	const port = await listen(
		createServer((request, response) => {
			asked.push(request);
			answer(request, response);
		}),
	);
	const baseUrl = `http://127.0.0.1:${port}/api`;
	return {
		baseUrl,
		asked,
		run: (resource, operation, { parameters, ...options } = {}) =>
			runNode({
				credential: { baseUrl, apiKey: 'key_1', ...credential },
				...options,
				parameters: { resource, operation, ...parameters },
			}),
	};
}

/** Answers everything with this JSON. */
export function json(body: unknown, headers: Record<string, string> = {}): RequestListener {
	const text = typeof body === 'string' ? body : JSON.stringify(body);
	return (_request, response) => {
		response.writeHead(200, { 'content-type': 'application/json', ...headers }).end(text);
	};
}
