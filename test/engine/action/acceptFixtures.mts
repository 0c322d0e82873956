/**
 * Fixtures for tests of accepts: requests by name, and a stub service with custom lists and
 * responses.
 */
import type { IncomingMessage, ServerResponse } from 'node:http';

import { reloadActionNode } from '../engine.mts';
import type { TestService } from '../service.mts';
import { json, startStubServer } from '../stubServer.mts';

const acceptEndpoint = 'POST /api/exchanges/:id/accept';

/** Faults match these requests: accepts, lists of exchanges, and balances. */
export const post = { method: 'POST', path: '/api/exchanges' } as const;
export const list = { method: 'GET', path: '/api/exchanges' } as const;
export const balance = { method: 'GET', path: '/api/credits' } as const;

export const minute = 60_000;

/**
 * Runs like a published workflow. A manual execution returns everything and leaves the
 * deduplication data unchanged.
 */
export const published = { mode: 'trigger' } as const;

/** Returns options to run in a process that has just started. */
export const afterRestart = () => ({ actionNode: reloadActionNode() });

/** Returns the accepts that have reached the service. */
export const acceptRequests = ({ sandbox }: TestService) =>
	sandbox.books.requests({ endpoint: acceptEndpoint });

interface StubOptions {
	list: (reads: number) => unknown;
	accept?: (id: string, response: ServerResponse, requests: number) => unknown;
	/** Balance by number of accepts; by default, each accept costs 10 of 1,000 credits. */
	balance?: (accepts: number) => unknown;
	/** The account's sites; by default, it has none, so that every exchange is incoming. */
	sites?: (requests: number, response: ServerResponse) => unknown;
}

/** Creates a service with a custom list for each read and a custom response to an accept. */
export async function createStubService({
	list: listed,
	accept,
	balance: balanceOf,
	sites,
}: StubOptions) {
	const posted: string[] = [];
	let siteReads = 0;
	let reads = 0;
	const service = await startStubServer((request: IncomingMessage, response: ServerResponse) => {
		const url = request.url ?? '';
		const send = (body: unknown) => {
			if (!response.writableEnded) json(body)(request, response);
		};
		const spent = 10 * posted.length;
		if (url.includes('/credits/')) {
			send(balanceOf?.(posted.length) ?? { balance: 1000 - spent, lifetime_spent: spent });
		} else if (request.method === 'POST') {
			const id = decodeURIComponent(url.split('/').at(-2) ?? '');
			posted.push(id);
			const body = accept ? accept(id, response, posted.length) : { id, status: 'accepted' };
			if (!response.headersSent) send(body);
		} else if (url.includes('/sites')) {
			const body = sites === undefined ? { sites: [] } : sites(++siteReads, response);
			if (!response.headersSent) send(body);
		} else send(listed(++reads));
	});
	return { ...service, posted };
}

/** Creates an offer for such a list. */
export const pending = (fields: object = {}) => ({
	id: `exc_${Math.random()}`,
	from_site: 'https://tea.example',
	to_site: 'https://own.example',
	anchor: 'green tea',
	status: 'pending',
	...fields,
});
