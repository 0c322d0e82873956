/** The option Wait for Verification of Create. */
import { expect, test } from 'vitest';

import { jsonOf, newSites, startTestService } from '../service.mts';
import { json, startStubServer } from '../stubServer.mts';
import { useVirtualTime } from '../virtualTime.mts';

useVirtualTime();

const newSite = { url: 'https://blog.example', niche: 'gardening' };

test.each([
	// The site is checked again when the time is over.
	['comes out verified', 1200, true],
	['that stays unverified is returned with a note', 60_000, false],
])('with Wait for Verification, a site %s', async (_, delayMilliseconds, verified) => {
	const { create } = await startTestService({ verification: { delayMilliseconds } });
	const startedAt = Date.now();
	const result = await create(newSite, { waitForVerification: 2 });
	expect(Date.now() - startedAt).toBe(2000);
	expect(jsonOf(result)).toEqual([expect.objectContaining({ ...newSite, verified })]);
	const hints = result.hints.map(({ message }) => message).join();
	expect(hints).toBe(
		verified
			? ''
			: "At least one site is in your account, but the service hasn't verified it yet. Check it later with 'Get Many', or in your dashboard.",
	);
});

test('sites that wait for verification share requests: thirty need as many as one', async () => {
	const countRequests = async (count: number): Promise<number> => {
		const verification = { delayMilliseconds: 20_000 };
		const { sandbox, create } = await startTestService({ verification, latencyMilliseconds: 10 });
		const { items } = await create(newSites(count), { waitForVerification: 300 });
		expect(items.map(({ json }) => json.verified)).toEqual(Array(count).fill(true));
		expect(items.map(({ json }) => json.url)).toEqual(newSites(count).map(({ url }) => url));
		return sandbox.books.requests({ method: 'GET' }).length;
	};
	// Before the sites are added, and after 1, 3, 7, 15 and 30 seconds.
	expect([await countRequests(1), await countRequests(30)]).toEqual([6, 6]);
});

test("each site waits for its own time, and a failed check doesn't end the wait", async () => {
	const { sandbox, create } = await startTestService({
		verification: { delayMilliseconds: 10_000 },
	});
	sandbox.addFault({ kind: 'error-before-commit', method: 'GET', times: 4, after: 1 });
	const { items } = await create(
		[
			{ url: 'https://one.example', timeout: 2 },
			{ url: 'https://two.example', timeout: 60 },
		],
		{ waitForVerification: '={{ $json.timeout }}' },
	);
	expect(items.map(({ json }) => json.verified)).toEqual([false, true]);
});

const added = { id: 'site_1', ...newSite, verified: false };
test('an unreadable list ends the wait for verification', async () => {
	const { create, requests } = await startStubServer((request, response) => {
		const list = requests.length === 1 ? { sites: [] } : { pages: [] };
		json(request.method === 'POST' ? added : list)(request, response);
	});
	const result = await create(newSite, { waitForVerification: 300 });
	expect(result.error?.message).toBeUndefined();
	expect(jsonOf(result)).toMatchObject([{ ...added, outcome: 'unverified' }]);
	expect(requests.map(({ method }) => method)).toEqual(['GET', 'POST', 'GET']);
	expect(result.hints.map(({ message }) => message).join()).toContain("hasn't verified it yet");
});

test("a rate limit that resets later doesn't end the wait for verification", async () => {
	const { create, requests } = await startStubServer((request, response) => {
		if (request.method === 'POST') json(added)(request, response);
		else if (requests.length === 1) json({ sites: [] })(request, response);
		else if (requests.length === 3) response.writeHead(429, { 'retry-after': '120' }).end('{}');
		else json({ sites: [{ ...added, verified: true }] })(request, response);
	});
	const result = await create(newSite, { waitForVerification: 300 });
	expect(jsonOf(result)).toMatchObject([{ ...added, verified: true, outcome: 'added' }]);
	expect(requests.map(({ method }) => method)).toEqual(['GET', 'POST', 'GET', 'GET']);
});
