/** When a request may be sent: never later than the quota demands, never earlier than the service allows. */
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';

import { type Caller, type LimitReached, Quota } from '../../../nodes/shared/quota.ts';
import type { ServiceResponse } from '../../../nodes/shared/response.ts';
import type { Attempt } from '../../../nodes/shared/retry.ts';
import { steadyNow } from '../../../nodes/shared/time.ts';

beforeEach(() => {
	vi.useFakeTimers({ now: Date.parse('2026-07-01T12:00:00Z') });
});
afterEach(() => {
	vi.useRealTimers();
});

const seconds = 1000;

/** Headers of a quota that resets in this many seconds. */
function quotaOf(remaining: number | string, resetsIn: number): Record<string, string> {
	return {
		'x-ratelimit-remaining': String(remaining),
		'x-ratelimit-reset': String(Date.now() / 1000 + resetsIn),
	};
}

function sent(statusCode: number, headers: Record<string, string>): Attempt {
	const response: ServiceResponse = {
		url: '',
		receivedAt: steadyNow(),
		statusCode,
		headers,
		text: '',
		json: undefined,
	};
	return { kind: 'answered', response };
}

function caller(longestWait = 90 * seconds, signal?: AbortSignal): Caller {
	return { longestWait, signal, since: steadyNow() };
}

/** A request that wants to be sent. */
class Request {
	/** How often it was sent. */
	times = 0;

	/** What came of it in the end. */
	result: Attempt | LimitReached | Error | undefined;

	#answer: ((answer: Attempt | Promise<Attempt>) => void) | undefined;

	constructor(quota: Quota, by: Caller) {
		const send = async () => {
			this.times++;
			return await new Promise<Attempt>((resolve) => {
				this.#answer = resolve;
			});
		};
		quota.run(by, send).then(
			(result) => {
				this.result = result;
			},
			(error: unknown) => {
				this.result = error as Error;
			},
		);
	}

	get isUnderWay(): boolean {
		return this.#answer !== undefined;
	}

	async allow(headers: Record<string, string> = {}): Promise<void> {
		await this.#settle(sent(200, headers));
	}

	async refuse(headers: Record<string, string> = {}): Promise<void> {
		await this.#settle(sent(429, headers));
	}

	async fail(): Promise<void> {
		const error = { code: 'ECONNRESET', neverSent: false };
		await this.#settle({ kind: 'failed', error });
	}

	async break(): Promise<void> {
		await this.#settle(Promise.reject(new Error('broken')));
	}

	async #settle(answer: Attempt | Promise<Attempt>): Promise<void> {
		const settle = this.#answer;
		if (settle === undefined) throw new Error('not under way');
		this.#answer = undefined;
		settle(answer);
		await pass(0);
	}
}

/** Of one account and one caller, unless another one is named. */
async function ask(quota: Quota, count: number, by = caller()): Promise<Request[]> {
	const requests = Array.from({ length: count }, () => new Request(quota, by));
	await pass(0);
	return requests;
}

async function askOne(quota: Quota, by?: Caller): Promise<Request> {
	const [request] = await ask(quota, 1, by);
	if (request === undefined) throw new Error('none');
	return request;
}

async function pass(milliseconds: number): Promise<void> {
	await vi.advanceTimersByTimeAsync(milliseconds);
}

const underWay = (requests: Request[]) => requests.filter((each) => each.isUnderWay);

/** How many of so many requests are sent at once. */
async function sentAtOnce(quota: Quota, count: number): Promise<number> {
	return underWay(await ask(quota, count)).length;
}

/** After one answer with each of these headers. */
async function quotaAfter(...answers: Array<Record<string, string>>): Promise<Quota> {
	const quota = new Quota();
	const requests = await ask(quota, answers.length);
	for (const [index, headers] of answers.entries()) await requests[index]?.allow(headers);
	return quota;
}

