import { describe, expect, test } from 'vitest';

import { singleVariants } from '../../../sandbox/dialects.mts';
import { json, localService } from '../localServer.mts';
import { jsonOf, newSites, testService } from '../service.mts';
import { useVirtualTime } from '../virtualTime.mts';

useVirtualTime();

const createEndpoint = 'POST /api/sites';
const newSite = { url: 'https://blog.example', niche: 'gardening' };

test.each(singleVariants('createSite'))('a site is added: $name', async ({ settings }) => {
	const { sandbox, create } = await testService({ dialect: settings });
	const result = await create(newSite);
	expect(result.error?.message).toBeUndefined();
	expect(jsonOf(result)).toMatchObject([
		{
			...newSite,
			verified: false,
			outcome: 'added',
			message: 'Added blog.example, niche "gardening"',
		},
	]);
	expect(sandbox.books.sites().filter(({ url }) => url === newSite.url).length).toBe(1);

	const other = { url: 'https://other.example', niche: 'tea' };
	const returned = await create(other, { ifExists: 'return' });
	expect(jsonOf(returned)).toEqual([expect.objectContaining(other)]);
});

test.each([
	['cut-before-commit', 'It is not known whether the site was added', 0],
	['cut-after-commit', undefined, 1],
	['error-after-commit', undefined, 1],
	['not-json', undefined, 1],
] as const)(
	'an interrupted request is looked up and not repeated, neither by a second try: %s',
	async (kind, message, sites) => {
		const { sandbox, create } = await testService();
		sandbox.addFault({ kind, method: 'POST' });
		const result = await create(newSite, {}, { tries: 2 });
		expect(result.error?.message).toBe(message);
		expect(result.error?.description ?? '').not.toContain('safe');
		expect(jsonOf(result).map(({ url }) => url)).toEqual(sites === 0 ? [] : [newSite.url]);
		expect(sandbox.books.requests({ endpoint: createEndpoint }).length).toBe(1);
		expect(sandbox.books.sites().length).toBe(sites);
	},
);

test.each(['cut-before-commit', 'error-before-commit'] as const)(
	'what the account may have had before is not called "added": %s',
	async (kind) => {
		const { sandbox, create } = await testService();
		await create(newSite);
		sandbox.addFault({ kind, method: 'POST' });
		expect(jsonOf(await create(newSite))).toMatchObject([{ ...newSite, outcome: 'existing' }]);
		// Of one that the list did not show before, a request has added it.
		sandbox.addFault({ kind: 'cut-after-commit', method: 'POST' });
		const added = await create({ url: 'https://tea.example' }, { ifExists: 'return' });
		expect(jsonOf(added)[0]?.outcome).toBe('added');
	},
);

test('with Wait for Verification, the site comes out verified', async () => {
	const { create } = await testService({ verification: { delayMilliseconds: 1200 } });
	// It is checked once more when the time is over.
	const options = { waitForVerification: true, verificationTimeout: 2 };
	const result = await create(newSite, options);
	expect(jsonOf(result)).toEqual([expect.objectContaining({ ...newSite, verified: true })]);
	expect(result.hints).toEqual([]);
});

test('a verification that does not come in time leaves the record as it is, and says so', async () => {
	const { create } = await testService({ verification: { delayMilliseconds: 60_000 } });
	const begun = Date.now();
	const result = await create(newSite, { waitForVerification: true, verificationTimeout: 2 });
	expect(Date.now() - begun).toBe(2000);
	expect(jsonOf(result)).toEqual([expect.objectContaining({ ...newSite, verified: false })]);
	expect(result.hints.map(({ message }) => message).join()).toContain('not verified yet');
});

test.each([
	...['blog.example', 'ftp://blog.example', 'https://', 'https://blog'],
	...['https://a.example\nhttps://b.example', 'https://a.example,https://b.example'],
	'a.example/https://b.example',
])('what is no address is refused before any request: %j', async (url) => {
	const { sandbox, create } = await testService();
	const { error } = await create({ url, niche: 'gardening' });
	expect(error?.message).toContain('"URL" cannot be used');
	expect(sandbox.books.requests()).toEqual([]);
});

test('many sites are added in parallel, with order and pairing kept', async () => {
	const { sandbox, create } = await testService({ latencyMilliseconds: 20 });
	const items = newSites(25);
	const result = await create(items, { maxParallel: 5 });
	expect(result.items.map(({ json, pairedItem }) => [json.url, pairedItem])).toEqual(
		items.map(({ url }, item) => [url, { item }]),
	);
	const inFlight = Math.max(...sandbox.books.requests().map((request) => request.inFlight));
	expect(inFlight).toBe(5);
});

