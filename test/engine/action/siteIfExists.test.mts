/** If Exists: which sites are the same, and what comes out for one that the account has. */
import { describe, expect, test } from 'vitest';

import { json, localService } from '../localServer.mts';
import { jsonOf, newSites, testService } from '../service.mts';
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
			{ url: 'http://www.a.example/', niche: 'coffee' },
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

	test.each([
		'https://blog.example/tea',
		'https://blog.example:8443',
		'https://blog.example/?id=2',
		'https://tea.blog.example',
		'https://www2.blog.example',
		'https://me@blog.example',
		'https://blog.example/%C3%A8',
		'https://blog.example/?q=/',
	])('%s is another site than https://blog.example, its page é and its ?q=', async (url) => {
		const { create } = await testService();
		const others = ['https://blog.example/%C3%A9', 'https://blog.example/?q='];
		await create([newSite, ...others.map((other) => ({ url: other }))]);
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

	test('adds each site of a file once that two executions read at the same time, whatever the service allows', async () => {
		const sites: Array<{ url: string }> = [];
		const { create } = await localService((request, response) => {
			if (request.method === 'GET') json({ sites })(request, response);
			request.once('data', (body: Buffer) => {
				sites.push(JSON.parse(String(body)) as { url: string });
				json({ id: 'site_1', ...sites.at(-1) })(request, response);
			});
		});
		const file = newSites(5);
		const runs = await Promise.all(
			[1, 2].map(async () => await create(file, { ...ifExists, maxParallel: 1 })),
		);
		const added = runs.flatMap(jsonOf).filter(({ outcome }) => outcome === 'added');
		expect(sites.map(({ url }) => url)).toEqual(file.map(({ url }) => url));
		expect(added.length).toBe(5);
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

	test('set to Create, an address with the same niche is sent once in a run, and the service decides on others', async () => {
		const { sandbox, create } = await testService();
		const sent = () => sandbox.books.requests({ endpoint: createEndpoint }).length;
		const outcomes = jsonOf(await create([newSite, newSite])).map(({ outcome }) => outcome);
		expect([outcomes, sent()]).toEqual([['added', 'existing'], 1]);
		await create([newSite, { ...newSite, niche: 'tea' }]);
		expect(sent()).toBe(3);
	});

	test.each([
		['https://www.blog.example', 'http://blog.example'],
		['http://blog.example', 'HTTP://WWW.Blog.Example:80'],
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

	test.each([
		['cannot be read', '<html>', 'The answer of the service could not be understood'],
		[
			'goes on where the node cannot follow',
			{ sites: [], has_more: true },
			'It is not known whether the account already has the site',
		],
	])('adds nothing when the list %s', async (_, list, message) => {
		const { create, asked } = await localService(json(list));
		const { error } = await create([newSite], ifExists);
		expect(error?.message).toBe(message);
		expect(asked.map(({ method }) => method)).toEqual(['GET']);
	});
});
