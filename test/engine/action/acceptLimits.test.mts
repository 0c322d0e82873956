/** Max Accepts and Minimum Balance, which limit what an execution spends. */
import type { INodeExecutionData, IRunExecutionData } from 'n8n-workflow';
import { describe, expect, test } from 'vitest';

import { TestCredentials } from '../credentials.mts';
import {
	actionType,
	additionalDataFor,
	createWorkflow,
	credentialType,
	newNode,
	nodeTypes,
} from '../engine.mts';
import { n8nCore } from '../n8n.mts';
import { acceptParameters, jsonOf, startTestService } from '../service.mts';
import { useVirtualTime } from '../virtualTime.mts';
import {
	acceptEndpoint,
	acceptRequests,
	balanceEndpoint,
	listEndpoint,
	minute,
	mockExchanges,
	pending,
} from './acceptFixtures.mts';

const time = useVirtualTime();

test('Max Accepts applies across loop iterations and a second try, and the message says so', async () => {
	const service = await startTestService();
	const offers = [1, 2, 3].map(() => service.sandbox.requestOffer());
	const { run } = await service.accept(offers, { maxAccepts: 2 }, { loopIterations: 2 });
	const nodeRuns = run.data.resultData.runData['Backlink Exchange'] ?? [];
	for (const { data } of nodeRuns) {
		const items = data?.main?.[0]?.map(({ json }) => json) ?? [];
		expect(items.map(({ outcome }) => outcome)).toEqual(['accepted', 'accepted', 'skipped']);
		expect(items[2]?.reason).toBe('Max Accepts (2) is reached');
	}
	expect(acceptRequests(service).length).toBe(2);
});

