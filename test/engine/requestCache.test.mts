/** What list searches and summaries of an account need is asked for once in a process; what decides about a payment is read fresh. */
import { expect, test } from 'vitest';

import { createNodeRunner } from './nodeRunner.mts';
import { jsonOf, setUpWithOffer, startTestService } from './service.mts';
import { startStubServer } from './stubServer.mts';
import { useVirtualTime } from './virtualTime.mts';

const time = useVirtualTime();

const seconds = 1000;

test('keystrokes in a search box, and several boxes, ask once in ten seconds', async () => {
	const { sandbox, search } = await startTestService();
	for (const typed of [undefined, 't', 'te', 'tea']) await search('searchSites', typed);
	await Promise.all([search('searchSites'), search('searchNiches')]);
	expect(sandbox.books.requests().length).toBe(1);
	await time.wait(10 * seconds + 1);
	await search('searchNiches');
	expect(sandbox.books.requests().length).toBe(2);
});

test('two summaries at once ask for each list once', async () => {
	const { sandbox, run } = await startTestService();
	await Promise.all([run('account', 'getSummary'), run('account', 'getSummary')]);
	const paths = sandbox.books.requests().map(({ path }) => path);
	expect(paths.length).toBe(new Set(paths).size);
});

test('what this process has changed is read again: an offer that was accepted is gone from the list, a site is in it', async () => {
	const { search, accept, create, offer } = await setUpWithOffer();
	expect((await search('searchPendingOffers'))[0]?.value).toBe(offer.id);
	await accept(offer.id);
	expect((await search('searchPendingOffers'))[0]?.value).toBe('');
	await search('searchNiches');
	await create({ url: 'https://new.example', niche: 'kites' });
	expect((await search('searchNiches')).map(({ value }) => value)).toContain('kites');
});

test('a Get Many reads for itself, whatever others have read, and once for all of its items', async () => {
	const { sandbox, search, run } = await startTestService();
	await search('searchSites');
	sandbox.addSite({ url: 'https://new.example', niche: 'tea' });
	const { items } = await run('site', 'getAll', { items: [{}, {}, {}] });
	expect(items.filter(({ json }) => json.url === 'https://new.example').length).toBe(3);
	expect(sandbox.books.requests().length).toBe(2);
});

test('accounts share nothing, although their service is the same', async () => {
	const { sandbox, search } = await startTestService();
	await search('searchSites');
	const other = createNodeRunner({ baseUrl: sandbox.baseUrl, apiKey: sandbox.createApiKey() });
	await other.search('searchSites');
	expect(sandbox.books.requests().length).toBe(2);
});

test('what went wrong is told to those who wait together, and asked again five seconds later', async () => {
	let isAway = true;
	const { search, asked } = await startStubServer((_request, response) => {
		if (isAway) response.writeHead(400).end();
		else response.end('[{"niche":"tea"}]');
	});
	const both = await Promise.allSettled([search('searchSites'), search('searchNiches')]);
	expect(both.map(({ status }) => status)).toEqual(['rejected', 'rejected']);
	expect(asked.length).toBe(1);
	isAway = false;
	await expect(search('searchNiches')).rejects.toThrow();
	await time.wait(5 * seconds);
	expect((await search('searchNiches'))[0]?.value).toBe('tea');
});

test('a reader who is canceled takes nobody else with it', async () => {
	const { sandbox, run } = await startTestService();
	sandbox.addFault({ kind: 'delay-before-commit', milliseconds: 2000, times: 20 });
	const [canceled, other] = await Promise.all([
		run('account', 'getSummary', { cancelAfter: 500 }),
		run('account', 'getSummary'),
	]);
	expect(canceled.run.status).toBe('canceled');
	expect(jsonOf(other)[0]).toHaveProperty('balance');
});
