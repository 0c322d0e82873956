/** Servers of a single test, for answers that the sandbox does not give. */
import { createServer, type IncomingMessage, type RequestListener } from 'node:http';

import { listen } from '../fixtures.mts';
import { createNodeRunner, type NodeRunner } from './nodeRunner.mts';

export interface LocalService extends NodeRunner {
	baseUrl: string;
	/** What it was asked, in order. */
	asked: IncomingMessage[];
}

/** The action node against a service that answers in this way. */
export async function startStubServer(
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
	return { baseUrl, asked, ...createNodeRunner({ baseUrl, apiKey: 'key_1', ...credential }) };
}

/** Answers everything with this JSON. */
export function json(body: unknown, headers: Record<string, string> = {}): RequestListener {
	const text = typeof body === 'string' ? body : JSON.stringify(body);
	return (_request, response) => {
		response.writeHead(200, { 'content-type': 'application/json', ...headers }).end(text);
	};
}
