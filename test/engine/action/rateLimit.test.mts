import { expect, test } from 'vitest';

import { singleVariants } from '../../../sandbox/dialects.mts';
import { testService } from '../service.mts';
import { useVirtualTime } from '../virtualTime.mts';

const time = useVirtualTime();

const seconds = 1000;

/** A limit that a few requests reach, with a window short enough to wait for. */
const narrowLimits = { perMinute: 5, perDay: 1_000_000, windowMilliseconds: seconds };

const newSites = (count: number) =>
	Array.from({ length: count }, (_, index) => ({ url: `https://site-${index}.example` }));
const createParameters = { url: '={{ $json.url }}', niche: 'gardening' };

const headerVariants = [
	...singleVariants('rateLimitReset'),
	...singleVariants('limitExceeded'),
	...[-3600, -30, 30, 3600].map((clockSkewSeconds) => ({
		name: `clock ${clockSkewSeconds} s off`,
		settings: { clockSkewSeconds },
	})),
];

test.each(headerVariants)('no item fails because of the limit: $name', async ({ settings }) => {
	const { sandbox, run } = await testService({ dialect: settings, limits: narrowLimits });
	const items = newSites(8);
	const result = await run('site', 'create', { parameters: createParameters, items });
	expect(result.error?.message).toBeUndefined();
	expect(result.items.map(({ json }) => json.url)).toEqual(items.map(({ url }) => url));
	expect(sandbox.books.sites().length).toBe(items.length);
});

test('a wait that is longer than allowed is never slept: the error carries the reset', async () => {
	const { sandbox, run } = await testService({
		limits: { perMinute: 2, perDay: 1_000_000, windowMilliseconds: 600 * seconds },
	});
	const startedAt = Date.now();
	const { error } = await run('site', 'create', {
		parameters: { ...createParameters, options: { maxRateLimitWait: 5 } },
		items: newSites(4),
	});
	expect(error?.message).toBe('The request limit of the service is reached');
	const reset = /resets at (\S+Z)/.exec(error?.description ?? '')?.[1] ?? '';
	expect(Date.parse(reset)).toBeGreaterThan(startedAt + 300 * seconds);
	expect(Date.parse(reset)).toBeLessThan(startedAt + 700 * seconds);
	expect((error as { failure?: unknown }).failure).toMatchObject({
		cause: 'rate-limited',
		resetsAtEpochMs: Date.parse(reset),
	});
	expect(sandbox.books.sites().length).toBe(2);
	// The service said no once to each of the other two, and was not asked again.
	expect(sandbox.books.requests({ status: 429 }).length).toBeLessThanOrEqual(2);
});

test("cancelling the execution ends the wait: nothing is sent after it, and the run doesn't go on", async () => {
	const { sandbox, run } = await testService({
		limits: { perMinute: 2, perDay: 1_000_000, windowMilliseconds: 20 * seconds },
	});
	const { run: execution } = await run('site', 'create', {
		parameters: createParameters,
		items: newSites(4),
		cancelAfter: 500,
	});
	expect(execution.status).toBe('canceled');
	const sent = sandbox.books.requests().length;
	await time.wait(30 * seconds);
	expect(sandbox.books.requests().length).toBe(sent);
	expect(sandbox.books.sites().length).toBe(2);
});
