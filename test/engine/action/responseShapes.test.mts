/** Lists and balances are parsed in any shape, from the minimum number of pages. */
import { expect, test } from 'vitest';

import { errorMessages } from '../../../nodes/shared/errorMessages.ts';
import { type Dialect, singleVariants } from '../../../sandbox/dialects.mts';
import { jsonOf, setUpWithOffer, startTestService } from '../service.mts';
import { json, startStubServer } from '../stubServer.mts';
import { useVirtualTime } from '../virtualTime.mts';

useVirtualTime();

const readingAxes = ['listShape', 'times'] as const;
const readingVariants = readingAxes.flatMap((axis) => singleVariants(axis));

test.each(readingVariants)('parses lists in any shape: $name', async ({ settings }) => {
	const { sandbox, run, offer } = await setUpWithOffer(
		{ dialect: settings },
		{ anchor: 'garden chairs' },
	);
	sandbox.accept(offer.id);
	sandbox.publish(offer.id);
	sandbox.alert({ exchangeId: offer.id });
	const pending = sandbox.requestOffer();
	sandbox.addSite({ url: 'https://blog.example', niche: 'gardening' });

	const sites = await run('site', 'getAll', { parameters: { returnAll: true } });
	expect(sites.error?.message).toBeUndefined();
	expect(jsonOf(sites)).toContainEqual(
		expect.objectContaining({ url: 'https://blog.example', niche: 'gardening', verified: false }),
	);
	const exchanges = await run('exchange', 'getAll', { parameters: { returnAll: true } });
	expect(jsonOf(exchanges).map(({ id }) => id)).toEqual(
		expect.arrayContaining([offer.id, pending.id]),
	);
	const live = await run('exchange', 'getAll', { parameters: { filters: { status: 'live' } } });
	expect(jsonOf(live)).toEqual([
		expect.objectContaining({ id: offer.id, status: 'live', anchor: 'garden chairs' }),
	]);
	const events = await run('watchdogEvent', 'getAll', { parameters: { returnAll: true } });
	expect(jsonOf(events)).toContainEqual(expect.objectContaining({ exchange_id: offer.id }));
});

test.each(singleVariants('ledgerKey'))('finds the ledger: $name', async ({ settings }) => {
	const { sandbox, run, offer } = await setUpWithOffer({ dialect: settings, credits: 70 });
	sandbox.accept(offer.id);
	const ledger = await run('credit', 'getLedger', { parameters: { returnAll: true } });
	const amounts = jsonOf(ledger).map(({ amount }) => Number(amount));
	expect(amounts.length).toBe(2);
	expect(amounts.reduce((sum, amount) => sum + amount, 0)).toBe(sandbox.books.balance());

	const balance = await run('credit', 'getBalance');
	expect(jsonOf(balance)).toEqual([sandbox.books.balances()].map(toWire));
});

test.each(singleVariants('balance'))(
	'parses the balance in any form: $name',
	async ({ settings }) => {
		const { sandbox, run, offer, acceptMany } = await setUpWithOffer({
			dialect: settings,
			credits: 500,
		});
		sandbox.accept(offer.id);
		const { balance, lifetimeSpent } = sandbox.books.balances();
		const [item] = jsonOf(await run('credit', 'getBalance'));
		expect(item).toEqual(toWire(sandbox.books.balances()));
		const [summary] = jsonOf(await run('account', 'getSummary'));
		expect(summary?.balance).toBe(balance);
		sandbox.requestOffer({ cost: 30 });
		const { decisions } = await acceptMany({ limits: { minimumBalance: 20 } });
		expect(decisions).toMatchObject([
			{ outcome: 'accepted', creditsSpent: 30, balance: balance - 30 },
		]);
		expect(sandbox.books.balances().lifetimeSpent).toBe(lifetimeSpent + 30);
	},
);

test.each([
	['1,000', '"1,000"'],
	['many', '"many"'],
	[null, 'null'],
	['9007199254740993', '"9007199254740993"'],
])('describes a balance of %j as it arrived', async (balance, shown) => {
	const { run } = await startStubServer(json({ balance, lifetime_spent: 5 }));
	const { error } = await run('credit', 'getBalance');
	expect(error?.message).toBe(errorMessages.unexpectedResponse);
	expect(error?.description).toContain(`received "balance": ${shown}.`);
});

function toWire(balances: { balance: number; lifetimeEarned: number; lifetimeSpent: number }) {
	const { balance, lifetimeEarned, lifetimeSpent } = balances;
	return { balance, lifetime_earned: lifetimeEarned, lifetime_spent: lifetimeSpent };
}

const manyOffers = 12;

test.each(singleVariants('pagination'))(
	'follows further pages or reports them, and never truncates silently: $name',
	async ({ settings }) => {
		const dialect: Partial<Dialect> = { ...settings, pageSize: 5 };
		const { sandbox, run } = await startTestService({ dialect });
		for (let count = 0; count < manyOffers; count++) sandbox.requestOffer();
		const { items, hints, error } = await run('exchange', 'getAll', {
			parameters: { status: 'pending', returnAll: true },
		});
		expect(error?.message).toBeUndefined();
		const pagination = settings.pagination ?? 'none';
		if (['none', 'link'].includes(pagination)) {
			expect(new Set(items.map(({ json }) => json.id)).size).toBe(manyOffers);
			expect(hints).toEqual([]);
		} else {
			expect(items.length).toBe(5);
			expect(hints.map(({ message }) => message).join()).toContain('may be incomplete');
		}
	},
);

