/**
 * Checks in real time what other tests check with the virtual clock, so that the clock can be
 * trusted.
 */
import crypto from 'node:crypto';
import { getEventListeners } from 'node:events';

import { test, vi } from 'vitest';

import { newSites, startTestService } from '../service.mts';
import { mockExchanges, pending } from './acceptFixtures.mts';

/** Allows the list of sites and two new sites. */
const limits = { perMinute: 3, perDay: 1_000_000 };

test.concurrent(
	'sends requests after the reset of the rate limit',
	async ({ expect, onTestFinished }) => {
		const { sandbox, create } = await startTestService(
			{ limits: { ...limits, windowMilliseconds: 1000 } },
			onTestFinished,
		);
		const { items } = await create(newSites(4));
		expect(items.map(({ json }) => json.url)).toEqual(newSites(4).map(({ url }) => url));
		expect(sandbox.books.sites().length).toBe(4);
	},
);

test.concurrent(
	'canceling ends the wait for the rate limit',
	async ({ expect, onTestFinished }) => {
		const { sandbox, create } = await startTestService(
			{ limits: { ...limits, windowMilliseconds: 20_000 } },
			onTestFinished,
		);
		const { run: execution } = await create(newSites(4), {}, { cancelAfter: 1500 });
		expect(execution.status).toBe('canceled');
		expect(sandbox.books.sites().length).toBe(2);
	},
);

test('a finished request leaves no abort listeners behind', async ({ expect, onTestFinished }) => {
	const { create } = await startTestService({}, onTestFinished);
	const listen = vi.spyOn(EventTarget.prototype, 'addEventListener');
	const { items } = await create(newSites(50));
	const signals = listen.mock.contexts.filter((target) => target instanceof AbortSignal);
	listen.mockRestore();
	expect(items.length).toBe(50);
	const left = signals.map((signal) => getEventListeners(signal, 'abort').length);
	expect(signals.length).toBeGreaterThan(100);
	expect(Math.max(...left)).toBeLessThan(10);
});

test(
	'a dry run over thousands of offers yields to the event loop while it decides and outputs',
	{ timeout: 120_000 },
	async ({ expect }) => {
		const offers = Array.from({ length: 12_000 }, (_, index) => pending({ id: `exc_${index}` }));
		const service = mockExchanges({ list: () => offers });
		/** Evaluated offers per turn of the event loop: each evaluation hashes the ID. */
		const hashesPerTurn = [0];
		const { createHash } = crypto;
		const counted = vi.spyOn(crypto, 'createHash').mockImplementation((algorithm) => {
			hashesPerTurn.push((hashesPerTurn.pop() ?? 0) + 1);
			return createHash(algorithm);
		});
		const watch = setInterval(() => setImmediate(() => hashesPerTurn.push(0)), 0);
		const { outcomes } = await service.acceptMany({ dryRun: true, maxAccepts: 20_000 });
		clearInterval(watch);
		counted.mockRestore();
		expect(outcomes).toEqual(Array(offers.length).fill('wouldAccept'));
		expect(hashesPerTurn.reduce((one, other) => one + other)).toBeGreaterThan(2 * offers.length);
		expect(Math.max(...hashesPerTurn)).toBeLessThan(offers.length);
		expect(hashesPerTurn.at(-1)).toBe(0);
	},
);
