/** Webhook deliveries: sent in order, retried, kept over a restart. */
import { createServer } from 'node:net';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';

import { describe, expect, test } from 'vitest';

import type { SandboxOptions } from '../../sandbox/sandbox.mts';
import { listen, temporaryFolder } from '../fixtures.mts';
import {
	callApi,
	openReceiver,
	openSandbox,
	openSandboxWithReceiver,
	secret,
	waitUntil,
} from './harness.mts';

const now = Date.UTC(2026, 6, 1, 12);
const quick = { backoffMilliseconds: [1, 1] };

const open = (options: SandboxOptions = {}) =>
	openSandboxWithReceiver({ delivery: quick, ...options });

describe('a delivery', () => {
	test('waits until the previous one has a response', async () => {
		const { sandbox, receiver } = await open();
		let pending = 0;
		let maxConcurrent = 0;
		const respondSlowly = async () => {
			pending += 1;
			maxConcurrent = Math.max(maxConcurrent, pending);
			await sleep(20);
			pending -= 1;
			return 200;
		};
		receiver.answers = Array.from({ length: 3 }, () => respondSlowly);
		for (const id of ['a', 'b', 'c']) sandbox.requestOffer({ id });
		await sandbox.settled();
		expect(maxConcurrent).toBe(1);
	});

	test("is sent again, byte for byte, if it isn't accepted", async () => {
		const { sandbox, receiver } = await open({ delivery: { backoffMilliseconds: [1, 1, 1, 1] } });
		// A redirect is not followed; `undefined` closes the connection.
		const answers = [500, 302, 404, undefined];
		receiver.answers.push(...answers);
		const { id } = sandbox.requestOffer();
		await sandbox.settled();
		const [delivery] = sandbox.books.deliveries({ exchangeId: id });
		expect(delivery).toMatchObject({ state: 'delivered', attempts: 5 });
		expect(delivery?.log.map(({ status }) => status)).toEqual([...answers, 200]);
		expect(receiver.received).toHaveLength(5);
		expect(new Set(receiver.received.map(({ body }) => body)).size).toBe(1);
	});

	test('is given up after the last attempt, and can be sent again manually', async () => {
		const { sandbox, receiver } = await open();
		receiver.answers.push(500, 500, 500);
		sandbox.requestOffer();
		await sandbox.settled();
		const [delivery] = sandbox.books.deliveries({ state: 'given up' });
		const refusal = { status: 500, answer: 'answer 500' };
		expect(delivery?.log).toMatchObject([refusal, refusal, refusal]);
		sandbox.deliveries.redeliver(delivery?.id ?? 0);
		await sandbox.settled();
		expect(sandbox.books.deliveries()).toMatchObject([{ state: 'delivered', attempts: 1 }]);
		expect(receiver.received[3]?.body).toBe(receiver.received[0]?.body);
		expect(() => {
			sandbox.deliveries.redeliver(99);
		}).toThrow('delivery 99 ');
	});

	test('ends at the timeout if it gets no response', async () => {
		const port = await listen(createServer(() => undefined));
		const sandbox = await openSandbox({
			webhook: { url: `http://127.0.0.1:${port}/`, secret },
			delivery: { timeoutMilliseconds: 50, backoffMilliseconds: [] },
		});
		sandbox.requestOffer();
		await sandbox.settled();
		expect(sandbox.books.deliveries()).toMatchObject([
			{ state: 'given up', log: [{ error: 'no response within 0.05 seconds' }] },
		]);
	});

	test("doesn't block the API, and a failed one doesn't block the next", async () => {
		const { sandbox, receiver } = await open({ delivery: { backoffMilliseconds: [60_000] } });
		const answer = Promise.withResolvers<number>();
		receiver.answers.push(() => answer.promise);
		sandbox.requestOffer({ id: 'a' });
		await waitUntil(() => receiver.received.length > 0);
		expect((await callApi(sandbox, 'GET /exchanges')).status).toBe(200);
		answer.resolve(500);
		sandbox.requestOffer({ id: 'b' });
		await waitUntil(() => sandbox.books.deliveries({ state: 'delivered' }).length > 0);
		expect(sandbox.books.deliveries().map(({ state }) => state)).toEqual(['waiting', 'delivered']);
	});

	test('is sent after a restart if the sandbox stopped before the response', async () => {
		const data = join(temporaryFolder(), 'sandbox.sqlite');
		let clock = now;
		const { sandbox, receiver } = await open({
			data,
			clock: () => clock,
			delivery: { backoffMilliseconds: [60_000] },
		});
		receiver.answers.push(500);
		sandbox.requestOffer();
		await waitUntil(() => sandbox.books.deliveries()[0]?.attempts === 1);
		await sandbox.close();
		expect(receiver.received).toHaveLength(1);
		clock += 60_000;
		const restarted = await openSandbox({ data, clock: () => clock });
		await restarted.settled();
		expect(receiver.received).toHaveLength(2);
		expect(restarted.books.deliveries()).toMatchObject([{ state: 'delivered', attempts: 2 }]);
	});

	test('stays in the log without a webhook URL, and can be sent once there is one', async () => {
		const sandbox = await openSandbox();
		sandbox.requestOffer();
		expect(sandbox.books.deliveries()).toMatchObject([{ state: 'no webhook', attempts: 0 }]);
		const redeliver = () => {
			sandbox.deliveries.redeliver(1);
		};
		expect(redeliver).toThrow('No webhook URL');
		const receiver = await openReceiver();
		sandbox.change({ webhook: { url: receiver.url, secret } });
		redeliver();
		await sandbox.settled();
		expect(receiver.received).toHaveLength(1);
	});

	test('logs what happened without the secret', async () => {
		const lines: unknown[] = [];
		const { sandbox, receiver } = await open({ onActivity: (activity) => lines.push(activity) });
		receiver.answers.push(500);
		sandbox.accept(sandbox.requestOffer({ id: 'e1' }).id);
		await sandbox.settled();
		const shown = JSON.stringify(lines);
		expect(shown).toContain('New offer: partner.example offers a link to your-site.example');
		expect(shown).toMatch(/exchange\.requested wasn't delivered \(.*500\).* again in/);
		expect(shown).toContain('balance is now 90 credits');
		expect(shown).not.toContain(secret);
		expect(shown).not.toContain(sandbox.apiKey);
	});
});
