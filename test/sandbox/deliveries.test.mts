/** Webhook deliveries: in every dialect, sent again, kept over a restart. */
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

import { describe, expect, it, onTestFinished } from 'vitest';

import type { Dialect } from '../../sandbox/dialects.mts';
import type { Sandbox, SandboxOptions } from '../../sandbox/sandbox.mts';
import { openReceiver, openSandbox, type Receiver, secret, variantTests } from './harness.mts';

const now = Date.UTC(2026, 6, 1, 12);
const quick = { backoffMilliseconds: [1, 1], lateMilliseconds: 50 };

async function open(
	options: SandboxOptions = {},
): Promise<{ sandbox: Sandbox; receiver: Receiver }> {
	const receiver = await openReceiver();
	const sandbox = await openSandbox({
		webhook: { url: receiver.url, secret },
		delivery: quick,
		...options,
	});
	return { sandbox, receiver };
}

describe('wrapper', () => {
	const payload = { exchange_id: 'e1', severity: 'critical', type: 'link_removed', detail: 'gone' };
	const event = 'watchdog.alert';
	const wrapped =
		(wrapper: Dialect['wrapper'], body: unknown, eventHeader?: string) => async () => {
			const { sandbox, receiver } = await open({ dialect: { wrapper } });
			sandbox.alert({
				exchangeId: 'e1',
				severity: 'critical',
				type: 'link_removed',
				detail: 'gone',
			});
			await sandbox.settled();
			expect(receiver.received.map(({ json }) => json)).toEqual([body]);
			expect(receiver.received[0]?.headers['x-pb-event']).toBe(eventHeader);
			expect(receiver.received[0]?.headers['content-type']).toBe('application/json');
		};
	variantTests<Dialect['wrapper']>({
		bare: wrapped('bare', payload),
		'event-data': wrapped('event-data', { event, data: payload }),
		'event-payload': wrapped('event-payload', { event, payload }),
		'type-data': wrapped('type-data', { type: event, data: payload }),
		'type-payload': wrapped('type-payload', { type: event, payload }),
		flat: wrapped('flat', { event, ...payload }),
		header: wrapped('header', payload, event),
		'array-bare': wrapped('array-bare', [payload]),
		'array-event-data': wrapped('array-event-data', [{ event, data: payload }]),
		'array-flat': wrapped('array-flat', [{ event, ...payload }]),
	});
});

/** Makes three offers; the ids in the order in which they arrived. */
async function arrivals(delivery: Dialect['delivery']): Promise<string[]> {
	const { sandbox, receiver } = await open({ dialect: { delivery } });
	for (const id of ['a', 'b', 'c']) sandbox.requestOffer({ id });
	await sandbox.settled();
	expect(sandbox.books.deliveries().map(({ state }) => state)).toEqual([
		'delivered',
		'delivered',
		'delivered',
	]);
	return receiver.received.map(({ json }) => (json as { id: string }).id);
}

describe('delivery', () => {
	variantTests<Dialect['delivery']>({
		once: async () => {
			expect(await arrivals('once')).toEqual(['a', 'b', 'c']);
		},
		repeated: async () => {
			expect(await arrivals('repeated')).toEqual(['a', 'a', 'b', 'b', 'c', 'c']);
		},
		late: async () => {
			expect((await arrivals('late')).toSorted()).toEqual(['a', 'b', 'c']);
		},
		'out-of-order': async () => {
			expect(await arrivals('out-of-order')).toEqual(['b', 'a', 'c']);
		},
		concurrent: async () => {
			expect((await arrivals('concurrent')).toSorted()).toEqual(['a', 'a', 'b', 'b', 'c', 'c']);
		},
	});

	it('concurrent has all of them open at the same time', async () => {
		const { sandbox, receiver } = await open({ dialect: { delivery: 'concurrent' } });
		// None is answered before all are there; one at a time would never get beyond the first.
		const all = async () => {
			while (receiver.received.length < 6) await new Promise((resolve) => setImmediate(resolve));
			return 200;
		};
		receiver.answers.push(all, all, all, all, all, all);
		for (const id of ['a', 'b', 'c']) sandbox.requestOffer({ id });
		await sandbox.settled();
		expect(receiver.received).toHaveLength(6);
	});

	it('once has one open at a time', async () => {
		const { sandbox, receiver } = await open();
		let underWay = 0;
		let most = 0;
		const slowly = async () => {
			underWay += 1;
			most = Math.max(most, underWay);
			await new Promise((resolve) => setTimeout(resolve, 50));
			underWay -= 1;
			return 200;
		};
		receiver.answers.push(slowly, slowly, slowly);
		for (const id of ['a', 'b', 'c']) sandbox.requestOffer({ id });
		await sandbox.settled();
		expect(most).toBe(1);
	});
});