test('Max Accepts counts parallel tool calls of an AI agent', async () => {
	const { sandbox } = await startTestService();
	const offers = [1, 2, 3].map(() => sandbox.requestOffer());
	const { baseUrl, apiKey } = sandbox;
	const parameters = acceptParameters(undefined, { maxAccepts: 1 });
	const accept = { resource: 'exchange', operation: 'accept', ...parameters };
	const { workflow, node } = createWorkflow(newNode('Backlink Exchange', actionType, accept));
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

test('Max Accepts counts unknown outcomes, and in a dry run what it would accept', async () => {
	const service = await startTestService();
	const offers = [1, 2].map(() => service.sandbox.requestOffer());
	const dry = await service.accept(offers, { maxAccepts: 1, dryRun: true });
	expect(dry.outcomes).toEqual(['wouldAccept', 'skipped']);
	service.sandbox.addFault({ kind: 'cut-before-commit', ...acceptEndpoint });
	const { outcomes } = await service.accept(offers, { maxAccepts: 1 }, { continueOnFail: true });
	expect(outcomes).toEqual([undefined, 'skipped']);
});

test('Minimum Balance allows an accept that leaves exactly the minimum', async () => {
	const { sandbox, accept } = await startTestService({ credits: 30 });
	const offers = [1, 2, 3].map(() => sandbox.requestOffer({ cost: 10 }));
	const { decisions } = await accept(offers, { minimumBalance: 10 });
	expect(decisions.map(({ outcome }) => outcome)).toEqual(['accepted', 'accepted', 'skipped']);
	expect(decisions[2]).toMatchObject({
		reason:
			"The balance of 10 credits isn't above the minimum of 10. Get more credits, or lower Minimum Balance",
		balance: 10,
	});
	expect(sandbox.books.balance()).toBe(10);
});

test('Minimum Balance allows accepts while the balance is above it, so one offer may cross it', async () => {
	const { sandbox, accept } = await startTestService({ credits: 100 });
	const ids = [30, 30, 5].map((cost) => sandbox.requestOffer({ cost }).id);
	const { decisions } = await accept(ids, { minimumBalance: 60 });
	expect(decisions.map(({ outcome }) => outcome)).toEqual(['accepted', 'accepted', 'skipped']);
	expect(sandbox.books.balance()).toBe(40);
});

test('Minimum Balance includes what is spent elsewhere while the list is fetched again', async () => {
	const { sandbox, accept } = await startTestService({ credits: 100 });
	const [first = '', second = ''] = [1, 2].map(() => sandbox.requestOffer({ cost: 10 }).id);
	const elsewhere = sandbox.requestOffer({ cost: 40 });
	// Makes the list too old for the second offer, so that it's fetched again, two seconds long.
	sandbox.addFault({ kind: 'delay-after-commit', ...acceptEndpoint, milliseconds: 6000 });
	sandbox.addFault({ kind: 'delay-after-commit', ...listEndpoint, after: 1, milliseconds: 2000 });
	const run = accept([first, second], { minimumBalance: 60 });
	await time.wait(7000);
	sandbox.accept(elsewhere.id);
	expect((await run).outcomes).toEqual(['accepted', 'skipped']);
});

test('Minimum Balance includes what another execution has just spent without one', async () => {
	const { sandbox, accept } = await startTestService({ credits: 100, latencyMilliseconds: 20 });
	const request = (cost: number) => sandbox.requestOffer({ cost }).id;
	const [unlimited, limited] = [
		[request(10), request(50)],
		[request(10), request(10)],
	];
	// The first execution reads no balance after this, so it doesn't replace the cached one.
	sandbox.addFault({ kind: 'malformed-json', ...balanceEndpoint });
	const [, { outcomes }] = await Promise.all([
		accept(unlimited),
		accept(limited, { minimumBalance: 40 }),
	]);
	expect(outcomes).toEqual(['accepted', 'skipped']);
	expect(sandbox.books.balance()).toBe(30);
});

test('concurrent executions accept one at a time, and keep the Minimum Balance', async () => {
	const { sandbox, accept } = await startTestService({ credits: 40, latencyMilliseconds: 50 });
	const offers = [1, 2, 3].map(() => sandbox.requestOffer({ cost: 10 }));
	sandbox.addFault({ kind: 'delay-after-commit', ...acceptEndpoint, milliseconds: 1000 });
	const runs = await Promise.all(offers.map(({ id }) => accept(id, { minimumBalance: 20 })));
	const outcomes = runs.flatMap((run) => run.outcomes).sort();
	expect(outcomes).toEqual(['accepted', 'accepted', 'skipped']);
	expect(sandbox.books.balance()).toBe(20);
});

test.each(['1,000', '1000 credits', null, [1000]])(
	'Minimum Balance prevents all accepts if the balance is %j',
	async (each) => {
		const offer = pending();
		const service = mockExchanges({
			list: () => [offer],
			balance: () => ({ balance: each, lifetime_spent: 0 }),
		});
		expect((await service.accept(offer.id, { minimumBalance: 0 })).error).toBeDefined();
		expect(service.postedIds).toEqual([]);
	},
);

test('Minimum Balance waits for a price that shows some seconds later, and counts it', async () => {
	const offers = [pending(), pending()];
	const accepts: number[] = [];
	const service = mockExchanges({
		list: () => offers.map((offer) => ({ ...offer, status: 'pending' })),
		accept: (id) => {
			accepts.push(Date.now());
			return { id, status: 'accepted' };
		},
		balance: () => {
			const shown = accepts.filter((at) => Date.now() - at >= 4000).length;
			return { balance: 100 - 40 * shown, lifetime_spent: 40 * shown };
		},
	});
	const ids = offers.map(({ id }) => id);
	const items = jsonOf(await service.accept(ids, { minimumBalance: 60 }));
	expect(items).toMatchObject([
		{ outcome: 'accepted', creditsSpent: 40, balance: 60 },
		{
			outcome: 'skipped',
			reason: expect.stringContaining("isn't above the minimum of 60") as unknown,
		},
	]);
});

describe('an offer that is never charged', () => {
	const underMinimum = { minimumBalance: 100 };

	test('keeps this execution from accepting more under the minimum, and no later one', async () => {
		const service = await startTestService({ credits: 500, dialect: { charge: 'when-live' } });
		const offers = [1, 2, 3].map(() => service.sandbox.requestOffer());
		const first = await service.acceptMany({ limits: underMinimum });
		expect(first.outcomes).toEqual(['accepted', 'skipped', 'skipped']);
		expect(first.decisions[1]?.reason).toContain("doesn't show yet what the last offer cost");
		await time.wait(24 * 60 * minute);
		service.sandbox.setStatus(offers[0]?.id ?? '', 'expired');
		const second = await service.acceptMany({ limits: underMinimum });
		expect(second.outcomes).toEqual(['accepted', 'skipped']);
	});

	test('after a request with an unknown outcome, nothing is accepted under a minimum for a minute', async () => {
		const offers = [pending(), pending()];
		const [lost = '', other = ''] = offers.map(({ id }) => id);
		const service = mockExchanges({
			list: () => offers,
			accept: (id) => (id === lost ? [502] : { id, status: 'accepted' }),
		});
		await service.accept(lost);
		const { item } = await service.accept(other, underMinimum);
		expect(item).toMatchObject({ outcome: 'skipped' });
		expect(item?.reason).toContain("isn't known");
		await time.wait(minute);
		expect((await service.accept(other, underMinimum)).outcomes).toEqual(['accepted']);
	});
});
