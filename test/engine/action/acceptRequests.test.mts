/** How many requests an accept takes: quota is the user's. docs/benchmarks.md has the table. */
import { expect, test } from 'vitest';

import { acceptParameters, jsonOf, testService } from '../service.mts';
import { useVirtualTime } from '../virtualTime.mts';

const time = useVirtualTime();

async function requestsFor(count: number, options = {}) {
	const { sandbox, run } = await testService({ credits: 10_000 });
	const items = Array.from({ length: count }, () => ({ id: sandbox.requestOffer().id }));
	const result = await run('exchange', 'accept', {
		parameters: acceptParameters('={{ $json.id }}', options),
		items,
	});
	expect(jsonOf(result).map(({ outcome }) => outcome)).toEqual(Array(count).fill('accepted'));
	return sandbox.books.requests().length;
}

test('one offer takes two requests, twenty take 21, and twenty under a floor 42', async () => {
	expect(await requestsFor(1)).toBe(2);
	expect(await requestsFor(20)).toBe(21);
	expect(await requestsFor(20, { minimumBalance: 10 })).toBe(42);
});

test('an ID that the service does not know takes at most five', async () => {
	const { sandbox, run } = await testService();
	await run('exchange', 'accept', { parameters: acceptParameters('exc_none') });
	expect(sandbox.books.requests().length).toBeLessThanOrEqual(5);
});

test.each(['401-json', '403-json', '401-html', '403-text'] as const)(
	'a wrong key takes one request for all items: %s',
	async (invalidToken) => {
		const { sandbox, run } = await testService({ dialect: { invalidToken } });
		const result = await run('exchange', 'accept', {
			parameters: acceptParameters(),
			items: Array.from({ length: 20 }, (_, index) => ({ id: `exc_${index}` })),
			credential: { baseUrl: sandbox.baseUrl, apiKey: 'wrong' },
			onError: 'continueRegularOutput',
		});
		expect(jsonOf(result).filter(({ error }) => error).length).toBe(20);
		expect(sandbox.books.requests().length).toBe(1);
	},
);

test('a list that has grown old is read again before a request, not for each offer in a row', async () => {
	const { sandbox, run } = await testService({ credits: 10_000, latencyMilliseconds: 400 });
	const items = Array.from({ length: 20 }, () => ({ id: sandbox.requestOffer().id }));
	await run('exchange', 'accept', { parameters: acceptParameters(), items });
	const lists = sandbox.books.requests({ method: 'GET' }).length;
	// Twenty requests of 0.4 seconds, and a list that is good for five seconds.
	expect(lists).toBe(2);
});

test('what another worker accepts after the first look is seen before the request', async () => {
	const dialect = { acceptAgain: '200-charged-again' } as const;
	const { sandbox, run } = await testService({ dialect, latencyMilliseconds: 3000 });
	const offers = [1, 2, 3].map(() => sandbox.requestOffer());
	const last = offers[2]?.id ?? '';
	const running = run('exchange', 'accept', {
		parameters: acceptParameters(),
		items: offers.map(({ id }) => ({ id })),
	});
	// The list has been read, and the first request is on its way.
	await time.wait(4000);
	sandbox.accept(last);
	expect(jsonOf(await running).map(({ outcome }) => outcome)).toEqual([
		'accepted',
		'accepted',
		'alreadyAccepted',
	]);
	expect(sandbox.books.acceptsOf(last)).toBe(1);
});