test('after a site that fails, no other one is begun', async () => {
	const { sandbox, create } = await testService({ latencyMilliseconds: 20 });
	sandbox.addFault({ kind: 'error-before-commit', status: 400, method: 'POST' });
	const { error } = await create(newSites(25), { maxParallel: 5 });
	expect(error?.message).toMatch(/^The service declined to add the site https/);
	expect(sandbox.books.requests().length).toBeLessThan(10);
});

test('sites that wait for their verification share their looks: thirty cost as many as one', async () => {
	const looks = async (count: number): Promise<number> => {
		const verification = { delayMilliseconds: 20_000 };
		const { sandbox, create } = await testService({ verification, latencyMilliseconds: 10 });
		const { items } = await create(newSites(count), { waitForVerification: true });
		expect(items.map(({ json }) => json.verified)).toEqual(Array(count).fill(true));
		expect(items.map(({ json }) => json.url)).toEqual(newSites(count).map(({ url }) => url));
		return sandbox.books.requests({ method: 'GET' }).length;
	};
	// After 1, 3, 7, 15 and 30 seconds.
	expect([await looks(1), await looks(30)]).toEqual([5, 5]);
});

test('each site waits no longer than its own time, and a look that fails does not end the wait', async () => {
	const { sandbox, create } = await testService({ verification: { delayMilliseconds: 10_000 } });
	sandbox.addFault({ kind: 'error-before-commit', method: 'GET', times: 4 });
	const { items } = await create(
		[
			{ url: 'https://one.example', timeout: 2 },
			{ url: 'https://two.example', timeout: 60 },
		],
		{ waitForVerification: true, verificationTimeout: '={{ $json.timeout }}' },
	);
	expect(items.map(({ json }) => json.verified)).toEqual([false, true]);
});

const added = { id: 'site_1', ...newSite, verified: false };
const rejected = { ...added, verification_status: 'Rejected' };
test.each([
	['cannot be understood', { pages: [] }, added],
	['shows it as rejected', { sites: [rejected] }, rejected],
])('a list that %s ends the wait for a verification', async (_, list, expected) => {
	const { create, asked } = await localService((request, response) => {
		json(request.method === 'POST' ? added : list)(request, response);
	});
	const result = await create(newSite, { waitForVerification: true });
	expect(result.error?.message).toBeUndefined();
	expect(jsonOf(result)).toMatchObject([{ ...expected, outcome: 'unverified' }]);
	expect(asked.map(({ method }) => method)).toEqual(['POST', 'GET']);
	expect(result.hints.map(({ message }) => message).join()).toContain('not verified yet');
});

test('Retry On Fail adds no site twice, and gives what the first try reached', async () => {
	const { sandbox, create } = await testService();
	// Three are sent at once, and one of them is refused: n8n runs all of them again.
	sandbox.addFault({ kind: 'error-before-commit', status: 400, method: 'POST' });
	const urls = ['https://a.example', 'http://b.example', 'https://c.example'];
	const result = await create(
		urls.map((url) => ({ url })),
		{},
		{ tries: 3 },
	);
	expect(result.error?.message).toBeUndefined();
	expect(jsonOf(result)).toMatchObject(urls.map((url) => ({ url, outcome: 'added' })));
	expect(sandbox.books.requests({ endpoint: createEndpoint }).length).toBe(4);
	expect(sandbox.books.sites().length).toBe(3);
});

test('a minute after a request that came to nothing, a second try sends another', async () => {
	const { sandbox, create } = await testService();
	sandbox.addFault({ kind: 'cut-before-commit', method: 'POST' });
	sandbox.addFault({ kind: 'delay-after-commit', method: 'GET', milliseconds: 60_000 });
	const result = await create(newSite, { timeout: 90 }, { tries: 2 });
	expect(jsonOf(result)).toMatchObject([{ ...newSite, outcome: 'added' }]);
});

test.each([
	['create', 0, 'existing'],
	['return', 1, 'added'],
])(
	'what the first try added and could not see comes out of the second: %s',
	async (ifExists, after, outcome) => {
		const { sandbox, create } = await testService();
		sandbox.addFault({ kind: 'cut-after-commit', method: 'POST' });
		sandbox.addFault({ kind: 'not-json', method: 'GET', after });
		const result = await create(newSite, { ifExists }, { tries: 2 });
		expect(jsonOf(result)).toMatchObject([{ ...newSite, outcome }]);
		expect(sandbox.books.sites().length).toBe(1);
	},
);

