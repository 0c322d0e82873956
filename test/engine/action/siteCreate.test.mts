/** Create adds a site, and only once. */
import { describe, expect, test } from 'vitest';

import { errorMessages } from '../../../nodes/shared/errorMessages.ts';
import { singleVariants } from '../../../sandbox/dialects.mts';
import { jsonOf, newSites, startTestService } from '../service.mts';
import { json, startStubServer } from '../stubServer.mts';
import { useVirtualTime } from '../virtualTime.mts';
import { minute } from './acceptFixtures.mts';

const time = useVirtualTime();

const newSite = { url: 'https://blog.example', niche: 'gardening' };
const sites = { method: 'GET', path: '/api/sites' } as const;

test.each(singleVariants('createSite'))('adds a site: $name', async ({ settings }) => {
	const { sandbox, create } = await startTestService({ dialect: settings });
	const result = await create(newSite);
	expect(result.error?.message).toBeUndefined();
	expect(jsonOf(result)).toMatchObject([
		{
			...newSite,
			verified: false,
			outcome: 'added',
			message: 'Site added: blog.example with the niche “gardening”.',
		},
	]);
	expect(sandbox.books.sites().filter(({ url }) => url === newSite.url).length).toBe(1);
});

test.each([
	'https://blog.example',
	'https://BLOG.example/',
	'http://www.blog.example',
	'https://blog.example.',
])('returns an existing site unchanged, and sends nothing: %s', async (url) => {
	const { sandbox, create } = await startTestService();
	const { id } = sandbox.addSite(newSite);
	const result = await create({ url, niche: 'tea' });
	expect(jsonOf(result)).toMatchObject([
		{
			id,
			...newSite,
			outcome: 'existing',
			message: 'Site already in your account: blog.example with the niche “gardening”.',
		},
	]);
	expect(sandbox.books.requests({ method: 'POST' })).toEqual([]);
});

test.each([
	['https://shop.example/Blog', 'https://shop.example/blog'],
	['https://shop.example/?p=12', 'https://shop.example/?p=34'],
	['https://shop.example', 'https://shop.example:8443'],
])('keeps a site at %s apart from %s', async (url, other) => {
	const { sandbox, create } = await startTestService();
	sandbox.addSite({ ...newSite, url });
	expect(jsonOf(await create({ ...newSite, url: other }))).toMatchObject([{ outcome: 'added' }]);
	expect(sandbox.books.sites().map((site) => site.url)).toEqual([url, other]);
});

test.each(['https://user:secret@tea.example', 'https://user@tea.example/x'])(
	'rejects %s before any request, and shows no password',
	async (url) => {
		const { sandbox, create } = await startTestService();
		const { error } = await create({ ...newSite, url });
		expect(error?.message).toMatch(/^'URL' must be the URL of a site/);
		expect(error?.description).toContain('Leave out a username or password');
		expect(`${error?.message} ${error?.description}`).not.toContain('secret');
		expect(sandbox.books.requests()).toEqual([]);
	},
);

test('finds a site that was just added, even if the list does not show it yet', async () => {
	let posted = 0;
	const { create } = await startStubServer((request, response) => {
		if (request.method === 'POST') posted++;
		json(request.method === 'POST' ? { id: `site_${posted}`, ...newSite } : { sites: [] })(
			request,
			response,
		);
	});
	const createAndGetItem = async (url = newSite.url) =>
		jsonOf(await create({ ...newSite, url }))[0];
	expect(await createAndGetItem()).toMatchObject({ id: 'site_1', outcome: 'added' });
	expect(await createAndGetItem()).toMatchObject({
		id: 'site_1',
		url: newSite.url,
		outcome: 'existing',
	});
	await time.wait(minute - 1000);
	const two = [{ url: 'http://www.blog.example/' }, { url: 'https://other.example' }];
	expect(jsonOf(await create(two)).map(({ outcome }) => outcome)).toEqual(['existing', 'added']);
	expect(posted).toBe(2);
	await time.wait(2000);
	expect(await createAndGetItem()).toMatchObject({ id: 'site_3', outcome: 'added' });
});

