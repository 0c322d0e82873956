/**
 * What a local server cannot show, on n8n's real request stack with the network closed: names that are not resolved,
 * an https host, a redirect to another origin. Everything else is tested over real HTTP.
 */
import nock from 'nock';
import { afterAll, afterEach, beforeAll, expect, test } from 'vitest';

import { clientOf } from '../client.mts';
import { useVirtualTime } from '../virtualTime.mts';

// So that the pauses between tries take no time.
useVirtualTime();

const origin = 'https://service.example';

beforeAll(() => {
	// Another file in the same process may have restored the network.
	if (!nock.isActive()) nock.activate();
	nock.disableNetConnect();
});

afterEach(() => {
	nock.cleanAll();
});

afterAll(() => {
	nock.enableNetConnect();
	nock.restore();
});

const { run, accept } = clientOf({ baseUrl: `${origin}/api`, apiKey: 'key_1234567890' });

const networkError = (code: string, syscall: string) =>
	Object.assign(new Error(`${syscall} ${code} service.example`), { code, syscall });

test('an accept that never left, because the name was not resolved, is sent again, and only that', async () => {
	const list = nock(origin)
		.get('/api/exchanges')
		.reply(200, [{ id: 'exc_1', status: 'pending' }]);
	nock(origin).get('/api/credits/balance').twice().reply(200, { balance: 100, lifetime_spent: 0 });
	const failing = nock(origin)
		.post('/api/exchanges/exc_1/accept')
		.replyWithError(networkError('EAI_AGAIN', 'getaddrinfo'));
	const answering = nock(origin)
		.post('/api/exchanges/exc_1/accept')
		.reply(200, { id: 'exc_1', status: 'accepted' });
	const { items } = await accept('exc_1');
	expect(items[0]?.json).toMatchObject({ outcome: 'accepted', confirmedBy: 'response' });
	expect([list, failing, answering].map((scope) => scope.isDone())).toEqual([true, true, true]);
});

const elsewhere = 'https://elsewhere.example';
test.each<[status: number, target: string]>([
	[301, elsewhere],
	[302, elsewhere],
	[303, elsewhere],
	[307, elsewhere],
	[308, elsewhere],
	[302, 'http://service.example'],
])('an https host that redirects with %i to %s: the key stays', async (status, target) => {
	const location = `${target}/api/sites?token=secret`;
	nock(origin).get('/api/sites').reply(status, '', { location });
	const other = nock(target).get('/api/sites').query(true).reply(200, { sites: [] });
	const { error } = await run('site', 'getAll');
	expect(error?.message).toBe('The base URL redirects to another address');
	expect(error?.description).toContain(`${target}/api/sites`);
	expect(error?.description).not.toContain('token=secret');
	expect(other.isDone()).toBe(false);
});
