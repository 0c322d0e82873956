/**
 * Checks in real time what other tests check with the virtual clock, so that the clock can be
 * trusted.
 */
import { getEventListeners } from 'node:events';

import { test } from 'vitest';

import { reloadActionNode } from '../engine.mts';
import { newSites, startTestService } from '../service.mts';
import { json, startStubServer } from '../stubServer.mts';
import { pending } from './acceptFixtures.mts';

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
	const original = reloadActionNode();
	const actionNode = Object.create(original) as typeof original;
	let signal: AbortSignal | undefined;
	actionNode.execute = async function () {
		signal = this.getExecutionCancelSignal();
		return (await original.execute?.call(this)) ?? null;
	};
	const { items } = await create(newSites(50), {}, { actionNode });
	expect(items.length).toBe(50);
	// Some are n8n's.
	expect(signal && getEventListeners(signal, 'abort').length).toBeLessThan(10);
});

test(
	'a dry run over thousands of offers yields to the event loop while it decides',
	{ timeout: 120_000 },
	async ({ expect }) => {
		const exchanges = Array.from({ length: 12_000 }, (_, index) => pending({ id: `exc_${index}` }));
		const { acceptMany } = await startStubServer(json({ exchanges, sites: [] }));
		/** Processor time of this thread between two turns of the event loop, in microseconds. */
		const turns: number[] = [];
		let before = process.threadCpuUsage();
		const watch = setInterval(() => {
			const { user, system } = process.threadCpuUsage(before);
			turns.push(user + system);
			before = process.threadCpuUsage();
		}, 0);
		const { outcomes } = await acceptMany({ dryRun: true, maxAccepts: 20_000 });
		clearInterval(watch);
		expect(outcomes).toEqual(Array(exchanges.length).fill('wouldAccept'));
		const total = turns.reduce((one, other) => one + other);
		// Decisions take most of the time. Parsing the list, in one turn, takes about a twentieth.
		expect(Math.max(...turns) / total).toBeLessThan(0.25);
	},
);