/** Nothing is left, and one request has shown that this is so. */
async function usedUp(resetsIn: number): Promise<Quota> {
	const quota = await quotaAfter(quotaOf(0, resetsIn));
	await (await askOne(quota, caller(0))).refuse(quotaOf(0, resetsIn));
	return quota;
}

describe('before the first answer', () => {
	it('sixty requests go ahead, and the others follow when one has come back', async () => {
		const quota = new Quota();
		const requests = await ask(quota, 300);
		expect(underWay(requests).length).toBe(60);
		await requests[7]?.allow(quotaOf(400, 30));
		expect(underWay(requests).length).toBe(299);
	});

	it('a request that fails without an answer makes room for one other', async () => {
		const quota = new Quota();
		const requests = await ask(quota, 62);
		await requests[0]?.fail();
		expect(underWay(requests).length).toBe(60);
		await requests[1]?.break();
		expect(underWay(requests).length).toBe(60);
		expect(requests[1]?.result).toEqual(new Error('broken'));
	});

	it('requests that hang hold up the others for five seconds', async () => {
		const quota = new Quota();
		await ask(quota, 60);
		const search = await askOne(quota);
		const next = await askOne(quota);
		await pass(5 * seconds - 1);
		expect(search.isUnderWay).toBe(false);
		await pass(1);
		expect([search.isUnderWay, next.isUnderWay]).toEqual([true, false]);
	});
});

describe('the quota', () => {
	it('holds nothing back that it allows, and the rest until it resets', async () => {
		const quota = await usedUp(1);
		const requests = await ask(quota, 10);
		await pass(1 * seconds - 1);
		expect(underWay(requests).length).toBe(0);
		await pass(1);
		// One goes ahead into the new window and tells what it holds.
		expect(underWay(requests).length).toBe(1);
		await underWay(requests)[0]?.allow(quotaOf(3, 30));
		expect(underWay(requests).length).toBe(3);
		for (const [index, request] of underWay(requests).entries()) {
			await request.allow(quotaOf(2 - index, 30));
		}
		expect(underWay(requests).length).toBe(0);
		await pass(30 * seconds);
		expect(underWay(requests).length).toBe(1);
	});

	const readings: Array<[string, [number, number], [number, number], number]> = [
		['answers that overtake each other', [5, 30], [7, 30], 5],
		['the same window, a second later', [2, 30], [5, 31], 2],
		['the same window, a second earlier', [5, 31], [2, 30], 2],
		['an answer of a window that is over', [2, 60], [9, 30], 2],
		['an answer of a new window', [2, 30], [9, 60], 9],
		['a reset that has passed', [4, 30], [1, -1], 4],
	];
	it.each(readings)('counts by the latest reading: %s', async (_name, first, second, expected) => {
		const quota = await quotaAfter(quotaOf(...first), quotaOf(...second));
		expect(await sentAtOnce(quota, 20)).toBe(expected);
	});

	it.each([
		[30, 31],
		[31, 30],
	])('resets at the later of two readings (%i s, then %i s)', async (first, second) => {
		const quota = await quotaAfter(quotaOf(1, first), quotaOf(0, second));
		await (await askOne(quota, caller(0))).refuse();
		await pass(30 * seconds);
		const next = await askOne(quota);
		expect(next.isUnderWay).toBe(false);
		await pass(1 * seconds);
		expect(next.isUnderWay).toBe(true);
	});

	it('is not made up: a reset that has come, or an answer without headers, holds nothing back', async () => {
		expect(await sentAtOnce(await quotaAfter(quotaOf(0, 0)), 100)).toBe(100);
		expect(await sentAtOnce(await quotaAfter(quotaOf('none', 30)), 100)).toBe(100);
		expect(await sentAtOnce(await quotaAfter({}), 100)).toBe(100);
		// One that is known stays known.
		expect(await sentAtOnce(await quotaAfter(quotaOf(2, 30), {}), 20)).toBe(2);
	});
});

