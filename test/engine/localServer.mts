/** Servers of a single test, for answers that the sandbox does not give. */
import { createServer, type IncomingMessage, type RequestListener, type Server } from 'node:http';
import type { AddressInfo, Server as NetServer } from 'node:net';

import { onTestFinished } from 'vitest';

import { type Client, clientOf } from './client.mts';

/** Listens on a free port until the test is over, and gives the port back. */
export async function listen(server: NetServer): Promise<number> {
	await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
	onTestFinished(() => {
		server.close();
		(server as Partial<Server>).closeAllConnections?.();
	});
	return (server.address() as AddressInfo).port;
}

export interface LocalService extends Client {
	baseUrl: string;
	/** What it was asked, in order. */
	asked: IncomingMessage[];
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
	return { baseUrl, asked, ...clientOf({ baseUrl, apiKey: 'key_1', ...credential }) };
}

/** Answers everything with this JSON. */
export function json(body: unknown, headers: Record<string, string> = {}): RequestListener {
	const text = typeof body === 'string' ? body : JSON.stringify(body);
	return (_request, response) => {
		response.writeHead(200, { 'content-type': 'application/json', ...headers }).end(text);
	};
}
