/**
 * List searches and summaries of an account share cached lists in a process; decisions about
 * payments fetch them again.
 */
import { expect, test } from 'vitest';

import { createNodeRunner } from './nodeRunner.mts';
import { jsonOf, setUpWithOffer, startTestService } from './service.mts';
import { startStubServer } from './stubServer.mts';
import { useVirtualTime } from './virtualTime.mts';

const time = useVirtualTime();

const seconds = 1000;

test('keystrokes and several search boxes send one request in ten seconds', async () => {
	const { sandbox, search } = await startTestService();
	for (const typed of [undefined, 't', 'te', 'tea']) await search('searchSites', typed);
	await Promise.all([search('searchSites'), search('searchNiches')]);
	expect(sandbox.books.requests().length).toBe(1);
	await time.wait(10 * seconds + 1);
	await search('searchNiches');
	expect(sandbox.books.requests().length).toBe(2);
});

test('two concurrent summaries fetch each list once', async () => {
	const { sandbox, run } = await startTestService();
	await Promise.all([run('account', 'getSummary'), run('account', 'getSummary')]);
	const paths = sandbox.books.requests().map(({ path }) => path);
	expect(paths.length).toBe(new Set(paths).size);
});

test('writes of this process clear the cache: lists reflect accepts and new sites', async () => {
	const { search, accept, create, offer } = await setUpWithOffer();
	expect((await search('searchPendingOffers'))[0]?.value).toBe(offer.id);
	await accept(offer.id);
	expect((await search('searchPendingOffers'))[0]?.value).toBe('');
	await search('searchNiches');
	await create({ url: 'https://new.example', niche: 'kites' });
	expect((await search('searchNiches')).map(({ value }) => value)).toContain('kites');
});

test('Get Many bypasses the cache, and sends one request for all of its items', async () => {
	const { sandbox, search, run } = await startTestService();
	await search('searchSites');
	sandbox.addSite({ url: 'https://new.example', niche: 'tea' });
	await time.wait(1);
	const { items } = await run('site', 'getAll', { items: [{}, {}, {}] });
	expect(items.filter(({ json }) => json.url === 'https://new.example').length).toBe(3);
	expect(sandbox.books.requests().length).toBe(2);
});

test("a list search doesn't wait for a request that may wait longer for the rate limit", async () => {
	const { run, search, requests } = await startStubServer((_request, response) => {
		if (requests.length === 1) response.writeHead(429, { 'retry-after': '1800' }).end('{}');
		else response.end('[]');
	});
	const options = { maxRateLimitWait: 3600 };
	const execution = run('site', 'getAll', { parameters: { options } });
	await time.wait(seconds);
	const startedAt = Date.now();
	await expect(search('searchSites')).rejects.toThrow("The service's rate limit is reached");
	expect(Date.now()).toBe(startedAt);
	expect((await execution).error).toBeUndefined();
	expect(requests).toHaveLength(2);
});

test('accounts of one service share nothing', async () => {
	const { sandbox, search } = await startTestService();
	await search('searchSites');
	const other = createNodeRunner({ baseUrl: sandbox.baseUrl, apiKey: sandbox.createApiKey() });
	await other.search('searchSites');
	expect(sandbox.books.requests().length).toBe(2);
});

test('a failed request fails all waiting readers, and is retried five seconds later', async () => {
	let isDown = true;
	const { search, requests } = await startStubServer((_request, response) => {
		if (isDown) response.writeHead(400).end();
		else response.end('[{"niche":"tea"}]');
	});
	const both = await Promise.allSettled([search('searchSites'), search('searchNiches')]);
	expect(both.map(({ status }) => status)).toEqual(['rejected', 'rejected']);
	expect(requests.length).toBe(1);
	isDown = false;
	await expect(search('searchNiches')).rejects.toThrow();
	await time.wait(5 * seconds);
	expect((await search('searchNiches'))[0]?.value).toBe('tea');
});

test('canceling one reader does not cancel the shared request', async () => {
	const { sandbox, run } = await startTestService();
	sandbox.addFault({ kind: 'delay-before-commit', milliseconds: 2000, times: 20 });
	const [canceled, other] = await Promise.all([
		run('account', 'getSummary', { cancelAfter: 500 }),
		run('account', 'getSummary'),
	]);
	expect(canceled.run.status).toBe('canceled');
	expect(jsonOf(other)[0]).toHaveProperty('balance');
});
