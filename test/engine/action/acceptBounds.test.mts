/** Max Accepts, Minimum Balance and Dry Run: what keeps an execution from spending. */
import { expect, onTestFinished, test } from 'vitest';

import { processedData } from '../engine.mts';
import { localService } from '../localServer.mts';
import { jsonOf, testService } from '../service.mts';
import { useVirtualTime } from '../virtualTime.mts';
import { acceptEndpoint, post } from './accepts.mts';

const time = useVirtualTime();

test('Max Accepts ends the spending, and says so', async () => {
	const { sandbox, accept } = await testService();
	const offers = [1, 2, 3].map(() => sandbox.requestOffer());
	const { items, outcomes } = await accept(offers, { maxAccepts: 2 });
	expect(outcomes).toEqual(['accepted', 'accepted', 'skipped']);
	expect(items[2]?.json.reason).toBe('Max Accepts (2) is reached');
	expect(offers.map(({ id }) => sandbox.books.acceptsOf(id))).toEqual([1, 1, 0]);
});

test.each([
	[25, 6, ['accepted', 'skipped', 'skipped'], 15, 'could fall below the minimum of 6'],
	[30, 10, ['accepted', 'accepted', 'skipped'], 10, 'is not above the minimum of 10'],
])(
	'of %i credits, Minimum Balance keeps %i, by what accepts have cost',
	async (credits, minimumBalance, outcomes, left, reason) => {
		const { sandbox, accept } = await testService({ credits });
		const offers = [1, 2, 3].map(() => sandbox.requestOffer({ cost: 10 }));
		const run = await accept(offers, { minimumBalance });
		expect(run.outcomes).toEqual(outcomes);
		expect(run.item).toMatchObject({ creditsSpent: 10, balance: credits - 10 });
		expect(run.decisions[2]).not.toHaveProperty('creditsSpent');
		expect(run.decisions[2]).not.toHaveProperty('balance');
		expect(run.decisions[2]?.reason).toContain(`The balance of ${left} credits ${reason}`);
		expect(sandbox.books.balance()).toBe(left);
		// Before and after each accept; the skipped offers ask for nothing.
		const balancesRead = sandbox.books.requests({ endpoint: 'GET /api/credits/balance' }).length;
		expect(balancesRead).toBe(1 + (credits - left) / 10);
	},
);

test('a balance is read once for items that follow each other, and again after a second', async () => {
	const { sandbox, accept } = await testService({ credits: 30, latencyMilliseconds: 600 });
	const balancesRead = () =>
		sandbox.books.requests({ endpoint: 'GET /api/credits/balance' }).length;
	const items = [1, 2, 3].map(() => ({ id: sandbox.requestOffer().id }));
	await accept(items, { dryRun: true, minimumBalance: 1 });
	expect(balancesRead()).toBe(1);
	// What the list does not hold is searched for in two more lists.
	await accept([...items, { id: 'exc_none' }], { dryRun: true, minimumBalance: 1 });
	expect(balancesRead()).toBe(3);
});

test('Max Accepts does not count a request that never left', async () => {
	let isLimited = true;
	const { accept, asked } = await localService(({ method, url }, response) => {
		const list = ['one', 'two'].map((id) => ({ id, status: 'pending' }));
		if (method === 'GET') response.end(JSON.stringify(list));
		else if (isLimited) response.writeHead(429, { 'retry-after': '1' }).end();
		else response.end(JSON.stringify({ id: url?.split('/').at(-2), status: 'accepted' }));
		isLimited = isLimited && method === 'GET';
	});
	const { outcomes } = await accept(
		[{ id: 'one' }, { id: 'two' }],
		{ maxAccepts: 1, maxRateLimitWait: 0 },
		{ tries: 2 },
	);
	expect(outcomes).toEqual(['accepted', 'skipped']);
	const posted = asked.filter(({ method }) => method === 'POST');
	expect(posted.map(({ url }) => url)).toEqual(Array(2).fill('/api/exchanges/one/accept'));
});

test('a balance from before an accept is not the current one', async () => {
	const { sandbox, accept } = await testService({ credits: 25, latencyMilliseconds: 1 });
	const offers = [1, 2].map(() => sandbox.requestOffer({ cost: 10 }));
	const delay = { kind: 'delay-after-commit', milliseconds: 1000 } as const;
	sandbox.addFault({ ...delay, ...post });
	const running = accept(offers, { minimumBalance: 10 });
	// While the answer is on its way: what the first accept has cost cannot be read afterwards.
	const first = offers[0]?.id ?? '';
	await time.wait(500);
	expect(sandbox.books.acceptsOf(first)).toBe(1);
	sandbox.addFault({ kind: 'not-json', path: '/api/credits', times: 1 });
	const items = jsonOf(await running);
	expect(items.map(({ outcome }) => outcome)).toEqual(['accepted', 'skipped']);
	expect(items[0]).not.toHaveProperty('balance');
	expect(items[0]).not.toHaveProperty('creditsSpent');
	expect(sandbox.books.balance()).toBe(15);
});

