/** Max Accepts, Minimum Balance and Dry Run: what keeps an execution from spending. */
import type { INodeExecutionData, IRunExecutionData } from 'n8n-workflow';
import { describe, expect, onTestFinished, test } from 'vitest';

import { TestCredentials } from '../credentials.mts';
import {
	actionType,
	additionalDataFor,
	credentialType,
	newNode,
	nodeTypes,
	processedData,
	workflowOf,
} from '../engine.mts';
import { localService } from '../localServer.mts';
import { n8nCore } from '../n8n.mts';
import { acceptParameters, jsonOf, serviceWithOffer, testService } from '../service.mts';
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

test('Max Accepts counts tool calls that an AI agent makes at the same time', async () => {
	const { sandbox } = await testService();
	const offers = [1, 2, 3].map(() => sandbox.requestOffer());
	const { baseUrl, apiKey } = sandbox;
	const parameters = acceptParameters(undefined, { maxAccepts: 1 });
	const accept = { resource: 'exchange', operation: 'accept', ...parameters };
	const { workflow, node } = workflowOf(newNode('Backlink Exchange', actionType, accept));
	const data = additionalDataFor(new TestCredentials(credentialType, { baseUrl, apiKey }));
	const run = { resultData: { runData: {} }, executionData: { contextData: {} } };
	const calls = offers.map(async ({ id }) => {
		const items = [{ json: { id } }];
		const input = { main: [items] };
		const executed = { data: input, node, source: null };
		const context = new n8nCore.ExecuteContext(
			...([workflow, node, data, 'manual', run as unknown as IRunExecutionData, 0] as const),
			...([items, input, executed] as const),
			[],
		);
		return await nodeTypes().getByNameAndVersion(actionType).execute?.call(context);
	});
	const outcomes = (await Promise.all(calls))
		.flat(2)
		.map((item) => (item as INodeExecutionData).json.outcome);
	expect(outcomes).toEqual(['accepted', 'skipped', 'skipped']);
});

test('Minimum Balance keeps credits: no accept that would go below what accepts have cost', async () => {
	const { sandbox, accept } = await testService({ credits: 25 });
	const offers = [1, 2, 3].map(() => sandbox.requestOffer({ cost: 10 }));
	const { items } = await accept(offers, { minimumBalance: 6 });
	expect(items.map(({ json }) => [json.outcome, json.creditsSpent, json.balance])).toEqual([
		['accepted', 10, 15],
		['skipped', undefined, undefined],
		['skipped', undefined, undefined],
	]);
	expect(items[1]?.json.reason).toContain('could fall below the minimum of 6');
	expect(sandbox.books.balance()).toBe(15);
	// Before and after the one accept; the skipped offers ask for nothing.
	expect(sandbox.books.requests({ endpoint: 'GET /api/credits/balance' }).length).toBe(2);
});

test('a balance that is not above the minimum spends nothing at all', async () => {
	const { sandbox, accept, offer } = await serviceWithOffer({ credits: 25 }, { cost: 1 });
	const { item } = await accept(offer, { minimumBalance: 25 });
	expect(item).toMatchObject({
		outcome: 'skipped',
		reason: 'The balance of 25 credits is not above the minimum of 25',
	});
	expect(sandbox.books.balance()).toBe(25);
});

test('Minimum Balance lets an accept go that leaves just the minimum', async () => {
	const { sandbox, accept } = await testService({ credits: 30 });
	const offers = [1, 2, 3].map(() => sandbox.requestOffer({ cost: 10 }));
	const { outcomes } = await accept(offers, { minimumBalance: 10 });
	expect(outcomes).toEqual(['accepted', 'accepted', 'skipped']);
	expect(sandbox.books.balance()).toBe(10);
});

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

describe('dry run', () => {
	test('its items do not count against those that are really accepted', async () => {
		const { sandbox, accept } = await testService();
		const items = [true, true, false, false].map((dry) => ({ id: sandbox.requestOffer().id, dry }));
		const result = await accept(items, {
			dryRun: '={{ $json.dry }}',
			maxAccepts: 1,
		});
		expect(result.outcomes).toEqual(['wouldAccept', 'skipped', 'accepted', 'skipped']);
	});

	test('tells what would be accepted or skipped, and sends no request to accept', async () => {
		const { sandbox, accept } = await testService({ credits: 1000 });
		const offers = [1, 2, 3, 4].map(() => sandbox.requestOffer());
		sandbox.accept(offers[0]?.id ?? '');
		const result = await accept(offers, {
			dryRun: true,
			maxAccepts: 2,
			minimumBalance: 10,
			simplify: false,
		});
		expect(jsonOf(result)).toMatchObject([
			{ outcome: 'alreadyAccepted', confirmedBy: 'check' },
			{ outcome: 'wouldAccept', exchange: { id: offers[1]?.id, status: 'pending' } },
			{ outcome: 'wouldAccept' },
			{ outcome: 'skipped', reason: 'Max Accepts (2) is reached' },
		]);
		expect(sandbox.books.requests({ endpoint: acceptEndpoint })).toEqual([]);
	});
});

describe('items with the same ID and other options', () => {
	test('dry, real, dry', async () => {
		const service = await testService();
		const { id } = service.sandbox.requestOffer();
		const result = await service.accept(
			id,
			{ dryRun: '={{ $json.dry }}' },
			{ items: [{ dry: true }, { dry: false }, { dry: true }] },
		);
		expect(result.outcomes).toEqual(['wouldAccept', 'accepted', 'accepted']);
	});
	test('Max Accepts: skipped, then allowed', async () => {
		const service = await testService();
		const [a = '', b = ''] = [1, 2].map(() => service.sandbox.requestOffer().id);
		const result = await service.accept(
			[
				{ id: a, most: 1 },
				{ id: b, most: 1 },
				{ id: b, most: 2 },
				{ id: b, most: 1 },
			],
			{ maxAccepts: '={{ $json.most }}' },
		);
		expect(result.outcomes.slice(0, 3)).toEqual(['accepted', 'skipped', 'accepted']);
		expect(result.outcomes[3]).not.toBe('skipped');
	});
	test('the floor of one item is not that of another', async () => {
		const service = await testService({ credits: 30 });
		const ids = [1, 2, 3].map(() => service.sandbox.requestOffer({ cost: 10 }).id);
		const result = await service.accept(
			ids.map((id, index) => ({ id, floor: [20, 20, 5][index] })),
			{ minimumBalance: '={{ $json.floor }}' },
		);
		expect(result.outcomes).toEqual(['accepted', 'skipped', 'accepted']);
	});
});
