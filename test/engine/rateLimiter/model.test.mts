/**
 * Compares the rate limiter with the sandbox's own count of requests, for random concurrent
 * callers.
 */
import fc from 'fast-check';
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';

import {
	type Caller,
	type RateLimitedResult,
	RateLimiter,
} from '../../../nodes/shared/transport/rateLimiter.ts';
import type { RequestResult } from '../../../nodes/shared/transport/response.ts';
import { monotonicNow } from '../../../nodes/shared/utils/time.ts';
import { type Dialect, resolveDialect } from '../../../sandbox/dialects.mts';
import { resetHeader } from '../../../sandbox/serialization/rateLimitHeaders.mts';
import { Limits } from '../../../sandbox/service/limits.mts';
import { Store } from '../../../sandbox/store/store.mts';

beforeEach(() => {
	vi.useFakeTimers({ now: Date.parse('2026-07-01T12:00:00Z') });
});
afterEach(() => {
	vi.useRealTimers();
});

const minute = 60_000;
/** Tolerance for a reset in whole seconds, rounded up, on a clock known to the second. */
const rounding = 2000;

/** Result of a request. */
interface Completed {
	caller: number;
	at: number;
	result: RequestResult | RateLimitedResult | Error;
}

type Drawn = ReturnType<typeof drawn> extends fc.Arbitrary<infer Value> ? Value : never;
type DrawnCaller = Drawn['callers'][number];
const randomRequests = fc.array(
	fc.record({
		at: fc.integer({ min: 0, max: 180_000 }),
		requests: fc.integer({ min: 1, max: 60 }),
	}),
	{ maxLength: 10 },
);

const drawn = () =>
	fc.record({
		perWindow: fc.integer({ min: 1, max: 120 }),
		window: fc.integer({ min: 3000, max: 60_000 }),
		callers: fc.array(
			fc.record({
				startsAt: fc.integer({ min: 0, max: 60_000 }),
				requests: fc.oneof(fc.integer({ min: 1, max: 5 }), fc.integer({ min: 1, max: 200 })),
				maxWaitMs: fc.constantFrom(0, 5000, 90_000, 90_000),
				cancelsAt: fc.option(fc.integer({ min: 0, max: 120_000 }), { nil: undefined, freq: 3 }),
			}),
			{ minLength: 1, maxLength: 4 },
		),
		/** Requests of another process at random times. */
		others: randomRequests,
		/** Latency of each response in turn, in milliseconds; half of it per direction. */
		latencies: fc.array(fc.integer({ min: 2, max: 900 }), { minLength: 1, maxLength: 20 }),
		skewSeconds: fc.constantFrom(0, 0, -3600, 3600),
		format: fc.constantFrom(
			...['epoch-seconds', 'epoch-milliseconds', 'delta-seconds', 'iso-8601'],
			...['+0000', '+00', '+0530'],
		),
		/** Responses of the rate limit: their status, and the code in their body. */
		limited: fc.constantFrom<{ statusCode: number; code?: string }>(
			{ statusCode: 429 },
			{ statusCode: 403 },
			{ statusCode: 403, code: 'rate_limit_exceeded' },
			{ statusCode: 400, code: 'rateLimited' },
			{ statusCode: 499, code: 'TOO_MANY_REQUESTS' },
		),
		/** When the machine sleeps, which only the wall clock shows, and for how long. */
		sleep: fc.option(
			fc.record({
				at: fc.integer({ min: 0, max: 120_000 }),
				durationMs: fc.constantFrom(1000, 60_000, 10 * 3_600_000),
			}),
			{ nil: undefined, freq: 2 },
		),
	});

class Service {
	rateLimited = 0;
	/** Requests that left while a 429 that had arrived still applied. */
	tooEarly = 0;
	sent = 0;
	#closed = { from: 0, until: 0 };
	readonly #store = new Store(':memory:');
	readonly #limits: Limits;
	readonly #drawn: Drawn;