describe('a delivery', () => {
	it.each([
		['500', 500],
		['a redirect', 302],
		['404', 404],
		['a cut connection', undefined],
	])('that is answered with %s is sent again, byte for byte', async (_name, status) => {
		const { sandbox, receiver } = await open();
		receiver.answers.push(status, status);
		const { id } = sandbox.requestOffer();
		await sandbox.settled();
		const [delivery] = sandbox.books.deliveries({ exchangeId: id });
		expect(delivery).toMatchObject({ state: 'delivered', attempts: 3 });
		expect(delivery?.log.map((attempt) => attempt.status)).toEqual([status, status, 200]);
		expect(new Set(receiver.received.map(({ body }) => body)).size).toBe(1);
		expect(receiver.received).toHaveLength(3);
	});

	it('is given up after the last attempt, and can be sent again by hand', async () => {
		const { sandbox, receiver } = await open();
		receiver.answers.push(500, 500, 500);
		sandbox.requestOffer();
		await sandbox.settled();
		const [delivery] = sandbox.books.deliveries({ state: 'given up' });
		expect(delivery?.log.map(({ status, answer }) => [status, answer])).toEqual([
			[500, 'answer 500'],
			[500, 'answer 500'],
			[500, 'answer 500'],
		]);
		sandbox.redeliver(delivery?.id ?? 0);
		await sandbox.settled();
		expect(sandbox.books.deliveries()).toMatchObject([{ state: 'delivered', attempts: 1 }]);
		expect(receiver.received[3]?.body).toBe(receiver.received[0]?.body);
		expect(() => {
			sandbox.redeliver(99);
		}).toThrow('no delivery 99');
	});

	it('that is never answered ends at the time-out', async () => {
		const silent = createServer(() => undefined).listen(0, '127.0.0.1');
		await once(silent, 'listening');
		onTestFinished(() => {
			silent.close();
		});
		const { port } = silent.address() as { port: number };
		const sandbox = await openSandbox({
			webhook: { url: `http://127.0.0.1:${port}/`, secret },
			delivery: { timeoutMilliseconds: 50, backoffMilliseconds: [] },
		});
		sandbox.requestOffer();
		await sandbox.settled();
		expect(sandbox.books.deliveries()).toMatchObject([
			{ state: 'given up', log: [{ error: 'no answer within 50 ms' }] },
		]);
	});

	it('does not hold up the API, and one that fails does not hold up the next', async () => {
		const { sandbox, receiver } = await open({ delivery: { backoffMilliseconds: [60_000] } });
		let answer: (status: number) => void = () => undefined;
		receiver.answers.push(
			() =>
				new Promise((resolve) => {
					answer = resolve;
				}),
		);
		sandbox.requestOffer({ id: 'a' });
		while (receiver.received.length === 0) await new Promise((resolve) => setImmediate(resolve));
		expect(
			(
				await fetch(`${sandbox.baseUrl}/exchanges`, {
					headers: { authorization: `Bearer ${sandbox.apiKey}` },
				})
			).status,
		).toBe(200);
		answer(500);
		sandbox.requestOffer({ id: 'b' });
		while (sandbox.books.deliveries({ state: 'delivered' }).length === 0) {
			await new Promise((resolve) => setImmediate(resolve));
		}
		expect(sandbox.books.deliveries().map(({ state }) => state)).toEqual(['waiting', 'delivered']);
	});

	it('that was not answered when the sandbox stopped is sent after the restart', async () => {
		const folder = mkdtempSync(join(tmpdir(), 'deliveries-'));
		onTestFinished(() => {
			rmSync(folder, { recursive: true });
		});
		const data = join(folder, 'sandbox.sqlite');
		let clock = now;
		const { sandbox, receiver } = await open({
			data,
			clock: () => clock,
			delivery: { backoffMilliseconds: [60_000] },
		});
		receiver.answers.push(500);
		sandbox.requestOffer();
		while (sandbox.books.deliveries()[0]?.attempts !== 1) {
			await new Promise((resolve) => setImmediate(resolve));
		}
		await sandbox.close();
		expect(receiver.received).toHaveLength(1);
		clock += 60_000;
		const restarted = await openSandbox({ data, clock: () => clock });
		await restarted.settled();
		expect(receiver.received).toHaveLength(2);
		expect(restarted.books.deliveries()).toMatchObject([{ state: 'delivered', attempts: 2 }]);
	});

	it('without a webhook URL stays in the log and can be sent once there is one', async () => {
		const sandbox = await openSandbox();
		sandbox.requestOffer();
		expect(sandbox.books.deliveries()).toMatchObject([{ state: 'no webhook', attempts: 0 }]);
		expect(() => {
			sandbox.redeliver(1);
		}).toThrow('No webhook URL');
		const receiver = await openReceiver();
		sandbox.setWebhook({ url: receiver.url, secret });
		sandbox.redeliver(1);
		await sandbox.settled();
		expect(receiver.received).toHaveLength(1);
	});

	it('tells what happened without telling the secret', async () => {
		const lines: unknown[] = [];
		const { sandbox, receiver } = await open({ onActivity: (activity) => lines.push(activity) });
		receiver.answers.push(500);
		sandbox.accept(sandbox.requestOffer({ id: 'e1' }).id);
		await sandbox.settled();
		const told = JSON.stringify(lines);
		expect(told).toContain('New offer e1');
		expect(told).toContain('not delivered (status 500); next attempt in');
		expect(told).toContain('90 credits left');
		expect(told).not.toContain(secret);
		expect(told).not.toContain(sandbox.apiKey);
	});
});