describe('what other processes take', () => {
	/** One request has shown what is left, then others are sent. */
	async function afterReading(remaining: number, resetsIn: number, count: number) {
		const quota = await quotaAfter(quotaOf(remaining, resetsIn));
		return { quota, requests: await ask(quota, count) };
	}
	/** What becomes of a new window: how many of ten requests go at once when it has four. */
	async function nextWindow(quota: Quota): Promise<number> {
		await pass(10 * seconds);
		const requests = await ask(quota, 10);
		await underWay(requests)[0]?.allow(quotaOf(4, 60));
		return underWay(requests).length;
	}

	it('shows in a refusal although there was enough: from then on, half of what is left goes at once', async () => {
		const { quota, requests } = await afterReading(4, 10, 4);
		await requests[3]?.refuse(quotaOf(0, 10));
		for (const request of requests.slice(0, 3)) await request.allow(quotaOf(0, 10));
		await pass(10 * seconds);
		await requests[3]?.allow(quotaOf(4, 60));
		const next = await ask(quota, 10);
		expect(underWay(next).length).toBe(2);
		await underWay(next)[0]?.allow(quotaOf(3, 60));
		expect(underWay(next).length).toBe(2);
	});

	it('does not show in the refusal of what was not enough, nor in that of a test', async () => {
		const quota = new Quota();
		const requests = await ask(quota, 60, caller(0));
		for (const request of requests.slice(0, 20)) await request.allow(quotaOf(4, 10));
		for (const request of requests.slice(20)) await request.refuse(quotaOf(0, 10));
		expect(await nextWindow(quota)).toBe(4);
		expect(await nextWindow(await usedUp(10))).toBe(4);
	});

	it('does not show in the refusal of a request that went ahead into a new window', async () => {
		const quota = await quotaAfter(quotaOf(4, 10));
		const hanging = await askOne(quota);
		await pass(10 * seconds);
		const [ahead] = (await ask(quota, 2, caller(0))) as [Request, Request];
		await hanging.fail();
		await ahead.refuse(quotaOf(0, 10));
		expect(await nextWindow(quota)).toBe(4);
	});
});

describe('a reading of 0', () => {
	it('is tested by one request before anybody waits for it', async () => {
		const quota = await quotaAfter(quotaOf(0, 30));
		const requests = await ask(quota, 3);
		expect(underWay(requests).length).toBe(1);
		await requests[0]?.refuse(quotaOf(0, 30));
		await pass(30 * seconds - 1);
		expect(underWay(requests).length).toBe(0);
		await pass(1);
		expect(underWay(requests).length).toBe(1);
		// From now on it is believed.
		await underWay(requests)[0]?.allow(quotaOf(1, 30));
		await underWay(requests)[0]?.allow(quotaOf(0, 30));
		expect(underWay(requests).length).toBe(0);
	});

	it('is tested again where a window begins with it', async () => {
		const quota = await usedUp(1);
		const requests = await ask(quota, 100);
		await pass(1 * seconds);
		await underWay(requests)[0]?.allow(quotaOf(0, 30));
		expect(underWay(requests).length).toBe(1);
		await underWay(requests)[0]?.allow(quotaOf(0, 30));
		expect(underWay(requests).length).toBe(98);
	});

	it.each([
		['the same again', () => quotaOf(0, 30)],
		['more, although the window is the same', () => quotaOf(5, 30)],
		['nothing in a new window', () => quotaOf(0, 90)],
		['nothing at all', () => ({})],
	])('is not believed once a request was allowed anyway, with %s', async (_name, headers) => {
		const quota = await quotaAfter(quotaOf(0, 30));
		const requests = await ask(quota, 100);
		await requests[0]?.allow(headers());
		expect(underWay(requests).length).toBe(99);
		for (const request of underWay(requests)) await request.allow(quotaOf(0, 30));
		expect(await sentAtOnce(quota, 100)).toBe(100);
	});

	it('stays untested when the window has just ended, or no answer came', async () => {
		const quota = await quotaAfter(quotaOf(0, 30));
		const requests = await ask(quota, 3);
		await requests[0]?.fail();
		expect(underWay(requests)).toEqual([requests[1]]);
		await requests[1]?.allow(quotaOf(1, 60));
		expect(underWay(requests)).toEqual([requests[2]]);
		await requests[2]?.allow(quotaOf(0, 60));
		expect(await sentAtOnce(quota, 3)).toBe(1);
	});
});