	constructor(drawn: Drawn) {
		this.#drawn = drawn;
		this.#limits = new Limits(this.#store, {
			perMinute: drawn.perWindow,
			windowMilliseconds: drawn.window,
		});
	}

	use() {
		return this.#limits.use(1, 'pro');
	}

	async answer(): Promise<RequestResult> {
		const { latencies, format, skewSeconds } = this.#drawn;
		const half = (latencies[this.sent++ % latencies.length] ?? 0) / 2;
		// Events of the same millisecond have no order.
		if (Date.now() > this.#closed.from && Date.now() < this.#closed.until) this.tooEarly++;
		await wait(half);
		const quota = this.use();
		const headers = {
			date: new Date(Date.now() + skewSeconds * 1000).toUTCString(),
			'x-ratelimit-remaining': String(quota.remaining),
			'x-ratelimit-reset': formatReset(quota.resetsAt, format, skewSeconds),
		};
		await wait(half);
		if (!quota.allowed) {
			this.rateLimited++;
			this.#closed = { from: Date.now(), until: quota.resetsAt };
		}
		const { limited } = this.#drawn;
		const statusCode = quota.allowed ? 200 : limited.statusCode;
		const error = limited.code !== undefined && { error: { code: limited.code } };
		const [url, requestedAt, receivedAt] = ['', 0, monotonicNow()];
		const response = {
			url,
			requestedAt,
			receivedAt,
			statusCode,
			headers,
			excerpt: '',
			json: quota.allowed || error === false ? undefined : error,
		};
		return { kind: 'response', response };
	}

	close(): void {
		this.#store.close();
	}
}

/** Formats a reset as the sandbox does, or as ISO 8601 with a space and this zone. */
function formatReset(resetsAt: number, format: string, clockSkewSeconds: number): string {
	if (!format.startsWith('+')) {
		const settings = { rateLimitReset: format, clockSkewSeconds } as Partial<Dialect>;
		return resetHeader(resetsAt, Date.now(), resolveDialect(settings));
	}
	const zoneMinutes = format === '+0530' ? 330 : 0;
	const seconds = Math.ceil((resetsAt + clockSkewSeconds * 1000) / 1000) + zoneMinutes * 60;
	const [date, time] = new Date(seconds * 1000).toISOString().split(/[T.]/);
	return `${date} ${time}${format}`;
}

const wait = (milliseconds: number) =>
	new Promise((resolve) => {
		setTimeout(resolve, milliseconds);
	});

/** Runs all callers, in one process, or spread over several. */
async function history(drawn: Drawn, processes = 1) {
	const quotas = Array.from({ length: processes }, () => new RateLimiter());
	const service = new Service(drawn);
	const startedAt = performance.now();
	const now = () => performance.now() - startedAt;
	const done: Completed[] = [];
	let sentAfterCancel = 0;
	const callers = drawn.callers.map(async (each, index) => {
		const quota = quotas[index % processes] as RateLimiter;
		await wait(each.startsAt);
		const cancel = new AbortController();
		if (each.cancelsAt !== undefined) {
			setTimeout(() => {
				cancel.abort(new Error('canceled'));
			}, each.cancelsAt);
		}
		const caller: Caller = {
			maxRateLimitWaitMs: each.maxWaitMs,
			// Other processes may use up several windows in a row.
			signal: cancel.signal,
		};
		const requests = Array.from({ length: each.requests }, async () => {
			const result = await quota
				.run(caller, async () => {
					if (cancel.signal.aborted) sentAfterCancel++;
					return await service.answer();
				})
				.catch((error: unknown) => error as Error);
			done.push({ caller: index, at: now(), result });
			if ('resetsAt' in result) {
				// The error is correct only if the reset is later than the allowed wait.
				expect((result.resetsAt ?? Infinity) - Date.now()).toBeGreaterThan(each.maxWaitMs);
			}
		});
		await Promise.all(requests);
	});
	const others = drawn.others.map(async ({ at, requests }) => {
		await wait(at);
		for (let request = 0; request < requests; request++) service.use();
	});
	const { sleep } = drawn;
	if (sleep !== undefined) {
		setTimeout(() => {
			vi.setSystemTime(Date.now() + sleep.durationMs);
		}, sleep.at);
	}
	const progress = { isOver: false };
	const all = Promise.all([...callers, ...others]).finally(() => {
		progress.isOver = true;
	});
	for (let steps = 0; !progress.isOver; steps++) {
		if (steps > 50_000) throw new Error(`does not end, at ${now()}`);
		await vi.advanceTimersToNextTimerAsync();
	}
	await all;
	service.close();
	vi.clearAllTimers();
	return { service, done, sentAfterCancel };
}

const isPatient = ({ maxWaitMs, cancelsAt }: DrawnCaller, { window }: Drawn) =>
	maxWaitMs > window + rounding && cancelsAt === undefined;

