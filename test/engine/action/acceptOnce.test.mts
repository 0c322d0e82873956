/** An offer is paid once, however many items, tries and executions of one process ask for it. */
import { describe, expect, test } from 'vitest';

import { jsonOf, serviceWithOffer, testService } from '../service.mts';
import { useVirtualTime } from '../virtualTime.mts';
import { acceptEndpoint, charging, list, post } from './accepts.mts';

const time = useVirtualTime();

test('the same ID twice is one request, and both items get its outcome', async () => {
	const { sandbox, accept, offer } = await serviceWithOffer();
	const { items } = await accept([{ id: offer.id }, { id: offer.id }]);
	expect(items.map(({ json, pairedItem }) => [json.outcome, pairedItem])).toEqual([
		['accepted', { item: 0 }],
		['accepted', { item: 1 }],
	]);
	expect(sandbox.books.requests({ endpoint: acceptEndpoint }).length).toBe(1);
});

test('the same ID twice, refused, is one request as well, and says nothing of other offers', async () => {
	const { sandbox, accept } = await testService();
	const [first, second] = [1, 2].map(() => ({ id: sandbox.requestOffer().id }));
	sandbox.addFault({ kind: 'error-before-commit', status: 403, method: 'POST' });
	const { outcomes } = await accept([first, second, first] as never, {}, { continues: true });
	expect(outcomes).toEqual([undefined, 'accepted', undefined]);
	expect(sandbox.books.requests({ endpoint: acceptEndpoint }).length).toBe(2);
});

test('two executions at once on the same offer pay it once, even if the service would charge again', async () => {
	const { sandbox, accept, offer } = await serviceWithOffer({ dialect: charging });
	const runs = await Promise.all([1, 2, 3].map(() => accept(offer)));
	const outcomes = runs.flatMap((run) => run.outcomes);
	expect(outcomes).toEqual(['accepted', 'accepted', 'accepted']);
	expect(sandbox.books.acceptsOf(offer.id)).toBe(1);
});

test('a list that was read before another execution accepted is not believed', async () => {
	const { sandbox, accept } = await testService({ dialect: charging });
	const [first, second] = [sandbox.requestOffer(), sandbox.requestOffer()];
	// The first execution has read the list and is busy with its first offer …
	sandbox.addFault({ kind: 'delay-after-commit', ...post, milliseconds: 1000 });
	const slow = accept([{ id: first.id }, { id: second.id }]);
	await time.wait(500);
	expect(sandbox.books.acceptsOf(first.id)).toBe(1);
	// … while the other one accepts the second.
	await accept(second);
	expect((await slow).outcomes).toEqual(['accepted', 'accepted']);
	expect(sandbox.books.acceptsOf(second.id)).toBe(1);
});

test('Retry On Fail runs all items again and pays none twice', async () => {
	const { sandbox, accept } = await testService({ dialect: charging });
	const offers = [1, 2].map(() => sandbox.requestOffer());
	const { run: execution } = await accept(
		[...offers.map(({ id }) => ({ id })), { id: 'exc_none' }],
		{},
		{ tries: 3 },
	);
	// Not by its status, which n8n's server gives to it in n8n before 1.123.
	expect(execution.data.resultData.error?.message).toContain('exc_none');
	expect(sandbox.books.requests({ exchangeId: 'exc_none' }).length).toBe(3);
	expect(offers.map(({ id }) => sandbox.books.acceptsOf(id))).toEqual([1, 1]);
});

test('an execution that waits for another one to be done with the offer can be canceled', async () => {
	const { sandbox, accept, offer } = await serviceWithOffer();
	sandbox.addFault({ kind: 'delay-after-commit', ...post, milliseconds: 20_000 });
	const first = accept(offer);
	await time.wait(1000);
	const begun = Date.now();
	const second = await accept(offer, {}, { cancelAfter: 1000 });
	expect(second.run.status).toBe('canceled');
	expect(Date.now() - begun).toBe(1000);
	const third = accept(offer);
	expect([(await first).outcomes, (await third).outcomes]).toEqual([['accepted'], ['accepted']]);
	expect(sandbox.books.acceptsOf(offer.id)).toBe(1);
});

describe('second tries in the same execution', () => {
	/** Three offers; whether the second was accepted cannot be seen at first. */
	async function interruptedInTheMiddle(options = {}) {
		const service = await testService({ dialect: charging, credits: 1000 });
		const offers = [1, 2, 3].map(() => service.sandbox.requestOffer({ cost: 10 }));
		const [first, second] = offers.map(({ id }) => id);
		service.sandbox.addFault({
			kind: 'cut-after-commit',
			method: 'POST',
			path: `${post.path}/${second ?? ''}/`,
		});
		// The list cannot be read for as long as the first try looks.
		service.sandbox.addFault({ kind: 'not-json', ...list, after: 1, times: 6 });
		const result = await service.accept(offers, { ...options }, { tries: 3 });
		return { ...service, offers, first, second, result };
	}

	test('what the first try reached comes out as accepted, with what it cost', async () => {
		const { sandbox, offers, result } = await interruptedInTheMiddle({ minimumBalance: 5 });
		expect(result.error?.message).toBeUndefined();
		expect(jsonOf(result)).toMatchObject([
			{ outcome: 'accepted', confirmedBy: 'response', creditsSpent: 10, balance: 990 },
			{ outcome: 'accepted', confirmedBy: 'readBack', balance: 980 },
			{ outcome: 'accepted', confirmedBy: 'response', balance: 970 },
		]);
		// Before the second accept no balance was read, so what shows after the third may be the price of either.
		expect(jsonOf(result).map(({ creditsSpent }) => creditsSpent)).toEqual([
			10,
			undefined,
			undefined,
		]);
		expect(offers.map(({ id }) => sandbox.books.acceptsOf(id))).toEqual([1, 1, 1]);
	});

	test('Max Accepts counts what an earlier try has sent', async () => {
		const { sandbox, offers, result } = await interruptedInTheMiddle({ maxAccepts: 2 });
		expect(result.outcomes).toEqual(['accepted', 'accepted', 'skipped']);
		expect(offers.map(({ id }) => sandbox.books.acceptsOf(id))).toEqual([1, 1, 0]);
	});
});
