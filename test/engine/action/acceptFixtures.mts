/**
 * Fixtures for tests of accepts: endpoints by name, and a service with custom lists and responses.
 */
import { reloadActionNode } from '../engine.mts';
import { type MockedService, mockService } from '../mockedService.mts';
import type { TestService } from '../service.mts';

/** Endpoints for faults of the sandbox: they match accepts, lists of exchanges, and balances. */
export const acceptEndpoint = { method: 'POST', path: '/api/exchanges' } as const;
export const listEndpoint = { method: 'GET', path: '/api/exchanges' } as const;
export const balanceEndpoint = { method: 'GET', path: '/api/credits' } as const;

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
	sandbox.books.requests({ endpoint: 'POST /api/exchanges/:id/accept' });

type WholeReply = readonly [status: number, body?: string | object, headers?: object];

/** A whole reply, or only its body, with HTTP 200. */
type Reply = object | string | WholeReply;

interface MockOptions {
	list: (reads: number) => Reply;
	/** Replies to an accept; by default, it is accepted. */
	accept?: (id: string, requests: number) => Reply | Promise<Reply>;
	/** Balance by number of accepts; by default, each accept costs 10 of 1,000 credits. */
	balance?: (accepts: number) => Reply;
	/** The account's sites; by default, it has none, so that every exchange is incoming. */
	sites?: () => Reply;
}

/** Mocks a service whose lists, balances and replies to accepts a test writes by hand. */
export function mockExchanges({
	list,
	accept = (id) => ({ id, status: 'accepted' }),
	balance = (accepts) => ({ balance: 1000 - 10 * accepts, lifetime_spent: 10 * accepts }),
	sites = () => ({ sites: [] }),
}: MockOptions): MockedService & { postedIds: string[] } {
	const service = mockService();
	const api = service.api.persist();
	const postedIds: string[] = [];
	let reads = 0;
	const replies = {
		'/exchanges': () => list(++reads),
		'/credits/balance': () => balance(postedIds.length),
		'/sites': sites,
		'/watchdog/events': () => [],
	};
	for (const [path, getReply] of Object.entries(replies)) {
		const endpoint = api.get(path).query(true).optionally();
		endpoint.reply(() => toNockReply(getReply()));
	}
	const isAccept = (path: string) => path.endsWith('/accept');
	const endpoint = api.post(isAccept).optionally();
	endpoint.reply(async ({ url }: Request) => {
		const id = decodeURIComponent(url.split('/').at(-2) ?? '');
		postedIds.push(id);
		return toNockReply(await accept(id, postedIds.length));
	});
	return { ...service, postedIds };
}

function toNockReply(reply: Reply): WholeReply {
	const [status, body = '', headers = {}] = isWhole(reply) ? reply : [200, reply];
	const text = typeof body === 'string' ? body : JSON.stringify(body);
	return [status, text, { 'content-type': 'application/json', ...headers }];
}

function isWhole(reply: Reply): reply is WholeReply {
	return Array.isArray(reply) && typeof reply[0] === 'number';
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
