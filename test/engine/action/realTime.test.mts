/** The same as in the other files, in real time, so that their virtual clock can be trusted. */
import { test } from 'vitest';

import { newSites, testService } from '../service.mts';

const limits = { perMinute: 2, perDay: 1_000_000 };

test.concurrent(
	'what the limit refuses is sent when it resets',
	async ({ expect, onTestFinished }) => {
		const { sandbox, create } = await testService(
			{ limits: { ...limits, windowMilliseconds: 1000 } },
			onTestFinished,
		);
		const { items } = await create(newSites(4));
		expect(items.map(({ json }) => json.url)).toEqual(newSites(4).map(({ url }) => url));
		expect(sandbox.books.sites().length).toBe(4);
	},
);

test.concurrent('canceling ends the wait for the limit', async ({ expect, onTestFinished }) => {
	const { sandbox, create } = await testService(
		{ limits: { ...limits, windowMilliseconds: 20_000 } },
		onTestFinished,
	);
	const { run: execution } = await create(newSites(4), {}, { cancelAfter: 1500 });
	expect(execution.status).toBe('canceled');
	expect(sandbox.books.sites().length).toBe(2);
});

test.concurrent('Retry On Fail runs again and pays once', async ({ expect, onTestFinished }) => {
	const { sandbox, accept } = await testService({}, onTestFinished);
	const offer = sandbox.requestOffer();
	await accept([{ id: offer.id }, { id: 'exc_none' }], {}, { tries: 2 });
	expect(sandbox.books.requests({ exchangeId: 'exc_none' }).length).toBe(2);
	expect(sandbox.books.requests({ exchangeId: offer.id }).length).toBe(1);
});
