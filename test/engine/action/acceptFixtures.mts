/** What the tests of accepts share: requests by name, and a service whose lists and answers are given by hand. */
import type { IncomingMessage, ServerResponse } from 'node:http';

import { reloadActionNode } from '../engine.mts';
import type { TestService } from '../service.mts';
import { json, startStubServer } from '../stubServer.mts';

const acceptEndpoint = 'POST /api/exchanges/:id/accept';

/** The requests of accepts, those for the list, and those for the balance, as a fault is told them. */
export const post = { method: 'POST', path: '/api/exchanges' } as const;
export const list = { method: 'GET', path: '/api/exchanges' } as const;
export const balance = { method: 'GET', path: '/api/credits' } as const;

export const minute = 60_000;

/** As a published workflow runs it; an execution by hand shows everything, and changes nothing of what is told later. */
export const published = { mode: 'trigger' } as const;

/** In a process that has just started. */
export const afterRestart = () => ({ actionNode: reloadActionNode() });

/** The accepts that have reached the service. */
export const acceptRequests = ({ sandbox }: TestService) =>
	sandbox.books.requests({ endpoint: acceptEndpoint });

interface ByHand {
	list: (reads: number) => unknown;
	accept?: (id: string, response: ServerResponse, requests: number) => unknown;
	/** The balance; by default, each accept costs 10 of 1,000 credits. */
	balance?: (accepts: number) => unknown;
}

/** What the list shows at each reading, and what an accept answers. */
export async function createStubService({ list: listed, accept, balance: balanceOf }: ByHand) {
	const posted: string[] = [];
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
		} else send(listed(++reads));
	});
	return { ...service, posted };
}

/** An offer for such a list. */
export const pending = (fields: object = {}) => ({
	id: `exc_${Math.random()}`,
	from_site: 'https://tea.example',
	to_site: 'https://own.example',
	anchor: 'green tea',
	status: 'pending',
	...fields,
});
