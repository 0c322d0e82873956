/** Answers of every size and kind: large lists, large ids, endless bodies, lists that go on, reads that went wrong. */
import { once } from 'node:events';

import { describe, expect, test } from 'vitest';

import { json, localService } from '../localServer.mts';
import { jsonOf, testService } from '../service.mts';
import { useVirtualTime } from '../virtualTime.mts';

useVirtualTime();

const many = 200_000;
const manySites = `{"sites":[${Array.from({ length: many }, (_, index) => `{"id":"site_${index}","verified":${index % 2 === 0}}`).join()}]}`;

test('a list of 200,000 entries works with a limit and with Return All', async () => {
	const { run } = await localService(json(manySites));
	const ten = await run('site', 'getAll', { parameters: { limit: 10 } });
	expect(ten.error?.message).toBeUndefined();
	expect(jsonOf(ten).map(({ id }) => id)).toEqual(
		Array.from({ length: 10 }, (_, i) => `site_${i}`),
	);
	const all = await run('site', 'getAll', { parameters: { returnAll: true } });
	expect(all.error?.message).toBeUndefined();
	expect(all.items.length).toBe(many);
	expect(all.items.at(-1)?.json.id).toBe(`site_${many - 1}`);
});

test('100,000 entries of one exchange, and 30,000 offers of which one may be accepted', async () => {
	const same = Array.from({ length: 100_000 }, () => ({ id: 'exc_1', status: 'live' }));
	const one = await localService(json(same));
	expect((await one.search('searchExchanges')).length).toBe(1);
	const offers = Array.from({ length: 30_000 }, (_, id) => ({ id, status: 'pending' }));
	const service = await localService(json(offers));
	const { outcomes } = await service.acceptMany({ dryRun: true, options: { maxAccepts: 1 } });
	expect(outcomes.length).toBe(30_000);
	const listed = await service.search('searchPendingOffers');
	expect(listed.length).toBe(501);
	expect(listed.at(-1)).toEqual({
		name: 'Type to search: 29500 more are not listed here',
		value: '',
	});
	expect((await service.search('searchPendingOffers', '29999')).length).toBe(1);
});

test('a partner of 400,000 digits is read in one go, not once for each of them', async () => {
	const from_site = `${'1'.repeat(400_000)}!`;
	const service = await localService(json([{ id: 'exc_1', status: 'pending', from_site }]));
	const options = { refusedPartners: 'spam.example' };
	expect((await service.acceptMany({ options })).outcomes).toEqual(['undecided']);
});

test('ids beyond 2^53 are kept exactly, and used exactly', async () => {
	const id = '9007199254740993';
	const { accept, run, asked } = await localService((request, response) => {
		const isAccept = request.method === 'POST';
		response.end(
			isAccept ? `{"id":${id},"status":"accepted"}` : `[{"id":${id},"status":"pending"}]`,
		);
	});
	expect(jsonOf(await run('exchange', 'getAll'))).toEqual([{ id, status: 'pending' }]);
	const accepted = await accept(id);
	expect(jsonOf(accepted)).toEqual([expect.objectContaining({ id, outcome: 'accepted' })]);
	expect(asked.at(-1)?.url).toBe(`/api/exchanges/${id}/accept`);
});

test('a body that never ends is an error, not the end of n8n', { timeout: 60_000 }, async () => {
	const chunk = 'x'.repeat(1_000_000);
	const { run, asked } = await localService((_request, response) => {
		const more = () => {
			while (!response.destroyed && response.write(chunk));
		};
		response.on('drain', more);
		more();
	});
	const { error } = await run('site', 'getAll');
	expect(error?.message).toBe('The answer of the service could not be understood');
	expect(error?.description).toContain('a body that is too large to read');
	expect(asked.length).toBe(1);
});

test('a body that stops halfway is an error, and gives its connection back', async () => {
	const closed: Array<Promise<unknown>> = [];
	const { run } = await localService((request, response) => {
		closed.push(once(request.socket, 'close'));
		response.writeHead(200, { 'content-type': 'application/json' }).write('{"sites":[');
	});
	const { error } = await run('site', 'getAll');
	expect(error?.message).toBe('The service could not be reached');
	await Promise.all(closed);
	expect(closed.length).toBeGreaterThan(1);
});

test('items that read the same list get copies: what is done to one does not show in another', async () => {
	const { sandbox, run } = await testService();
	sandbox.requestOffer();
	const { items } = await run('exchange', 'getAll', { items: [{}, {}] });
	const [one, other] = items.map(({ json: record }) => record);
	expect(one).toEqual(other);
	expect(one).not.toBe(other);
});

test.each([
	[{ has_more: true }, {}, true, 1],
	// The second page names itself as the next one.
	[{}, { link: '</api/2>; rel="next"' }, true, 2],
	[{}, { link: '<http://[>; rel="next"' }, true, 1],
	[{}, { link: '</0>; rel="prev"' }, false, 1],
])('a ledger with %j and the headers %j goes on: %s', async (more, headers, isGoingOn, pages) => {
	const credits = { balance: 5, ledger: [{ amount: 5 }], ...more };
	const { run } = await localService(json(credits, { ...headers }));
	const { hints, items } = await run('credit', 'getLedger');
	expect(items.length).toBe(pages);
	expect(hints.some(({ message }) => message.includes('may be incomplete'))).toBe(isGoingOn);
});

test('a list that is limited does not say that it goes on', async () => {
	const { run } = await localService(json({ sites: [{ id: 'site_1' }] }, { 'x-next-page': '2' }));
	for (const [limit, hints] of [
		[50, 1],
		[1, 0],
	] as const) {
		expect((await run('site', 'getAll', { parameters: { limit } })).hints.length).toBe(hints);
	}
});

/** A list of so many pages, with one site on each. */
async function sitesOn(pages: number, more: object = {}) {
	return await localService(({ url = '' }, response) => {
		const page = Number(/page=(\d+)/.exec(url)?.[1] ?? 1);
		if (page < pages) response.setHeader('link', `</api/sites?page=${page + 1}>; rel="next"`);
		response.end(JSON.stringify({ sites: [{ id: `site_${page}` }], ...more }));
	});
}

test('a total is compared with the entries of all pages', async () => {
	for (const [total, hints] of [
		[2, 0],
		[3, 1],
	] as const) {
		const { run } = await sitesOn(2, { total });
		expect((await run('site', 'getAll')).hints.length).toBe(hints);
	}
});

describe('a list that has no end', () => {
	const returnAll = { parameters: { returnAll: true } };

	test('is left after a thousand pages, and that is said', async () => {
		const { run, asked } = await sitesOn(Infinity);
		const { items, error } = await run('site', 'getAll', returnAll);
		expect(items).toEqual([]);
		expect(error?.message).toBe('The list of sites is too large to read');
		expect(error?.description).toContain('goes on after 1000 pages');
		expect(asked.length).toBe(1000);
		const enough = { parameters: { limit: 3 } };
		expect((await run('site', 'getAll', enough)).items.length).toBe(3);
		expect(asked.length).toBe(1003);
	});

	test('is left after 32 MB on all pages together, and that is said', async () => {
		const padding = 'x'.repeat(8 * 1024 * 1024);
		const { run, asked } = await sitesOn(Infinity, { padding });
		const { items, error } = await run('site', 'getAll', returnAll);
		expect(items).toEqual([]);
		expect(error?.message).toBe('The list of sites is too large to read');
		expect(error?.description).toContain('goes on after 4 pages with 32 MB');
		expect(error?.description).toContain('At most 1000 pages and 32 MB are read of one list.');
		expect(asked.length).toBe(4);
	});
});
