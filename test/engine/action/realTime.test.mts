/** The same as in the other files, in real time, so that their virtual clock can be trusted. */
import { test } from 'vitest';

import { newSites, testService } from '../service.mts';
import { pending, serviceByHand } from './accepts.mts';

/** The list of sites, and two that are added. */
const limits = { perMinute: 3, perDay: 1_000_000 };

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

test(
	'while thousands of offers are decided in a dry run, the event loop turns',
	{ timeout: 120_000 },
	async ({ expect }) => {
		const offers = Array.from({ length: 4000 }, (_, index) => pending({ id: `exc_${index}` }));
		const service = await serviceByHand({ list: () => offers });
		let turns = 0;
		const watch = setInterval(() => turns++, 1);
		const settings = { dryRun: true, maxAccepts: 10_000 };
		const { outcomes } = await service.acceptMany(settings, { mode: 'trigger' });
		clearInterval(watch);
		expect(outcomes).toEqual(Array(4000).fill('wouldAccept'));
		expect(turns).toBeGreaterThan(10);
	},
);