describe('a refusal', () => {
	/** Milliseconds until the next request is sent. */
	async function waited(quota: Quota): Promise<number> {
		const start = Date.now();
		const request = await askOne(quota);
		while (!request.isUnderWay) await vi.advanceTimersToNextTimerAsync();
		await request.allow();
		return Date.now() - start;
	}

	it('of several that were sent together counts once, and a guess does not shorten what was named', async () => {
		const quota = new Quota();
		const requests = await ask(quota, 3, caller(60 * seconds));
		await requests[0]?.refuse({ 'retry-after': '3' });
		await requests[1]?.refuse();
		await requests[2]?.refuse();
		await pass(3 * seconds - 1);
		expect(underWay(requests).length).toBe(0);
		await pass(1);
		// The next guess is the second in a row, not the fourth.
		await underWay(requests)[0]?.refuse();
		await pass(1 * seconds - 1);
		expect(underWay(requests).length).toBe(0);
		await pass(1);
		expect(underWay(requests).length).toBe(1);
	});

	it.each([
		['3', '9'],
		['9', '3'],
		['', '9'],
		['9', ''],
	])('of several tells the later moment (%j s, then %j s)', async (first, second) => {
		const quota = new Quota();
		const [one, other] = (await ask(quota, 2, caller(0))) as [Request, Request];
		await one.refuse(first === '' ? {} : { 'retry-after': first });
		await other.refuse(second === '' ? {} : { 'retry-after': second });
		expect(await waited(quota)).toBe(9 * seconds);
	});

	it('that asks for too much is said without a request, until the rest may be waited for', async () => {
		const quota = new Quota();
		const by = caller(5 * seconds);
		const first = await askOne(quota, by);
		const straggler = await askOne(quota, by);
		await first.refuse({ 'retry-after': '60' });
		const reached = { resetsAt: Date.now() + 60 * seconds, response: { statusCode: 429 } };
		expect(first.result).toMatchObject(reached);
		// An answer to a request that was sent before does not change it.
		await straggler.allow();
		await pass(55 * seconds - 1);
		const before = await askOne(quota, by);
		expect(before.times).toBe(0);
		expect(before.result).toMatchObject(reached);
		await pass(1);
		const after = await askOne(quota, by);
		await pass(5 * seconds);
		expect(after.isUnderWay).toBe(true);
	});

	it('without a moment is given up when all guesses together exceed what may be waited for', async () => {
		const quota = new Quota();
		const by = caller(1200);
		const [one, other] = (await ask(quota, 2, by)) as [Request, Request];
		await one.refuse();
		await other.refuse();
		await pass(500);
		await one.refuse();
		const reached = { resetsAt: undefined, response: { statusCode: 429 } };
		expect([one.result, other.result]).toMatchObject([reached, reached]);
		// The next request of the same execution is not sent; that of a later one may wait as long itself.
		expect((await askOne(quota, by)).result).toMatchObject(reached);
		const later = await askOne(quota, caller(1200));
		await pass(1000);
		expect(later.isUnderWay).toBe(true);
	});

	it('is believed after a hundred in a row, although each wait was kept', async () => {
		const quota = new Quota();
		const request = await askOne(quota);
		for (let round = 1; round <= 100; round++) {
			await request.refuse({ 'retry-after': '1' });
			expect(request.result).toBeUndefined();
			await pass(1 * seconds);
		}
		await request.refuse({ 'retry-after': '1' });
		const reached = { resetsAt: undefined, response: { statusCode: 429 } };
		expect(request.result).toMatchObject(reached);
	});
});

