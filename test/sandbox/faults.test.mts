/** Each simulated failure, for requests and for deliveries. */
import { describe, expect, test } from 'vitest';

import { type Fault, faultKinds } from '../../sandbox/faults.mts';
import { callApi, matching, openSandbox, openSandboxWithReceiver, waitUntil } from './harness.mts';

const unavailable = { json: { error: { code: 'service_unavailable' } } };
const asJson = { headers: { 'content-type': 'application/json; charset=utf-8' } };
const asPage = { headers: { 'content-type': 'text/html; charset=utf-8' } };
const queued = { status: 200, body: '{"status":"queued"}' };

/** Response to an accept, and whether it is paid. */
const acceptFaults: Array<[Fault, paid: number, answer: object | undefined]> = [
	[{ kind: 'cut-before-commit' }, 0, undefined],
	[{ kind: 'cut-after-commit' }, 1, undefined],
	[{ kind: 'error-before-commit' }, 0, { status: 503, ...unavailable }],
	[{ kind: 'error-after-commit', status: 502 }, 1, { status: 502, ...unavailable }],
	[
		{ kind: 'malformed-json' },
		1,
		{ status: 200, ...asJson, text: matching(/^\{"id":"e1".*[^}]$/) },
	],
	[{ kind: 'answer-before-commit', ...queued }, 0, { status: 200, ...asJson, text: queued.body }],
	[{ kind: 'answer-after-commit', status: 502, body: '<html>' }, 1, { status: 502, ...asPage }],
];

/** Late responses to an accept, and whether it is paid before them. */
const delays: Array<[Fault['kind'], paidMeanwhile: number]> = [
	['delay-before-commit', 0],
	['delay-after-commit', 1],
];

describe('a fault of a request', () => {
	test.each(acceptFaults)('%j', async (fault, paid, expected) => {
		const sandbox = await openSandbox();
		sandbox.requestOffer({ id: 'e1' });
		sandbox.addFault(fault);
		const answer = await callApi(sandbox, 'POST /exchanges/e1/accept').catch(() => undefined);
		expect(sandbox.books.acceptCount('e1')).toBe(paid);
		if (expected === undefined) expect(answer).toBeUndefined();
		else expect(answer).toMatchObject(expected);
		expect(sandbox.books.requests()).toMatchObject([
			{ status: answer?.status, fault: fault.kind, exchangeId: 'e1' },
		]);
	});

	test.each(delays)('%s', async (kind, paidMeanwhile) => {
		const sandbox = await openSandbox();
		sandbox.requestOffer({ id: 'e1' });
		sandbox.addFault({ kind, milliseconds: 300 });
		let isAnswered = false;
		const slow = callApi(sandbox, 'POST /exchanges/e1/accept').finally(() => {
			isAnswered = true;
		});
		const paid = () => sandbox.books.acceptCount('e1');
		await waitUntil(() => sandbox.faults.list().length === 0 && paid() === paidMeanwhile);
		expect(isAnswered).toBe(false);
		expect((await slow).status).toBe(200);
		expect(paid()).toBe(1);
	});

	test('affects the next matching requests only, after skipping the given number', async () => {
		const sandbox = await openSandbox();
		const target = { method: 'GET', path: '/api/exchanges', after: 1, times: 2 };
		sandbox.addFault({ kind: 'error-before-commit', ...target });
		for (const [call, status] of [
			['GET /sites', 200],
			['GET /exchanges', 200],
			['GET /exchanges', 503],
			['POST /exchanges/none/accept', 404],
			['GET /exchanges?status=live', 503],
			['GET /exchanges', 200],
		] as const) {
			expect((await callApi(sandbox, call)).status).toBe(status);
		}
	});

	test.each([
		[{ kind: 'explode' }, /"explode".*cut-before-commit/],
		[{ kind: 'malformed-json', times: 0 }, /"times" must be a whole number from 1/],
		[{ kind: 'error-before-commit', status: 199 }, /from 200 to 599/],
		[{ kind: 'delay-before-commit', milliseconds: 3e9 }, /from 0 to 1000000000/],
	])('is rejected if it is invalid: %j', async (fault, message) => {
		const sandbox = await openSandbox();
		expect(() => {
			sandbox.addFault(fault as Fault);
		}).toThrow(message);
		expect(sandbox.faults.list()).toEqual([]);
	});
});

const deliveryFaults: Array<[Fault, order: string]> = [
	[{ kind: 'duplicate-delivery' }, 'aab'],
	[{ kind: 'late-delivery', milliseconds: 500 }, 'ba'],
	// Waits for a delivery of its event.
	[{ kind: 'duplicate-delivery', event: 'exchange.accepted' }, 'abaa'],
];

describe('a fault of a delivery', () => {
	test.each(deliveryFaults)('%j', async (fault, order) => {
		const { sandbox, receiver } = await openSandboxWithReceiver();
		sandbox.addFault(fault);
		for (const id of ['a', 'b']) sandbox.requestOffer({ id });
		if (fault.event !== undefined) sandbox.accept('a');
		await sandbox.settled();
		const ids = receiver.received.map(({ json }) => (json as { id: string }).id);
		expect(ids.join('')).toBe(order);
		expect(new Set(receiver.received.map(({ body }) => body)).size).toBe(
			new Set(ids).size + (fault.event ? 1 : 0),
		);
	});
});

test('this file tests each fault', () => {
	const tested = [...acceptFaults, ...deliveryFaults].map(([{ kind }]) => kind);
	expect(new Set([...tested, ...delays.map(([kind]) => kind)])).toEqual(
		new Set(Object.keys(faultKinds)),
	);
});
