/** How long the quota makes a request wait: exactly as long as the service asks, whatever a clock says. What it asks: rateLimit.test.mts. */
import { describe, expect, it, vi } from 'vitest';

import { Quota } from '../../../../nodes/shared/service/quota.ts';
import {
	ask,
	askOne,
	caller,
	expectToWait,
	pass,
	quotaAfter,
	quotaOf,
	type Request,
	seconds,
	sentAtOnce,
	underWay,
	usedUp,
	useFakeTime,
} from './quotaRequests.mts';

useFakeTime();

describe('a refusal', () => {
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
		await expectToWait(await askOne(quota), 9 * seconds);
	});

	it('without a moment is given up when all guesses together exceed what may be waited for', async () => {
		const quota = new Quota();
		const by = caller(1200);
		// How long the execution has taken before does not count.
		await pass(60 * seconds);
		const [one, other] = (await ask(quota, 2, by)) as [Request, Request];
		await one.refuse();
		await other.refuse();
		await pass(500);
		await one.refuse();
		const reached = { resetsAt: undefined, response: { statusCode: 429 } };
		expect([one.result, other.result]).toMatchObject([reached, reached]);
		// The next request of the same execution is not sent; that of a later one may wait as long itself.
		expect((await askOne(quota, by)).result).toMatchObject(reached);
		await expectToWait(await askOne(quota, caller(1200)), 1000);
	});

	it('that names its moment does not count with those that are guessed', async () => {
		const request = await askOne(new Quota(), caller(15 * seconds));
		await request.refuse({ 'retry-after': '15' });
		await pass(15 * seconds);
		await request.refuse();
		await expectToWait(request, 1 * seconds);
	});

	it.each([
		['a caller whose wait the user can raise: five minutes', { waitIsOption: true }, 5 * 60],
		['any other caller: its longest wait', {}, 90],
	])('that names its moment counts with others in a row, for %s', async (_, options, most) => {
		const quota = new Quota();
		const by = { ...caller(90 * seconds), ...options };
		const request = await askOne(quota, by);
		for (let waited = 0; waited + 30 <= most; waited += 30) {
			await request.refuse({ 'retry-after': '30' });
			expect(request.result).toBeUndefined();
			await pass(30 * seconds);
		}
		await request.refuse({ 'retry-after': '90' });
		// What it names is not believed any more.
		const reached = { resetsAt: undefined, response: { statusCode: 429 } };
		expect(request.result).toMatchObject(reached);
		// When the last wait is over, the next one goes ahead, and nobody is refused before its answer.
		await pass(90 * seconds);
		const [next, behind] = await ask(quota, 2, by);
		expect([next?.isUnderWay, behind?.result]).toEqual([true, undefined]);
		// Once something was allowed, waits count from the start.
		await next?.allow();
		const last = await askOne(quota, by);
		await last.refuse({ 'retry-after': '90' });
		await expectToWait(last, 90 * seconds);
	});
});

describe('several callers', () => {
	it('may cancel: the wait ends at once, and that of the others goes on', async () => {
		const quota = await usedUp(30);
		const cancel = new AbortController();
		const by = caller(90 * seconds, cancel.signal);
		const canceled = await ask(quota, 2, by);
		expect(vi.getTimerCount()).toBe(1);
		const other = await askOne(quota);
		await pass(1 * seconds);
		cancel.abort(new Error('canceled'));
		canceled.push(await askOne(quota, by));
		for (const { result, times } of canceled) {
			expect([result, times]).toEqual([new Error('canceled'), 0]);
		}
		await expectToWait(other, 29 * seconds);
		// No timer is left behind.
		expect(vi.getTimerCount()).toBe(0);
	});

	it('may cancel while nobody else waits: no place is taken, and no timer is left', async () => {
		const quota = await usedUp(30);
		const cancel = new AbortController();
		await askOne(quota, caller(90 * seconds, cancel.signal));
		cancel.abort(new Error('canceled'));
		await pass(0);
		expect(vi.getTimerCount()).toBe(0);
		await pass(30 * seconds);
		expect((await askOne(quota)).isUnderWay).toBe(true);
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
		await expectToWait(request, 20 * seconds);
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
		await expectToWait(refused, 30 * seconds);
	});

	it.each([1, -1])(
		'that turns out to be %i hours off does not move the end of a window',
		async (hours) => {
			const learned = async () => await quotaAfter(quotaOf(2, 30), date(hours));
			expect(await sentAtOnce(await learned(), 5)).toBe(2);
			const quota = await learned();
			await pass(30 * seconds);
			// One goes ahead into the new window.
			expect(await sentAtOnce(quota, 5)).toBe(1);
		},
	);
});