describe('several callers', () => {
	it('may cancel: the wait ends at once, and that of the others goes on', async () => {
		const quota = await usedUp(30);
		const cancel = new AbortController();
		const canceled = await ask(quota, 2, caller(90 * seconds, cancel.signal));
		expect(vi.getTimerCount()).toBe(1);
		const other = await askOne(quota);
		await pass(1 * seconds);
		cancel.abort(new Error('canceled'));
		await pass(0);
		expect(canceled.map(({ result }) => result)).toEqual([
			new Error('canceled'),
			new Error('canceled'),
		]);
		await expect(
			quota.run(caller(90 * seconds, cancel.signal), () => Promise.reject(new Error('sent'))),
		).rejects.toThrow('canceled');
		await pass(29 * seconds);
		expect(other.isUnderWay).toBe(true);
		expect(canceled.map(({ times }) => times)).toEqual([0, 0]);
		// No timer is left behind.
		expect(vi.getTimerCount()).toBe(0);
	});
});

describe('a clock that is set during a wait', () => {
	it.each([-3600, 3600])('by %i s makes it neither longer nor shorter', async (by) => {
		const quota = new Quota();
		const request = await askOne(quota);
		const headers = { date: new Date().toUTCString(), ...quotaOf(0, 30) };
		await request.refuse(headers);
		await pass(10 * seconds);
		vi.setSystemTime(Date.now() + by * seconds);
		const other = await askOne(quota, caller(20 * seconds));
		await pass(20 * seconds - 1);
		expect(request.isUnderWay).toBe(false);
		await pass(1);
		expect(request.isUnderWay).toBe(true);
		await request.allow();
		expect(other.isUnderWay).toBe(true);
	});
});

describe("the service's clock", () => {
	const date = (hours: number) => ({
		date: new Date(Date.now() + hours * 3_600_000).toUTCString(),
	});

	it.each([
		['that is seen for the first time', {}, date(1)],
		['of another of its servers, which is ahead', date(0), date(1)],
	])('%s, does not shorten a wait that has begun', async (_name, first, later) => {
		const quota = new Quota();
		const [refused, straggler] = (await ask(quota, 2)) as [Request, Request];
		await refused.refuse({ 'retry-after': '30', ...first });
		await straggler.allow(later);
		await pass(30 * seconds - 1);
		expect(refused.isUnderWay).toBe(false);
		await pass(1);
		expect(refused.isUnderWay).toBe(true);
	});
});

describe('the quota of an account', () => {
	let accounts = 0;
	const account = () => `account ${accounts++}`;

	it('is one for all who use it, and another for another account', async () => {
		const name = account();
		await (await askOne(Quota.of(name))).allow(quotaOf(3, 30));
		expect(await sentAtOnce(Quota.of(name), 10)).toBe(3);
		expect(await sentAtOnce(Quota.of(account()), 100)).toBe(60);
	});

	it('is forgotten when its window is over and nobody uses it', async () => {
		const name = account();
		const quota = Quota.of(name);
		await (await askOne(quota)).allow(quotaOf(3, 30));
		await pass(30 * seconds - 1);
		expect(Quota.of(name)).toBe(quota);
		await pass(1);
		expect(Quota.of(name)).not.toBe(quota);
	});

	it('is not forgotten while a request is under way or waits, or a refusal holds', async () => {
		const name = account();
		const quota = Quota.of(name);
		const request = await askOne(quota);
		expect(Quota.of(name)).toBe(quota);
		await request.refuse({ 'retry-after': '30' });
		expect(Quota.of(name)).toBe(quota);
		await pass(30 * seconds);
		await request.allow();
		expect(Quota.of(name)).not.toBe(quota);
		const impatient = await askOne(Quota.of(name), caller(0));
		await impatient.refuse({ 'retry-after': '30' });
		expect(await sentAtOnce(Quota.of(name), 5)).toBe(0);
	});
});
