/** What Create adds, and that a site is added once. */
import { describe, expect, test } from 'vitest';

import { singleVariants } from '../../../sandbox/dialects.mts';
import { jsonOf, newSites, startTestService } from '../service.mts';
import { json, startStubServer } from '../stubServer.mts';
import { useVirtualTime } from '../virtualTime.mts';
import { minute } from './acceptFixtures.mts';

const time = useVirtualTime();

const newSite = { url: 'https://blog.example', niche: 'gardening' };
const sites = { method: 'GET', path: '/api/sites' } as const;

test.each(singleVariants('createSite'))('a site is added: $name', async ({ settings }) => {
	const { sandbox, create } = await startTestService({ dialect: settings });
	const result = await create(newSite);
	expect(result.error?.message).toBeUndefined();
	expect(jsonOf(result)).toMatchObject([
		{
			...newSite,
			verified: false,
			outcome: 'added',
			message: 'Added blog.example, niche “gardening”',
		},
	]);
	expect(sandbox.books.sites().filter(({ url }) => url === newSite.url).length).toBe(1);
});

test.each([
	'https://blog.example',
	'https://BLOG.example/',
	'http://www.blog.example',
	'https://blog.example.',
])('a site that the account has, as %s, comes back as it is, and nothing is sent', async (url) => {
	const { sandbox, create } = await startTestService();
	const { id } = sandbox.addSite(newSite);
	const result = await create({ url, niche: 'tea' });
	expect(jsonOf(result)).toMatchObject([
		{
			id,
			...newSite,
			outcome: 'existing',
			message: 'Already there: blog.example, niche “gardening”',
		},
	]);
	expect(sandbox.books.requests({ method: 'POST' })).toEqual([]);
});

test('of several items that name a site, the first adds it, and the others find it there', async () => {
	const { sandbox, create } = await startTestService();
	const result = await create([newSite, { ...newSite, niche: 'tea' }, newSite]);
	expect(jsonOf(result).map(({ outcome }) => outcome)).toEqual(['added', 'existing', 'existing']);
	expect(sandbox.books.requests().map(({ method }) => method)).toEqual(['GET', 'POST']);
});

test('executions at once, and a second one, add a site once', async () => {
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

test('Retry On Fail adds nothing twice, and gives what the first try has added', async () => {
	const { sandbox, create } = await startTestService();
	sandbox.addFault({ kind: 'error-before-commit', method: 'POST', status: 400, after: 1 });
	const result = await create(newSites(2), { maxParallel: 1 }, { maxTries: 2 });
	expect(jsonOf(result).map(({ outcome }) => outcome)).toEqual(['added', 'added']);
	expect(sandbox.books.sites().length).toBe(2);
});

describe('an answer that is no evidence is looked up', () => {
	test.each(['cut-after-commit', 'error-after-commit', 'malformed-json'] as const)(
		'%s: added, as the list shows',
		async (kind) => {
			const { sandbox, create } = await startTestService();
			sandbox.addFault({ kind, method: 'POST' });
			expect(jsonOf(await create(newSite))).toMatchObject([{ outcome: 'added' }]);
			expect(sandbox.books.requests({ method: 'POST' }).length).toBe(1);
		},
	);

	test('what does not show is unknown; nothing is sent for a minute, and never again by that execution', async () => {
		const { sandbox, create } = await startTestService();
		sandbox.addFault({ kind: 'cut-before-commit', method: 'POST' });
		const first = await create(newSite, {}, { maxTries: 3 });
		expect(first.error?.message).toBe('It is not known whether the site was added');
		expect(first.error?.context?.code).toBe('outcome_unknown');
		expect((await create(newSite)).error?.context?.code).toBe('outcome_unknown');
		expect(sandbox.books.requests({ method: 'POST' }).length).toBe(1);
		await time.wait(minute);
		expect(jsonOf(await create(newSite))).toMatchObject([{ outcome: 'added' }]);
	});

	test('a list that cannot be read is an error, and nothing is sent', async () => {
		const { sandbox, create } = await startTestService();
		sandbox.addFault({ kind: 'malformed-json', ...sites });
		expect((await create(newSite)).error?.message).toContain('could not be understood');
		expect(sandbox.books.requests({ method: 'POST' })).toEqual([]);
	});
});

test.each([
	...['blog.example', 'ftp://blog.example', 'https://', 'https://blog'],
	...['https://a.example\nhttps://b.example', 'https://a.example,https://b.example'],
])('what is no address is refused before any request: %j', async (url) => {
	const { sandbox, create } = await startTestService();
	const { error } = await create({ url, niche: 'gardening' });
	expect(error?.message).toContain('"URL" cannot be used');
	expect(sandbox.books.requests()).toEqual([]);
});

test('many sites are added in parallel, with order and pairing kept', async () => {
	const { sandbox, create } = await startTestService({ latencyMilliseconds: 20 });
	const items = newSites(25);
	const result = await create(items, { maxParallel: 5 });
	expect(result.items.map(({ json, pairedItem }) => [json.url, pairedItem])).toEqual(
		items.map(({ url }, item) => [url, { item }]),
	);
	expect(Math.max(...sandbox.books.requests().map(({ inFlight }) => inFlight))).toBe(5);
});

test('after a site that fails, no other one is begun', async () => {
	const { sandbox, create } = await startTestService({ latencyMilliseconds: 20 });
	sandbox.addFault({ kind: 'error-before-commit', status: 400, method: 'POST' });
	const { error } = await create(newSites(25), { maxParallel: 5 });
	expect(error?.message).toMatch(/^The service declined to add the site https/);
	expect(sandbox.books.requests().length).toBeLessThan(13);
});

test('before write operations are available, the error says so', async () => {
	const { create } = await startTestService({ readOnly: true });
	const { error } = await create(newSite);
	expect(error?.description).toContain('write operations are not available for the account yet');
});

test.each(['https://www.blog.example/', 'blog.example', 42])(
	'the record that the service returns is the site, in whatever way it writes the address: %s',
	async (url) => {
		const site = { id: 'site_1', url, verified: false };
		const { create } = await startStubServer((request, response) => {
			json(request.method === 'POST' ? site : { sites: [] })(request, response);
		});
		const { items } = await create(newSite);
		expect(items.map((item) => item.json)).toMatchObject([{ ...site, outcome: 'added' }]);
	},
);