test.each(singleVariants('emptyList'))(
	'returns nothing for a new account: $name',
	async ({ settings }) => {
		const { run } = await startTestService({ dialect: settings });
		for (const [resource, operation] of [
			['exchange', 'getAll'],
			['watchdogEvent', 'getAll'],
		] as const) {
			const { items, error } = await run(resource, operation);
			expect([items, error?.message]).toEqual([[], undefined]);
		}
		expect((await run('account', 'getSummary')).items.length).toBe(1);
	},
);

test('Get reads the list of every status, once for all items, before it reports an unknown exchange', async () => {
	const { sandbox, run } = await startTestService({
		dialect: { exchangeList: 'pending-unless-filtered' },
	});
	const { id } = sandbox.requestOffer();
	sandbox.accept(id);
	sandbox.publish(id);
	sandbox.breakLink(id);
	const { items } = await run('exchange', 'get', {
		parameters: { exchangeId: { __rl: true, mode: 'id', value: '={{ $json.id }}' } },
		items: [{ id }, { id: 'exc_none' }, { id }, { id: 'exc_no' }],
		continueOnFail: true,
	});
	const unknown = (name: string) => ({
		error: {
			message: `The service doesn't list the exchange ${name}`,
			description: expect.stringContaining('Check the ID') as unknown,
		},
	});
	const broken = { id, status: 'broken' };
	expect(items.map((item) => item.json)).toMatchObject([
		...[broken, unknown('exc_none')],
		...[broken, unknown('exc_no')],
	]);
	// The lists, and the sites for the direction.
	expect(sandbox.books.requests().length).toBe(6);
});

test.each([
	['total', { exchanges: [{ id: 1 }], total: 2 }, {}],
	['total as text', { exchanges: [{ id: 1 }], total: '2' }, {}],
	['meta.total', { data: [{ id: 1 }], meta: { total: 2 } }, {}],
	['meta.pagination.total', { data: [{ id: 1 }], meta: { pagination: { total: 2 } } }, {}],
	['next_page_number', { data: [{ id: 1 }], next_page_number: 2 }, {}],
	['_links.next', { data: [{ id: 1 }], _links: { next: { href: '/x' } } }, {}],
	['has_more as text', { data: [{ id: 1 }], has_more: 'true' }, {}],
	['X-Total-Count', [{ id: 1 }], { 'x-total-count': '2' }],
])('a list with %s that shows more is incomplete, and a hint says so', async (_, body, headers) => {
	const { run } = await startStubServer(({ url = '' }, response) => {
		if (url.endsWith('/sites')) response.end('[]');
		else response.writeHead(200, headers).end(JSON.stringify(body));
	});
	const { hints } = await run('exchange', 'getAll', { parameters: { returnAll: true } });
	expect(hints.map(({ message }) => message).join()).toContain('more');
	const { error } = await run('exchange', 'acceptMany', {
		parameters: { acceptFrom: 'anyone', limits: { maxPerDay: 1 } },
	});
	expect(error?.message).toContain('the list is incomplete');
});

test('a list that shows more is incomplete although the lists per status are complete', async () => {
	const { run } = await startStubServer(({ url = '' }, response) => {
		const pending = [{ id: 1, status: 'pending' }];
		if (url.endsWith('/exchanges')) response.end(JSON.stringify({ data: pending, total: 2 }));
		else response.end(url.endsWith('status=pending') ? JSON.stringify(pending) : '[]');
	});
	const { error } = await run('exchange', 'acceptMany', {
		parameters: { acceptFrom: 'anyone', limits: { maxPerDay: 1 } },
	});
	expect(error?.message).toContain('the list is incomplete');
});

test('Accept Many shows a hint if the list of your sites is incomplete', async () => {
	const { run } = await startStubServer(({ url = '' }, response) => {
		const sites = { sites: [{ id: 'site_1', url: 'https://tea.example' }], has_more: true };
		response.end(url.endsWith('/sites') ? JSON.stringify(sites) : '[]');
	});
	const { hints } = await run('exchange', 'acceptMany', { parameters: { acceptFrom: 'anyone' } });
	expect(hints.map(({ message }) => message).join()).toContain('more entries than it returned');
});

test.each([3, 4])('an entry that comes again counts once for a total of %i', async (total) => {
	const { run } = await startStubServer(({ url = '' }, response) => {
		const isSecond = url.includes('page=2');
		const link = isSecond ? {} : { link: `<${url.split('?')[0]}?page=2>; rel="next"` };
		const exchanges = (isSecond ? [2, 3] : [1, 2]).map((id) => ({ id }));
		if (url.endsWith('/sites')) response.end('[]');
		else response.writeHead(200, link).end(JSON.stringify({ exchanges, total }));
	});
	const { hints } = await run('exchange', 'getAll', { parameters: { returnAll: true } });
	expect(hints.length).toBe(total - 3);
});

test('an entry that comes again on the next page counts once', async () => {
	const { run } = await startStubServer(({ url = '' }, response) => {
		const isSecond = url.includes('page=2');
		const link = isSecond ? {} : { link: `<${url.split('?')[0]}?page=2>; rel="next"` };
		const toEntry = (id: number) => ({
			id: `x${id}`,
			url: `https://x${id}.example`,
			exchange_id: id,
		});
		const ids = isSecond ? [2, 3] : [1, 2];
		response.writeHead(200, link).end(JSON.stringify(ids.map(toEntry)));
	});
	for (const resource of ['exchange', 'site', 'watchdogEvent']) {
		const result = await run(resource, 'getAll', { parameters: { returnAll: true } });
		expect(jsonOf(result).map(({ id }) => id)).toEqual(['x1', 'x2', 'x3']);
	}
});
