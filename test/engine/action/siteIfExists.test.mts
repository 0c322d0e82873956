/** If Exists: which sites are the same, and what comes out for one that the account has. */
import { describe, expect, test } from 'vitest';

import { json, localService } from '../localServer.mts';
import { jsonOf, testService } from '../service.mts';
import { useVirtualTime } from '../virtualTime.mts';

useVirtualTime();

const createEndpoint = 'POST /api/sites';
const newSite = { url: 'https://blog.example', niche: 'gardening' };

describe('If Exists', () => {
	const ifExists = { ifExists: 'return' };

	test('adds a site once that several items name, and each gets it', async () => {
		const { sandbox, create } = await testService({ latencyMilliseconds: 5 });
		const items = [
			{ url: 'https://a.example', niche: 'tea' },
			{ url: 'https://a.example/', niche: 'coffee' },
			{ url: 'https://b.example', niche: 'tea' },
		];
		const result = await create(items, ifExists);
		const [first, second, third] = jsonOf(result);
		const message = expect.stringMatching(/^Already there: .*a\.example/) as string;
		expect(second).toEqual({ ...first, outcome: 'existing', message });
		expect([first?.outcome, third?.outcome, third?.url]).toEqual([
			...['added', 'added'],
			'https://b.example',
		]);
		expect(sandbox.books.requests({ endpoint: createEndpoint }).length).toBe(2);
		expect(sandbox.books.requests({ method: 'GET' }).length).toBe(1);
	});

	test('says the same in the second try of a run', async () => {
		const { sandbox, create } = await testService();
		sandbox.addFault({ kind: 'error-before-commit', status: 400, method: 'POST', after: 1 });
		const urls = ['https://a.example', 'https://a.example', 'https://b.example'];
		const items = urls.map((url) => ({ url, niche: 'tea' }));
		const result = await create(items, { ...ifExists, maxParallel: 1 }, { tries: 2 });
		expect(jsonOf(result).map(({ outcome }) => outcome)).toEqual(['added', 'existing', 'added']);
		expect(sandbox.books.requests({ endpoint: createEndpoint }).length).toBe(3);
	});

	test('is about the same site with http or https, with or without www., in any order', async () => {
		const www = 'https://www.blog.example';
		const others = ['http://blog.example/', 'HTTP://WWW.Blog.Example:80', `${www}/#top`];
		const ways = [newSite.url, www, ...others];
		for (const listed of ways) {
			for (const url of ways) {
				const { sandbox, create } = await testService();
				await create({ url: listed });
				const items = [{ url }, newSite, { url: www }];
				const outcomes = jsonOf(await create(items, ifExists)).map(({ outcome }) => outcome);
				expect(outcomes).toEqual(['existing', 'existing', 'existing']);
				const empty = await testService();
				const both = jsonOf(await empty.create([{ url: listed }, { url }], ifExists));
				expect(both.map(({ outcome }) => outcome)).toEqual(['added', 'existing']);
				const posts = [sandbox, empty.sandbox].map(
					({ books }) => books.requests({ endpoint: createEndpoint }).length,
				);
				expect(posts).toEqual([1, 1]);
			}
		}
	});

	test.each([
		'https://blog.example/tea',
		'https://blog.example:8443',
		'https://blog.example/?id=2',
		'https://tea.blog.example',
		'https://www2.blog.example',
		'https://me@blog.example',
		'https://blog.example/%C3%A8',
	])('%s is another site than https://blog.example and its page é', async (url) => {
		const { create } = await testService();
		await create([newSite, { ...newSite, url: 'https://blog.example/%C3%A9' }]);
		expect(jsonOf(await create({ url }, ifExists))).toMatchObject([{ outcome: 'added' }]);
	});

	test('gives back the site with this very address where the account has both', async () => {
		const sites = ['http://blog.example', 'https://www.blog.example', 'https://blog.example'];
		const list = sites.map((url, index) => ({ id: `site_${index}`, url }));
		const { create } = await localService(json({ sites: list }));
		const result = await create(
			sites.map((url) => ({ url })),
			ifExists,
		);
		expect(jsonOf(result).map(({ url }) => url)).toEqual(sites);
	});

	test('adds a site once that two executions add at the same time, whatever the service allows', async () => {
		const sites: object[] = [];
		const { create } = await localService((request, response) => {
			const site = { id: `site_${sites.length}`, ...newSite };
			if (request.method === 'POST') sites.push(site);
			json(request.method === 'POST' ? site : { sites })(request, response);
		});
		const runs = await Promise.all(
			['gardening', 'tea'].map(async (niche) => await create({ ...newSite, niche }, ifExists)),
		);
		const outcomes = runs.map((run) => jsonOf(run)[0]?.outcome);
		expect([outcomes, sites.length]).toEqual([['added', 'existing'], 1]);
	});

	test('adds nothing when the list of sites cannot be read', async () => {
		const { sandbox, create } = await testService();
		sandbox.addFault({ kind: 'not-json', method: 'GET' });
		const { error } = await create([newSite], ifExists);
		expect(error?.message).toBe('The answer of the service could not be understood');
		expect(sandbox.books.requests({ endpoint: createEndpoint })).toEqual([]);
	});

	test('gives back a site that somebody else adds between the look and the request', async () => {
		let isThere = false;
		const site = { id: 'site_1', ...newSite, verified: true };
		const { create } = await localService(({ method }, response) => {
			response.statusCode = method === 'POST' ? 409 : 200;
			response.end(JSON.stringify(method === 'POST' ? {} : { sites: isThere ? [site] : [] }));
			isThere = true;
		});
		const result = await create([newSite, newSite], ifExists);
		const existing = { ...site, outcome: 'existing' };
		expect(jsonOf(result)).toMatchObject([existing, existing]);
	});

	test('set to Create, an address that comes twice in a run is sent once', async () => {
		const { sandbox, create } = await testService();
		const result = await create([newSite, newSite]);
		expect(jsonOf(result).map(({ outcome }) => outcome)).toEqual(['added', 'existing']);
		expect(sandbox.books.requests({ endpoint: createEndpoint }).length).toBe(1);
	});

	test('without it, the service decides', async () => {
		const { sandbox, create } = await testService();
		for (let time = 0; time < 2; time++) await create([newSite, { ...newSite, niche: 'tea' }]);
		expect(sandbox.books.requests({ endpoint: createEndpoint }).length).toBe(4);
	});

	test.each([
		['https://blog.example#top', newSite.url],
		['https://blog.example/#', newSite.url],
		['HTTPS://Blog.Example:443/', newSite.url],
		['https://blog.example/caf%C3%A9/', 'https://blog.example/caf%c3%a9'],
		['https://blog.example/café', 'https://blog.example/caf%c3%a9'],
		['https://müller.example', 'https://xn--mller-kva.example'],
	])('knows %s as another way to write %s', async (url, listed) => {
		const { create, asked } = await localService(json({ sites: [{ id: 'site_1', url: listed }] }));
		const { items } = await create([{ url, niche: 'tea' }], ifExists);
		expect(items[0]?.json.id).toBe('site_1');
		expect(asked.map(({ method }) => method)).toEqual(['GET']);
	});

	test('adds nothing when the list goes on where the node cannot follow', async () => {
		const { create, asked } = await localService(json({ sites: [], has_more: true }));
		const { error } = await create([newSite], ifExists);
		expect(error?.message).toBe('It is not known whether the account already has the site');
		expect(asked.map(({ method }) => method)).toEqual(['GET']);
	});
});

test('a slash at the end of a query is no slash at the end of a path', async () => {
	const listed = 'https://blog.example/?q=';
	const { create, asked } = await localService((request, response) => {
		json(
			request.method === 'POST'
				? { id: 'site_2', url: 'https://blog.example/?q=/' }
				: { sites: [{ id: 'site_1', url: listed }] },
		)(request, response);
	});
	const { items } = await create({ url: 'https://blog.example/?q=/' }, { ifExists: 'return' });
	expect(items[0]?.json.id).toBe('site_2');
	expect(asked.length).toBe(2);
});