test('sends a site again if its last request was rejected', async () => {
	const { sandbox, create } = await startTestService();
	sandbox.addFault({ kind: 'error-before-commit', method: 'POST', status: 400 });
	expect((await create(newSite)).error?.message).toContain('declined to add the site');
	expect(jsonOf(await create(newSite))).toMatchObject([{ outcome: 'added' }]);
});

test('adds a site that several items contain only once; the others find it', async () => {
	const { sandbox, create } = await startTestService();
	const result = await create([newSite, { ...newSite, niche: 'tea' }, newSite]);
	expect(jsonOf(result).map(({ outcome }) => outcome)).toEqual(['added', 'existing', 'existing']);
	expect(sandbox.books.requests().map(({ method }) => method)).toEqual(['GET', 'POST']);
});

test('adds a site once across concurrent executions and a second one', async () => {
	const { sandbox, create } = await startTestService();
	const runs = await Promise.all([create(newSite), create(newSite)]);
	expect(
		runs
			.flatMap(jsonOf)
			.map(({ outcome }) => outcome)
			.sort(),
	).toEqual(['added', 'existing']);
	expect(jsonOf(await create(newSite))).toMatchObject([{ outcome: 'existing' }]);
	expect(sandbox.books.requests({ method: 'POST' }).length).toBe(1);
});

test('Retry On Fail adds nothing twice, and returns sites of the first try', async () => {
	const { sandbox, create } = await startTestService();
	sandbox.addFault({ kind: 'error-before-commit', method: 'POST', status: 400, after: 1 });
	const result = await create(newSites(2), {}, { maxTries: 2 });
	expect(jsonOf(result).map(({ outcome }) => outcome)).toEqual(['added', 'added']);
	expect(sandbox.books.sites().length).toBe(2);
});

describe('verifies ambiguous responses in the list', () => {
	test.each(['cut-after-commit', 'error-after-commit', 'malformed-json'] as const)(
		'returns the site as added, by the list: %s',
		async (kind) => {
			const { sandbox, create } = await startTestService();
			sandbox.addFault({ kind, method: 'POST' });
			expect(jsonOf(await create(newSite))).toMatchObject([{ outcome: 'added' }]);
			expect(sandbox.books.requests({ method: 'POST' }).length).toBe(1);
		},
	);

	test("reports an unlisted site as unknown, and doesn't send it again for a minute", async () => {
		const { sandbox, create } = await startTestService();
		sandbox.addFault({ kind: 'cut-before-commit', method: 'POST' });
		const first = await create(newSite, {}, { maxTries: 3 });
		expect(first.error?.message).toBe("Couldn't see whether the site was added");
		expect(first.error?.context?.code).toBe('outcome_unknown');
		expect((await create(newSite)).error?.context?.code).toBe('outcome_unknown');
		expect(sandbox.books.requests({ method: 'POST' }).length).toBe(1);
		await time.wait(minute);
		expect(jsonOf(await create(newSite))).toMatchObject([{ outcome: 'added' }]);
	});

	test('fails without adding anything if the list is unreadable', async () => {
		const { sandbox, create } = await startTestService();
		sandbox.addFault({ kind: 'malformed-json', ...sites });
		expect((await create(newSite)).error?.message).toBe(errorMessages.unexpectedResponse);
		expect(sandbox.books.requests({ method: 'POST' })).toEqual([]);
	});
});

test.each([
	['blog.example', 'https://blog.example'],
	['\u200b www.Blog.example/tea?page=1 ', 'https://www.Blog.example/tea?page=1'],
	['blog.example:8443', 'https://blog.example:8443'],
	['bücher.example', 'https://bücher.example'],
])('adds %j as %s', async (url, expected) => {
	const { sandbox, create } = await startTestService();
	expect(jsonOf(await create({ ...newSite, url }))).toMatchObject([
		{ url: expected, outcome: 'added' },
	]);
	expect(sandbox.books.sites().map((site) => site.url)).toEqual([expected]);
});

