/** What became of a request to add a site whose answer does not say: it is looked up, and never sent twice. */
import { expect, test } from 'vitest';

import type { Fault } from '../../../sandbox/faults.mts';
import { localService } from '../localServer.mts';
import { jsonOf, testService } from '../service.mts';
import { useVirtualTime } from '../virtualTime.mts';

useVirtualTime();

const createEndpoint = 'POST /api/sites';
const newSite = { url: 'https://blog.example', niche: 'gardening' };
const webPage = { kind: 'answer-after-commit', status: 200, body: '<html>' } as const;

test.each([
	[{ kind: 'cut-before-commit' }, 'It is not known whether the site was added', 0],
	[{ kind: 'cut-after-commit' }, undefined, 1],
	[{ kind: 'error-after-commit' }, undefined, 1],
	[webPage, undefined, 1],
] as const)(
	'an interrupted request is looked up and not repeated, neither by a second try: %j',
	async (fault, message, sites) => {
		const { sandbox, create } = await testService();
		sandbox.addFault({ ...fault, method: 'POST' });
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

test.each([
	[50, 1],
	[60, 2],
])(
	'a minute after a request that came to nothing, a second try sends another: after %d seconds, %d in all',
	async (seconds, sent) => {
		const { sandbox, create } = await testService();
		sandbox.addFault({ kind: 'cut-before-commit', method: 'POST' });
		sandbox.addFault({ kind: 'delay-after-commit', method: 'GET', milliseconds: seconds * 1000 });
		const result = await create(newSite, { timeout: 90 }, { tries: 2 });
		const added = [expect.objectContaining({ ...newSite, outcome: 'added' })];
		expect(jsonOf(result)).toEqual(sent === 1 ? [] : added);
		expect(sandbox.books.requests({ endpoint: createEndpoint }).length).toBe(sent);
	},
);

test.each([
	['create', 0, 'existing'],
	['return', 1, 'added'],
])(
	'what the first try added and could not see comes out of the second: %s',
	async (ifExists, after, outcome) => {
		const { sandbox, create } = await testService();
		sandbox.addFault({ kind: 'cut-after-commit', method: 'POST' });
		sandbox.addFault({ ...webPage, method: 'GET', after });
		const result = await create(newSite, { ifExists }, { tries: 2 });
		expect(jsonOf(result)).toMatchObject([{ ...newSite, outcome }]);
		expect(sandbox.books.sites().length).toBe(1);
	},
);

const cut = { kind: 'cut-before-commit' } as const;
const unlisted = 'The sites could not be listed afterwards';
const notShown = /what came back: (?!no clear answer).*does not show it/;
test.each<[string, Fault, unreadable: number, tries: number | undefined, RegExp | string]>([
	['a list that cannot be read', cut, 2, undefined, unlisted],
	['a list that a second try cannot read either', cut, 2, 2, unlisted],
	['a list that does not show the site', cut, 0, undefined, notShown],
	['a redirect', { kind: 'error-before-commit', status: 302 }, 0, undefined, notShown],
])(
	'what became of a request is said to be unknown after %s',
	async (_, fault, times, tries, said) => {
		const { sandbox, create } = await testService();
		sandbox.addFault({ ...fault, method: 'POST' });
		if (times > 0) sandbox.addFault({ ...webPage, method: 'GET', times });
		const { error } = await create(newSite, {}, { tries });
		expect(error?.message).toBe('It is not known whether the site was added');
		expect(error?.description).toMatch(said);
		expect(sandbox.books.requests({ endpoint: createEndpoint }).length).toBe(1);
	},
);

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
	const { sandbox, create } = await testService();
	const body = '{"error":{"code":"invalid_request","message":"no"}}';
	sandbox.addFault({ kind: 'answer-before-commit', status: 200, body, method: 'POST' });
	const result = await create(newSite);
	expect(result.items).toEqual([]);
	expect(result.error?.description).toContain('what came back: HTTP 200 with an error in it');
	expect(sandbox.books.sites().length).toBe(0);
});

test('the minute counts from when the list was asked for, however long it takes', async () => {
	const { sandbox, create } = await testService();
	sandbox.addFault({ kind: 'cut-before-commit', method: 'POST' });
	sandbox.addFault({ kind: 'delay-after-commit', method: 'GET', after: 4, milliseconds: 70_000 });
	await create(newSite, { timeout: 90 }, { tries: 2 });
	expect(sandbox.books.requests({ endpoint: createEndpoint }).length).toBe(1);
});

test.each([
	['create', true, 2],
	['return', false, 2],
	['return', true, 1],
])(
	'a minute after a request that came to nothing, another is sent, but with Return Existing only where all sites are listed (%s, cut off: %s)',
	async (ifExists, isCutOff, sent) => {
		let hasSent = false;
		const { create, asked } = await localService(({ method }, response) => {
			const list = JSON.stringify({ sites: [], has_more: hasSent && isCutOff });
			hasSent ||= method === 'POST';
			if (method === 'POST') response.destroy();
			else setTimeout(() => response.end(list), hasSent ? 60_000 : 0);
		});
		const { error } = await create(newSite, { ifExists, timeout: 90 }, { tries: 2 });
		expect(error?.message).toBe('It is not known whether the site was added');
		expect(error?.description).not.toContain('No request was sent');
		expect(asked.filter(({ method }) => method === 'POST').length).toBe(sent);
	},
);

test('a site that the list shows late comes out of the next item that names it, which reads the list again', async () => {
	let reads = 0;
	const { create } = await localService(({ method }, response) => {
		const sites = ++reads > 5 ? [{ id: 'site_1', ...newSite }] : [];
		if (method === 'POST') response.destroy();
		else response.end(JSON.stringify({ sites }));
	});
	const result = await create([newSite, newSite], {}, { continues: true });
	expect(jsonOf(result).map(({ url }) => url)).toEqual([undefined, newSite.url]);
});

test('another way to write the address is not taken for the site of a request in doubt, unless Return Existing says so', async () => {
	const { create } = await localService(({ method }, response) => {
		const sites = [{ url: null }, { id: 'site_1', url: 'http://www.blog.example' }];
		if (method === 'POST') response.destroy();
		else response.end(JSON.stringify({ sites }));
	});
	const { error } = await create(newSite);
	expect(error?.message).toBe('It is not known whether the site was added');
	const existing = { id: 'site_1', outcome: 'existing' };
	expect(jsonOf(await create(newSite, { ifExists: 'return' }))).toMatchObject([existing]);
});

test.each(['<html>', '{"sites":[]}'])(
	'a refusal is what is said, also where the list after it is %j',
	async (after) => {
		let isRefused = false;
		const { create } = await localService(({ method }, response) => {
			if (method === 'POST') response.statusCode = 422;
			const list = isRefused ? after : '{"sites":[]}';
			isRefused ||= method === 'POST';
			response.end(method === 'POST' ? '{}' : list);
		});
		const { error } = await create(newSite, { ifExists: 'return' });
		expect(error?.message).toBe('The service declined to add the site https://blog.example');
	},
);