test('executions at once take turns, and use no credits below the minimum', async () => {
	const { sandbox, accept } = await testService({ credits: 40, latencyMilliseconds: 50 });
	const offers = [1, 2, 3].map(() => sandbox.requestOffer({ cost: 10 }));
	sandbox.addFault({ kind: 'delay-after-commit', method: 'POST', milliseconds: 1000 });
	const runs = await Promise.all(offers.map(({ id }) => accept(id, { minimumBalance: 15 })));
	const outcomes = runs.flatMap((run) => run.outcomes).sort();
	expect(outcomes).toEqual(['accepted', 'accepted', 'skipped']);
	// What the first has cost is known to the others.
	expect(sandbox.books.balance()).toBe(20);
});

test.each([{ minimumBalance: 5 }, { maxPerDay: 1 }])(
	'with %j, a request of another execution that leaves while the claim is written is noticed',
	async (options) => {
		processedData.delay = 10;
		onTestFinished(() => {
			processedData.delay = 0;
		});
		const service = await testService({ credits: 12 });
		const { sandbox } = service;
		const [first, second] = [1, 2].map(() => sandbox.requestOffer({ cost: 10 }).id);
		const other = service.accept(second ?? '');
		// The list and the balance are read before the other request leaves, and the claim is written while it does.
		await time.wait(20);
		const careful = service.acceptMany({ options });
		expect((await other).outcomes).toEqual(['accepted']);
		expect((await careful).decisions[0]).toMatchObject({ id: first, outcome: 'skipped' });
		expect(sandbox.books.balance()).toBe(2);
	},
);

test('without a bound, an accept does not wait for those of other offers', async () => {
	const { sandbox, accept } = await testService();
	const [slow = '', quick = ''] = [1, 2].map(() => sandbox.requestOffer().id);
	sandbox.addFault({ kind: 'delay-after-commit', method: 'POST', milliseconds: 20_000 });
	const first = accept(slow);
	await time.wait(1000);
	const begun = Date.now();
	expect((await accept(quick)).item?.outcome).toBe('accepted');
	expect(Date.now() - begun).toBeLessThan(10_000);
	expect((await first).item?.outcome).toBe('accepted');
});

test('a dry run tells what would be accepted or skipped, and sends no request to accept', async () => {
	const { sandbox, accept } = await testService({ credits: 1000 });
	const offers = [1, 2, 3, 4].map(() => sandbox.requestOffer());
	sandbox.accept(offers[0]?.id ?? '');
	const options = { dryRun: true, maxAccepts: 2, minimumBalance: 10, simplify: false };
	expect((await accept(offers, options)).decisions).toMatchObject([
		{ outcome: 'alreadyAccepted', confirmedBy: 'check' },
		{ outcome: 'wouldAccept', exchange: { id: offers[1]?.id, status: 'pending' } },
		{ outcome: 'wouldAccept' },
		{ outcome: 'skipped', reason: 'Max Accepts (2) is reached' },
	]);
	expect(sandbox.books.requests({ endpoint: acceptEndpoint })).toEqual([]);
});

const ofItem = '={{ $json.value }}';
const item = (id: string, value: unknown) => ({ id, value });
test.each([
	{
		bound: 'dry runs do not count for those that are real',
		options: { dryRun: ofItem, maxAccepts: 1 },
		items: [item('a', true), item('b', true), item('c', false), item('d', false)],
		expected: ['wouldAccept', 'skipped', 'accepted', 'skipped'],
	},
	{
		bound: 'dry, real, dry',
		options: { dryRun: ofItem },
		items: [item('a', true), item('a', false), item('a', true)],
		expected: ['wouldAccept', 'accepted', 'accepted'],
	},
	{
		bound: 'Max Accepts skips an offer, then allows it',
		options: { maxAccepts: ofItem },
		items: [item('a', 1), item('b', 1), item('b', 2), item('b', 1)],
		expected: ['accepted', 'skipped', 'accepted', 'accepted'],
	},
	{
		bound: 'the floor of one item is not that of another',
		options: { minimumBalance: ofItem },
		items: [item('a', 20), item('b', 20), item('c', 5)],
		expected: ['accepted', 'skipped', 'accepted'],
	},
])('items with bounds of their own: $bound', async ({ options, items, expected }) => {
	const { sandbox, accept } = await testService({ credits: 30 });
	for (const id of ['a', 'b', 'c', 'd']) sandbox.requestOffer({ id, cost: 10 });
	expect((await accept(items, options)).outcomes).toEqual(expected);
});