test.each([
	...['ftp://blog.example', 'https://', 'https://blog', 'blog', 'site_1', '12', '3.5', '10.0.0.1'],
	...['me@blog.example', 'me:secret@blog.example', 'mailto:me@blog.example', '//blog.example'],
	...['https//blog.example', 'https:/blog.example', 'blog.example gardening'],
	...['blog.example, gardening', 'blog.example,gardening', 'blog.example;gardening'],
	...['https://a.example\nhttps://b.example', 'https://a.example,https://b.example'],
])('rejects %j as a URL before any request', async (url) => {
	const { sandbox, create } = await startTestService();
	const { error } = await create({ url, niche: 'gardening' });
	expect(error?.message).toContain("'URL' must be");
	expect(sandbox.books.requests()).toEqual([]);
});

test('adds many sites in parallel, and keeps order and pairing', async () => {
	const { sandbox, create } = await startTestService({ latencyMilliseconds: 20 });
	const items = newSites(25);
	const result = await create(items);
	expect(result.items.map(({ json, pairedItem }) => [json.url, pairedItem])).toEqual(
		items.map(({ url }, item) => [url, { item }]),
	);
	expect(Math.max(...sandbox.books.requests().map(({ inFlight }) => inFlight))).toBe(25);
});

test('starts no further site after one that fails', async () => {
	const { sandbox, create } = await startTestService({ latencyMilliseconds: 20 });
	sandbox.addFault({ kind: 'error-before-commit', status: 400, method: 'POST' });
	const { error } = await create(newSites(500));
	expect(error?.message).toMatch(/^The service declined to add the site https/);
	// The list, and the sites that were added at the same time.
	expect(sandbox.books.requests().length).toBeLessThanOrEqual(241);
});

describe('if the service declines the third site and those after it', () => {
	/** Shows so few requests left that one is sent after the other. */
	const quota = { 'x-ratelimit-remaining': '3', 'x-ratelimit-reset': '60' };

	const site = { id: 'site_1', ...newSite };

	const createNine = async (status: number, body: string) => {
		let posted = 0;
		const { create, requests } = await startStubServer((request, response) => {
			const isPost = request.method === 'POST';
			if (isPost) posted++;
			if (posted > 2) response.writeHead(status, quota).end(body);
			else json(isPost ? site : { sites: [] }, quota)(request, response);
		});
		const items = jsonOf(await create(newSites(9), {}, { continueOnFail: true }));
		expect(items.map(({ outcome }) => outcome)).toEqual(['added', 'added', ...Array<undefined>(7)]);
		return { failed: items.slice(2), requestCount: requests.length };
	};

	const errorBody = '{"error":{"code":"x","message":"No"}}';

	test.each([
		['the key', 401, errorBody, errorMessages.apiKeyNotAccepted],
		['the plan', 403, errorBody, errorMessages.accessDenied],
		['a plan that is too small', 402, errorBody, errorMessages.accessDenied],
		['the endpoint', 404, '', errorMessages.urlNotFound],
		['a proxy', 403, '<title>Just a moment...</title>', errorMessages.blockedByProxy],
	])(
		'because of %s, fails the remaining items with the same message and without a request',
		async (_, status, body, message) => {
			const { failed, requestCount } = await createNine(status, body);
			expect(failed[0]).toMatchObject({ error: { message } });
			expect(new Set(failed.map((item) => JSON.stringify(item))).size).toBe(1);
			// The message names no site, because most of the items weren't sent.
			expect(JSON.stringify(failed)).not.toContain('site-');
			// The list, three sites, and one that was sent before the third response was read.
			expect(requestCount).toBeLessThanOrEqual(5);
		},
	);

	test('because of each site, sends all', async () => {
		const { failed, requestCount } = await createNine(422, errorBody);
		expect(requestCount).toBe(10);
		expect(new Set(failed.map(({ message }) => message)).size).toBe(7);
	});
});

test("reports that write operations aren't available yet", async () => {
	const { create } = await startTestService({ readOnly: true });
	const { error } = await create(newSite);
	expect(error?.description).toContain(
		'Write operations may not be available for your account yet',
	);
});

test.each(['https://www.blog.example/', 'blog.example', 42])(
	'recognizes the created site in the response with any form of its URL: %s',
	async (url) => {
		const site = { id: 'site_1', url, verified: false };
		const { create } = await startStubServer((request, response) => {
			json(request.method === 'POST' ? site : { sites: [] })(request, response);
		});
		const { items } = await create(newSite);
		expect(items.map((item) => item.json)).toMatchObject([{ ...site, outcome: 'added' }]);
	},
);
