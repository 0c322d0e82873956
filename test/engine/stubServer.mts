/** HTTP servers of a single test, for responses that the sandbox doesn't send. */
import { createServer, type IncomingMessage, type RequestListener } from 'node:http';

import { listen } from '../fixtures.mts';
import { createNodeRunner, type NodeRunner } from './nodeRunner.mts';

export interface LocalService extends NodeRunner {
	baseUrl: string;
	apiKey: string;
	/** Received requests, in order. */
	requests: IncomingMessage[];
}

/**
 * Starts a server with this listener, and a node runner for it.
 *
 * The API key is unique: the nodes remember what they know about an account, and a later server may
 * get the same port.
 */
export async function startStubServer(
	answer: RequestListener,
	credential: Partial<Record<'baseUrl' | 'apiKey', string>> = {},
): Promise<LocalService> {
	const requests: IncomingMessage[] = [];
	const port = await listen(
		createServer((request, response) => {
			requests.push(request);
			answer(request, response);
		}),
	);
	const account = {
		baseUrl: `http://127.0.0.1:${port}/api`,
		apiKey: `key_${crypto.randomUUID()}`,
		...credential,
	};
	return { ...account, requests, ...createNodeRunner(account) };
}

/** Creates a listener that responds to every request with this JSON. */
export function json(body: unknown, headers: Record<string, string> = {}): RequestListener {
	const text = typeof body === 'string' ? body : JSON.stringify(body);
	return (_request, response) => {
		response.writeHead(200, { 'content-type': 'application/json', ...headers }).end(text);
	};
}
