/** Number of requests per accept, because the quota is the user's. */
import { expect, test } from 'vitest';

import { startTestService } from '../service.mts';
import { useVirtualTime } from '../virtualTime.mts';

useVirtualTime();

const bounds = { minimumBalance: 10 };

/** Counts the requests for this many offers, with Accept or Accept Many. */
async function requestsFor(count: number, options: object, isAcceptMany: boolean, latency = 0) {
	const { sandbox, accept, acceptMany } = await startTestService({
		credits: 10_000,
		latencyMilliseconds: latency,
	});
	sandbox.addSite({ url: 'https://your-site.example', niche: 'gardening' });
	const items = Array.from({ length: count }, () => ({ id: sandbox.requestOffer().id }));
	const { outcomes, decisions } = isAcceptMany
		? await acceptMany({ maxAccepts: 100, options: { ...options } })
		: await accept(items, { ...options });
	expect(outcomes).toEqual(Array(count).fill('accepted'));
	expect(decisions.map(({ creditsSpent }) => creditsSpent)).toEqual(Array(count).fill(10));
	return sandbox.books.requests();
}

test.each([
	['Accept', {}, false],
	['Accept with a minimum', bounds, false],
	['Accept Many', {}, true],
	['Accept Many with a minimum', bounds, true],
])('%s takes five requests for one offer and 43 for twenty', async (_, options, isAcceptMany) => {
	expect((await requestsFor(1, options, isAcceptMany)).length).toBe(5);
	expect((await requestsFor(20, options, isAcceptMany)).length).toBe(43);
});

test('re-reads the list after each five seconds, not for each offer', async () => {
	const requests = await requestsFor(20, {}, false, 400);
	const lists = requests.filter(({ endpoint }) => endpoint === 'GET /api/exchanges');
	// Twenty accepts and 21 balances of 0.4 seconds each take about 16 seconds.
	expect(lists.length).toBe(4);
	expect(requests.length).toBe(20 + 21 + 4 + 1);
});
