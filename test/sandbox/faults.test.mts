/** Each fault, for requests and for deliveries. */
import { describe, expect, it } from 'vitest';

import {
	deliveryFaultKinds,
	type Fault,
	faultKinds,
	requestFaultKinds,
} from '../../sandbox/faults.mts';
import type { Sandbox, SandboxOptions } from '../../sandbox/sandbox.mts';
import { type Answer, ask, hmac, matching, openBoth, openSandbox, until } from './harness.mts';

const now = Date.UTC(2026, 6, 1, 12);

/** One accept with the fault: its answer (undefined when the connection was cut), and whether it was paid. */
async function acceptWith(
	fault: Fault,
): Promise<{ answer: Answer | undefined; paid: number; sandbox: Sandbox }> {
	const sandbox = await openSandbox();
	sandbox.requestOffer({ id: 'e1' });
	sandbox.addFault(fault);
	const answer = await ask(sandbox, 'POST /exchanges/e1/accept').catch(() => undefined);
	return { answer, paid: sandbox.books.acceptsOf('e1'), sandbox };
}

const unavailable = { json: { error: { code: 'service_unavailable' } } };
const asJson = { headers: { 'content-type': 'application/json; charset=utf-8' } };
const asPage = { headers: { 'content-type': 'text/html; charset=utf-8' } };
const asText = { headers: { 'content-type': 'text/plain; charset=utf-8' } };
const half = { json: undefined, text: matching(/^\{"id":"e1"/) };
const queued = { status: 200, body: '{"status":"queued"}' };

/** How an accept is answered, and whether it is paid. */
const ofAnAccept: Array<[Fault, paid: number, answer: object | undefined]> = [
	[{ kind: 'cut-before-commit' }, 0, undefined],
	[{ kind: 'cut-after-commit' }, 1, undefined],
	[{ kind: 'error-before-commit' }, 0, { status: 503, ...unavailable }],
	[{ kind: 'error-after-commit', status: 502 }, 1, { status: 502, ...unavailable }],
	// The documented error object in a 2xx, though it was paid.
	[{ kind: 'error-after-commit', status: 200 }, 1, { status: 200, ...unavailable }],
	[{ kind: 'not-json' }, 1, { status: 200, ...asPage, json: undefined }],
	[{ kind: 'malformed-json' }, 1, { status: 200, ...asJson, ...half }],
	[{ kind: 'wrong-content-type' }, 1, { status: 200, ...asText, json: { id: 'e1' } }],
	[{ kind: 'answer-before-commit', ...queued }, 0, { status: 200, ...asJson, text: queued.body }],
	[{ kind: 'answer-after-commit', status: 418, body: 'any' }, 1, { status: 418, text: 'any' }],
	[{ kind: 'answer-after-commit', status: 204 }, 1, { status: 204, text: '' }],
];

/** An accept that is answered late, and whether it is paid before that. */
const delayed = (kind: Fault['kind'], paidMeanwhile: number) => async () => {
	const sandbox = await openSandbox();
	sandbox.requestOffer({ id: 'e1' });
	sandbox.addFault({ kind, milliseconds: 300 });
	let isAnswered = false;
	const slow = ask(sandbox, 'POST /exchanges/e1/accept').finally(() => {
		isAnswered = true;
	});
	const paid = () => sandbox.books.acceptsOf('e1');
	await until(() => sandbox.faults().length === 0 && paid() === paidMeanwhile);
	expect(isAnswered).toBe(false);
	expect((await slow).status).toBe(200);
	expect(paid()).toBe(1);
};

const otherFaults: Partial<Record<(typeof requestFaultKinds)[number], () => Promise<void>>> = {
	'delay-before-commit': delayed('delay-before-commit', 0),
	'delay-after-commit': delayed('delay-after-commit', 1),
	nonsense: async () => {
		const { answer, paid } = await acceptWith({ kind: 'nonsense', seed: 7 });
		const again = await acceptWith({ kind: 'nonsense', seed: 7 });
		expect([answer?.status, answer?.headers['content-type'], paid]).toEqual([
			200,
			'application/json; charset=utf-8',
			1,
		]);
		expect(answer?.json).not.toBeUndefined();
		expect(answer?.json).not.toMatchObject({ id: 'e1', status: 'accepted', anchor: /./ });
		expect(Object.keys(again.answer?.json as object)).toEqual(Object.keys(answer?.json as object));
	},
	'odd-entries': async () => {
		const sandbox = await openSandbox();
		for (const id of ['e1', 'e2', 'e3']) sandbox.requestOffer({ id });
		sandbox.accept('e2');
		const seen: string[] = [];
		for (let seed = 0; seed < 100; seed += 1) {
			sandbox.addFault({ kind: 'odd-entries', seed });
			const { exchanges } = (await ask(sandbox, 'GET /exchanges')).json as {
				exchanges: { id: string; status: unknown }[];
			};
			seen.push(...exchanges.map(({ id, status }) => `${id} ${JSON.stringify(status)}`));
		}
		for (const odd of ['e1 "PENDING"', 'e2 {"name":"accepted"}', 'e2 "archived"', 'e3 null']) {
			expect(seen).toContain(odd);
		}
		// As it was before, beside what it is; nothing that has not come yet.
		expect(seen).toContain('e2 "pending"');
		expect(seen.filter((each) => /^e[13].*accepted|live/.test(each))).toEqual([]);
		expect(seen.length).not.toBe(300);
	},
	'clock-skew': async () => {
		const sandbox = await openSandbox({ clock: () => now });
		const shown = async () => {
			const { headers } = await ask(sandbox, 'GET /sites');
			return headers['x-ratelimit-reset'];
		};
		expect(await shown()).toBe(String(now / 1000 + 60));
		sandbox.addFault({ kind: 'clock-skew', milliseconds: -120_000 });
		expect(await shown()).toBe(String(now / 1000 - 60));
		expect(await shown()).toBe(String(now / 1000 + 60));
	},
};

describe('a fault of a request', () => {
	it.each(ofAnAccept)('%j', async (fault, expectedPaid, expected) => {
		const { answer, paid, sandbox } = await acceptWith(fault);
		expect(paid).toBe(expectedPaid);
		if (expected === undefined) expect(answer).toBeUndefined();
		else expect(answer).toMatchObject(expected);
		expect(sandbox.books.requests()).toMatchObject([
			{ status: answer?.status, fault: fault.kind, exchangeId: 'e1' },
		]);
	});
	for (const [kind, check] of Object.entries(otherFaults)) it(kind, check);

	it('of the clock shows in every header of an answer, so that the wait between them stays right', async () => {
		const sandbox = await openSandbox({
			clock: () => now,
			limits: { perMinute: 1 },
			dialect: { limitExceeded: 'retry-date-json', rateLimitReset: 'http-date' },
		});
		await ask(sandbox, 'GET /sites');
		sandbox.addFault({ kind: 'clock-skew', milliseconds: 600_000 });
		const { status, headers } = await ask(sandbox, 'GET /sites');
		const dates = [headers.date, headers['retry-after'], headers['x-ratelimit-reset']];
		expect([status, ...dates.map((date) => Date.parse(String(date)) - now)]).toEqual([
			429, 600_000, 660_000, 660_000,
		]);
	});

	it('hits the next N matching requests only', async () => {
		const sandbox = await openSandbox();
		const which = { method: 'GET', path: '/api/exchanges' };
		sandbox.addFault({ kind: 'error-before-commit', times: 2, ...which });
		for (const [call, status] of [
			['GET /sites', 200],
			['GET /exchanges', 503],
			['POST /exchanges/none/accept', 404],
			['GET /exchanges?status=live', 503],
			['GET /exchanges', 200],
		] as const) {
			expect((await ask(sandbox, call)).status).toBe(status);
		}
	});

	it.each([
		[{ kind: 'explode' }, /no fault "explode".*cut-before-commit/],
		[{ kind: 'not-json', times: 0 }, /whole number, 1 or more/],
		[{ kind: 'error-before-commit', status: 199 }, /between 200 and 599/],
		[{ kind: 'delay-before-commit', milliseconds: -1 }, /not negative/],
		[{ kind: 'delay-before-commit', milliseconds: 3e9 }, /up to 1000000000/],
		[{ kind: 'clock-skew', milliseconds: 1e300 }, /up to 1000000000/],
		[{ kind: 'clock-skew', milliseconds: -1e300 }, /up to 1000000000/],
	])('that makes no sense is refused: %j', async (fault, message) => {
		const sandbox = await openSandbox();
		expect(() => {
			sandbox.addFault(fault as Fault);
		}).toThrow(message);
		expect(sandbox.faults()).toEqual([]);
	});
});

/** With the fault on the first delivery: which offers arrive, in which order, and what was signed. */
async function offersWith(fault: Fault, options: SandboxOptions = {}) {
	const { sandbox, receiver } = await openBoth({ clock: () => now, ...options });
	sandbox.addFault(fault);
	for (const id of ['a', 'b']) sandbox.requestOffer({ id });
	await sandbox.settled();
	expect(sandbox.faults()).toEqual([]);
	return {
		order: receiver.received.map(({ json }) => (json as { id: string }).id).join(''),
		deliveries: receiver.received.map(({ headers, body }) => ({
			body,
			signature: headers['x-pb-signature'],
		})),
	};
}

const deliveryFaults: Record<(typeof deliveryFaultKinds)[number], () => Promise<void>> = {
	'duplicate-delivery': async () => {
		const { order, deliveries } = await offersWith({ kind: 'duplicate-delivery' });
		expect(order).toBe('aab');
		expect(deliveries[1]).toEqual(deliveries[0]);
	},
	'concurrent-delivery': async () => {
		const { sandbox, receiver } = await openBoth();
		const both = async () => {
			await until(() => receiver.received.length === 2);
			return 200;
		};
		receiver.answers.push(both, both);
		sandbox.addFault({ kind: 'concurrent-delivery' });
		sandbox.requestOffer({ id: 'a' });
		await sandbox.settled();
		expect(receiver.received.map(({ json }) => json)).toMatchObject([{ id: 'a' }, { id: 'a' }]);
	},
	'late-delivery': async () => {
		const { order } = await offersWith({ kind: 'late-delivery', milliseconds: 500 });
		expect(order).toBe('ba');
	},
	'reordered-delivery': async () => {
		const { order } = await offersWith({ kind: 'reordered-delivery', milliseconds: 60_000 });
		expect(order).toBe('ba');
	},
	'skewed-delivery': async () => {
		const { deliveries } = await offersWith(
			{ kind: 'skewed-delivery', milliseconds: -600_000 },
			{ dialect: 'timestamped-signatures' },
		);
		const stale = now / 1000 - 600;
		const { body, signature } = deliveries[0] ?? {};
		expect(signature).toBe(`t=${stale},v1=${hmac(`${stale}.${body}`)}`);
	},
	'forged-delivery': async () => {
		const { deliveries } = await offersWith({ kind: 'forged-delivery' });
		const isRight = deliveries.map(({ body, signature }) => signature === hmac(body));
		expect(isRight).toEqual([false, true]);
		expect(deliveries[0]?.signature).toMatch(/^[0-9a-f]{64}$/);
	},
};

describe('a fault of a delivery', () => {
	for (const [kind, check] of Object.entries(deliveryFaults)) it(kind, check);

	it('waits for the event that it names', async () => {
		const { sandbox } = await openBoth();
		sandbox.addFault({ kind: 'duplicate-delivery', event: 'exchange.accepted' });
		sandbox.accept(sandbox.requestOffer().id);
		await sandbox.settled();
		expect(sandbox.books.deliveries().map(({ event, log }) => [event, log.length])).toEqual([
			['exchange.requested', 1],
			['exchange.accepted', 2],
		]);
	});

	it('is among the faults that can be listed, and each of these has its test', () => {
		const tested = new Set([...ofAnAccept.map(([{ kind }]) => kind), ...Object.keys(otherFaults)]);
		expect(tested).toEqual(new Set(requestFaultKinds));
		expect(faultKinds).toEqual([...requestFaultKinds, ...Object.keys(deliveryFaults)]);
	});
});
