/** How many requests an accept takes: quota is the user's. docs/development/benchmarks.md has the table. */
import { expect, test } from 'vitest';

import { testService } from '../service.mts';
import { useVirtualTime } from '../virtualTime.mts';

useVirtualTime();

async function requestsFor(count: number, options = {}) {
	const { sandbox, accept } = await testService({ credits: 10_000 });
	const items = Array.from({ length: count }, () => ({ id: sandbox.requestOffer().id }));
	const result = await accept(items, options);
	expect(result.outcomes).toEqual(Array(count).fill('accepted'));
	return sandbox.books.requests().length;
}

test('one offer takes two requests, twenty take 21, and twenty under a floor 42', async () => {
	expect(await requestsFor(1)).toBe(2);
	expect(await requestsFor(20)).toBe(21);
	expect(await requestsFor(20, { minimumBalance: 10 })).toBe(42);
});

test('an ID that the service does not know takes two more, for what is accepted and live', async () => {
	const { sandbox, accept } = await testService();
	await accept('exc_none');
	expect(sandbox.books.requests().length).toBe(4);
});

test('a list that has grown old is read again before a request, not for each offer in a row', async () => {
	const { sandbox, accept } = await testService({ credits: 10_000, latencyMilliseconds: 400 });
	const items = Array.from({ length: 20 }, () => ({ id: sandbox.requestOffer().id }));
	await accept(items);
	const lists = sandbox.books.requests({ method: 'GET' }).length;
	// Twenty requests of 0.4 seconds, and a list that is good for five seconds.
	expect(lists).toBe(2);
});

test('Accept Many asks one list about all that is in doubt', async () => {
	const service = await testService({ dialect: { settlement: 'never' } });
	const offers = Array.from({ length: 10 }, () => service.sandbox.requestOffer());
	expect((await service.accept(offers, {}, { continues: true })).items.length).toBe(10);
	const before = service.sandbox.books.requests().length;
	const { outcomes } = await service.acceptMany({ options: { maxPerDay: 1 } });
	expect(outcomes).toEqual(Array(10).fill('unknown'));
	// The whole list, and for Max per Day those of three states; once more if that took five seconds.
	expect(service.sandbox.books.requests().length - before).toBeLessThanOrEqual(2 * 4);
});