test.each([undefined, 2])(
	'where it cannot be seen what became of a request, it is said, and nothing added: tries %s',
	async (tries) => {
		const { sandbox, create } = await testService();
		sandbox.addFault({ kind: 'cut-before-commit', method: 'POST' });
		sandbox.addFault({ kind: 'not-json', method: 'GET', times: 2 });
		const { error } = await create(newSite, {}, { tries });
		expect(error?.message).toBe('It is not known whether the site was added');
		expect(error?.description).toContain('The sites could not be listed afterwards');
		expect(sandbox.books.requests({ endpoint: createEndpoint }).length).toBe(1);
	},
);

test.each([{ kind: 'cut-before-commit' }, { kind: 'error-before-commit', status: 302 }] as const)(
	'what came back is said where the list does not show the site: %j',
	async (fault) => {
		const { sandbox, create } = await testService();
		sandbox.addFault({ ...fault, method: 'POST' });
		const { error } = await create(newSite);
		expect(error?.description).toMatch(/what came back: (?!no clear answer).*does not show it/);
	},
);

test('before write operations are available, the error says so', async () => {
	const { create } = await testService({ readOnly: true });
	const { error } = await create(newSite);
	expect(error?.description).toContain('write operations are not available for the account yet');
});

test.each([
	[202, '{"id":"job_1","status":"queued"}'],
	[202, ''],
	[202, '<html>'],
	[302, ''],
	[303, ''],
])(
	'an answer without the record is looked up until the list shows the site: HTTP %i, %j',
	async (status, body) => {
		let reads = 0;
		const site = { id: 'site_1', ...newSite };
		const { create } = await localService(({ method }, response) => {
			response.statusCode = method === 'POST' ? status : 200;
			response.end(method === 'POST' ? body : JSON.stringify({ sites: ++reads > 2 ? [site] : [] }));
		});
		expect(jsonOf(await create(newSite))).toEqual([expect.objectContaining(site)]);
	},
);

test('an answer that denies success is looked up, not passed on as a site', async () => {
	const { sandbox, create } = await testService({ dialect: { errorStatus: '200-error-object' } });
	sandbox.addFault({ kind: 'error-before-commit', status: 400, method: 'POST' });
	const result = await create(newSite);
	expect(result.items).toEqual([]);
	expect(result.error?.description).toContain('what came back: HTTP 200 with an error in it');
	expect(sandbox.books.sites().length).toBe(0);
	// Of one that was there before, the service says in the same way that it is not added.
	const outcomes = [await create(newSite), await create(newSite)].map(
		(run) => jsonOf(run)[0]?.outcome,
	);
	expect(outcomes).toEqual(['added', 'existing']);
});

describe('If Exists', () => {
	const ifExists = { ifExists: 'return' };

	test('gives back the site that is there, however its address is written', async () => {
		const { sandbox, create } = await testService();
		await create(newSite);
		const result = await create([{ url: 'HTTPS://Blog.Example/', niche: 'tea' }], ifExists);
		expect(jsonOf(result)).toEqual([expect.objectContaining(newSite)]);
		expect(sandbox.books.requests({ endpoint: createEndpoint }).length).toBe(1);
	});

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
	])('%s is another site than https://blog.example', async (url) => {
		const { create } = await testService();
		await create(newSite);
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
		'https://blog.example#top',
		'https://blog.example/#',
		'HTTPS://Blog.Example:443/',
		'https://blog.example/caf%C3%A9/',
		'https://blog.example/café',
	])('knows the address as another way to write the same: %s', async (url) => {
		const listed = url.includes('caf') ? 'https://blog.example/caf%c3%a9' : newSite.url;
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

test.each(['https://www.blog.example/', 'blog.example', 'https://blog.example/?ref=api', 42])(
	'the record that the service returns is the site, in whatever way it writes the address: %s',
	async (url) => {
		const site = { id: 'site_1', url, verified: false };
		const { create, asked } = await localService(json(site));
		const { items, hints } = await create(newSite);
		expect(items.map((item) => item.json)).toMatchObject([{ ...site, outcome: 'added' }]);
		expect(hints.map(({ message }) => message)).toEqual([
			'The service writes the address of at least one site differently: see "url".',
		]);
		expect(asked.length).toBe(1);
	},
);

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
