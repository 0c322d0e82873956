/** What Create adds, refuses and puts out. What became of a request whose answer says too little: siteCreateDoubt.test.mts. */
import { expect, test } from 'vitest';

import { singleVariants } from '../../../sandbox/dialects.mts';
import { json, localService } from '../localServer.mts';
import { jsonOf, newSites, testService } from '../service.mts';
import { useVirtualTime } from '../virtualTime.mts';

useVirtualTime();

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

test('before write operations are available, the error says so', async () => {
	const { create } = await testService({ readOnly: true });
	const { error } = await create(newSite);
	expect(error?.description).toContain('write operations are not available for the account yet');
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
