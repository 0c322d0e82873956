/** Plans, rate limits and the books of requests. */
import { describe, expect, test } from 'vitest';

import { callApi, getError, openSandbox } from './harness.mts';

const start = Date.UTC(2026, 6, 1, 12);

describe('the rate limits', () => {
	test("report which period is used up and when it ends, and don't count rejected requests", async () => {
		let now = start;
		const sandbox = await openSandbox({ limits: { perMinute: 2, perDay: 3 }, clock: () => now });
		const listSites = async () => {
			const { status, headers, json } = await callApi(sandbox, 'GET /sites');
			const message = (json as { error?: { message: string } }).error?.message ?? '';
			return [
				status,
				headers['x-ratelimit-remaining'],
				Number(headers['x-ratelimit-reset']) - start / 1000,
				/per (minute|day)/.exec(message)?.[1],
			];
		};
		expect(await listSites()).toEqual([200, '1', 60, undefined]);
		expect(await listSites()).toEqual([200, '0', 60, undefined]);
		expect(await listSites()).toEqual([429, '0', 60, 'minute']);
		expect(await listSites()).toEqual([429, '0', 60, 'minute']);
		now += 59_999;
		expect(await listSites()).toEqual([429, '0', 60, 'minute']);
		now += 1;
		expect(await listSites()).toEqual([200, '0', 86_400, undefined]);
		expect(await listSites()).toEqual([429, '0', 86_400, 'day']);
		now = start + 86_400_000;
		expect(await listSites()).toEqual([200, '1', 86_460, undefined]);
	});

	test('rate limits are per key; requests without a valid key share one quota', async () => {
		const sandbox = await openSandbox({ limits: { perMinute: 1 } });
		const second = `Bearer ${sandbox.createApiKey()}`;
		const status = async (authorization?: string | null) =>
			(await callApi(sandbox, 'GET /sites', { authorization })).status;
		expect([await status(), await status()]).toEqual([200, 429]);
		expect([await status(second), await status(second)]).toEqual([200, 429]);
		expect([await status(null), await status('Bearer guess')]).toEqual([401, 429]);
	});
});

test('a plan without API access is rejected at every endpoint, without effects', async () => {
	const sandbox = await openSandbox({ plan: 'none' });
	const { id } = sandbox.requestOffer();
	for (const endpoint of sandbox.endpoints) {
		const answer = await callApi(sandbox, endpoint.replace('/api', '').replace(':id', id));
		expect([answer.status, getError(answer).code]).toEqual([403, 'plan_without_api']);
	}
	expect(sandbox.books.acceptCount(id)).toBe(0);
});

test('the books record each request by key, endpoint, exchange and response', async () => {
	const sandbox = await openSandbox();
	sandbox.requestOffer({ id: 'e1' });
	const second = `Bearer ${sandbox.createApiKey('second')}`;
	await callApi(sandbox, 'GET /exchanges?status=pending');
	await callApi(sandbox, 'POST /exchanges/e1/accept', { authorization: second });
	await callApi(sandbox, 'POST /exchanges/e1/accept');
	await callApi(sandbox, 'GET /nothing', { authorization: null });
	const { books } = sandbox;
	const endpoint = 'POST /api/exchanges/:id/accept';
	const accept = { endpoint, path: '/api/exchanges/e1/accept', inFlight: 1 };
	expect(books.requests()).toMatchObject([
		{
			endpoint: 'GET /api/exchanges',
			path: '/api/exchanges?status=pending',
			keyId: 1,
			status: 200,
		},
		{ ...accept, keyId: 2, status: 200 },
		{ ...accept, keyId: 1, status: 409 },
		{ endpoint: undefined, path: '/api/nothing', keyId: undefined, status: 404 },
	]);
	expect(books.requests({ keyId: 2 })).toHaveLength(1);
	expect(books.requests({ exchangeId: 'e1', method: 'POST' })).toHaveLength(2);
	expect(books.requests({ endpoint, status: 409 })).toHaveLength(1);
	expect([books.acceptCount('e1'), books.creditsSpentOn('e1')]).toEqual([1, 10]);
});
