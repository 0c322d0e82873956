/** One execution that meets the limit: in every form of the headers, how long it waits, and what it says when it does not. */
import { expect, test } from 'vitest';

import { singleVariants } from '../../../sandbox/dialects.mts';
import { localService } from '../localServer.mts';
import { newSites, testService } from '../service.mts';
import { useVirtualTime } from '../virtualTime.mts';

const time = useVirtualTime();

const seconds = 1000;

/** A limit that a few requests reach, with a window short enough to wait for. */
const narrowLimits = { perMinute: 5, perDay: 1_000_000, windowMilliseconds: seconds };

const headerVariants = [
	...singleVariants('rateLimitReset'),
	...singleVariants('limitExceeded'),
	...[-3600, -30, 30, 3600].map((clockSkewSeconds) => ({
		name: `clock ${clockSkewSeconds} s off`,
		settings: { clockSkewSeconds },
	})),
];

test.each(headerVariants)('no item fails because of the limit: $name', async ({ settings }) => {
	const { sandbox, create } = await testService({ dialect: settings, limits: narrowLimits });
	const items = newSites(8);
	const result = await create(items);
	expect(result.error?.message).toBeUndefined();
	expect(result.items.map(({ json }) => json.url)).toEqual(items.map(({ url }) => url));
	expect(sandbox.books.sites().length).toBe(items.length);
});

test('a wait that is longer than allowed is never slept: the error carries the reset', async () => {
	const { sandbox, create } = await testService({
		limits: { perMinute: 2, perDay: 1_000_000, windowMilliseconds: 600 * seconds },
	});
	const startedAt = Date.now();
	const { error } = await create(newSites(4), { maxRateLimitWait: 5 });
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

test('a 429 that says nothing is not waited for without end, and the reset is not made up', async () => {
	const startedAt = time.now();
	const { create, asked } = await localService((_request, response) => {
		response.writeHead(429).end();
	});
	const { items } = await create(newSites(50), {}, { continues: true });
	const errors = items.map(({ json }) => json.error as { message: string; description: string });
	for (const { message, description } of errors) {
		expect(message).toBe('The request limit of the service is reached');
		expect(description).toContain('When the limit resets is not known');
		expect(description).not.toMatch(/\d{4}-\d\d-\d\dT/);
	}
	expect(errors.length).toBe(50);
	expect(time.now() - startedAt).toBeLessThanOrEqual(90 * seconds);
	expect(asked.length).toBeLessThanOrEqual(60);
});

test('a 503 with Retry-After is asked again when it says, and a wait that is too long is not slept', async () => {
	const moments: number[] = [];
	let retryAfter = '7';
	const { run } = await localService((_request, response) => {
		moments.push(time.now());
		if (moments.length === 2) response.end('{"sites":[{"id":"site_1"}]}');
		else response.writeHead(503, { 'retry-after': retryAfter }).end();
	});
	const { items } = await run('site', 'getAll');
	expect(items.length).toBe(1);
	const [first = 0, second = 0] = moments;
	expect(second - first).toBeGreaterThanOrEqual(7 * seconds);
	expect(second - first).toBeLessThan(9 * seconds);

	retryAfter = '3600';
	const { error } = await run('site', 'getAll');
	expect(error?.message).toBe('The service is not available right now');
	expect(error?.description).toContain('Retry-After: 3600');
	expect(moments.length).toBe(3);
});