test('fails no caller that may wait, sends nothing before the reset or after cancel (random)', async () => {
	await fc.assert(
		fc.asyncProperty(drawn(), async (drawn) => {
			const { service, done, sentAfterCancel } = await history(drawn);
			for (const { caller, result } of done) {
				const each = drawn.callers[caller];
				if (each && isPatient(each, drawn)) expect(result).toMatchObject({ kind: 'response' });
			}
			expect(done.length).toBe(drawn.callers.reduce((sum, { requests }) => sum + requests, 0));
			expect(service.tooEarly).toBe(0);
			expect(sentAfterCancel).toBe(0);
		}),
		{ numRuns: 100 },
	);
}, 300_000);

test('two processes that share a quota get 429 for less than a tenth of their requests', async () => {
	const caller = { maxWaitMs: 90_000 as const, cancelsAt: undefined };
	const listReader = { ...caller, startsAt: 0, requests: 1 };
	const adds = { ...caller, startsAt: 1000, requests: 150 };
	const { service } = await history(
		{
			...{
				perWindow: 60,
				window: 15_000,
				callers: [listReader, listReader, adds, adds],
				others: [],
			},
			...{ latencies: [4, 9, 60, 31, 12, 150, 7], skewSeconds: 0, format: 'epoch-seconds' },
			...{ limited: { statusCode: 429 }, sleep: undefined },
		},
		2,
	);
	expect(service.rateLimited / service.sent).toBeLessThan(0.1);
});

test('gives back the slot of a caller that aborts in the microtask of its release', async () => {
	const rateLimiter = new RateLimiter();
	const response = { statusCode: 200, headers: {}, excerpt: '', json: [], url: '' };
	const success = {
		kind: 'response' as const,
		response: { ...response, requestedAt: 0, receivedAt: 0 },
	};
	const send = vi.fn((): Promise<RequestResult> => Promise.resolve(success));
	for (let count = 0; count < 60; count++) {
		const cancel = new AbortController();
		const result = rateLimiter.run({ maxRateLimitWaitMs: 0, signal: cancel.signal }, send);
		cancel.abort(new Error('canceled'));
		await expect(result).rejects.toThrow('canceled');
	}
	expect(send).not.toHaveBeenCalled();
	const result = rateLimiter.run({ maxRateLimitWaitMs: 0, signal: undefined }, send);
	await vi.advanceTimersByTimeAsync(minute);
	expect(send).toHaveBeenCalled();
	expect(await result).toEqual(success);
});

describe('a wait of ten hours', () => {
	const hour = 60 * minute;

	/** Sends a request that gets a 429, waits, and returns the number of requests that were sent. */
	async function countRequests(headers: Record<string, string>, act: () => Promise<unknown>) {
		const rateLimiter = new RateLimiter();
		const send = vi.fn((): Promise<RequestResult> => {
			const response = { statusCode: 429, headers, excerpt: '', json: undefined, url: '' };
			const [requestedAt, receivedAt] = [monotonicNow(), monotonicNow()];
			return Promise.resolve({
				kind: 'response',
				response: { ...response, requestedAt, receivedAt },
			});
		});
		const caller = { maxRateLimitWaitMs: 12 * hour, signal: undefined };
		void rateLimiter.run(caller, send);
		await act();
		return send.mock.calls.length;
	}
	const headers = { 'retry-after': String(10 * 3600) };
	const withDate = () => ({ ...headers, date: new Date().toUTCString() });

	test.each([false, true])(
		'lasts as long as the service asks (Date header: %s)',
		async (hasDate) => {
			const wait = async () => await vi.advanceTimersByTimeAsync(10 * hour - minute);
			expect(await countRequests(hasDate ? withDate() : headers, wait)).toBe(1);
		},
	);

	test.each([false, true])('is over when the machine slept (Date header: %s)', async (hasDate) => {
		const requests = await countRequests(hasDate ? withDate() : headers, async () => {
			await vi.advanceTimersByTimeAsync(minute);
			vi.setSystemTime(Date.now() + 12 * hour);
			await vi.advanceTimersByTimeAsync(minute);
		});
		expect(requests).toBe(2);
	});

	test.each([false, true])(
		'is no longer if the clock is set back (Date header: %s)',
		async (hasDate) => {
			const requests = await countRequests(hasDate ? withDate() : headers, async () => {
				await vi.advanceTimersByTimeAsync(minute);
				vi.setSystemTime(Date.now() - 12 * hour);
				await vi.advanceTimersByTimeAsync(10 * hour);
			});
			expect(requests).toBe(2);
		},
	);
});
