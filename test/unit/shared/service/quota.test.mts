/** How much the quota lets through: never more than is left, never less than the service allows. */
import { describe, expect, it } from 'vitest';

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

describe('before the first answer', () => {
	it('sixty requests go ahead; one that fails makes room for one other, an answer for all that are left', async () => {
		const quota = new Quota();
		const requests = await ask(quota, 300);
		expect(underWay(requests).length).toBe(60);
		await requests[0]?.fail();
		expect(underWay(requests).length).toBe(60);
		await requests[1]?.break();
		expect(underWay(requests).length).toBe(60);
		expect(requests[1]?.result).toEqual(new Error('broken'));
		await requests[7]?.allow(quotaOf(400, 30));
		expect(underWay(requests).length).toBe(297);
	});

	it('requests that hang hold up the others for five seconds', async () => {
		const quota = new Quota();
		await ask(quota, 60);
		const search = await askOne(quota);
		const next = await askOne(quota);
		await expectToWait(search, 5 * seconds);
		expect(next.isUnderWay).toBe(false);
	});
});

describe('the quota', () => {
	const readings: Array<[string, [number, number], [number, number], number]> = [
		['answers that overtake each other', [5, 30], [7, 30], 5],
		['the same window, a second later', [2, 30], [5, 31], 2],
		['the same window, a second earlier', [5, 31], [2, 30], 2],
		['an answer of a window that is over', [9, 60], [2, 30], 9],
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
		await expectToWait(await askOne(quota), 31 * seconds);
	});

	it('of a window that ended while the answer was on its way says nothing of the next one', async () => {
		const quota = await quotaAfter(quotaOf(4, 10));
		const straggler = await askOne(quota);
		const ofItsWindow = quotaOf(3, 10);
		await pass(10 * seconds);
		const requests = await ask(quota, 5);
		await straggler.allow(ofItsWindow);
		expect(underWay(requests).length).toBe(1);
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
	/** What becomes of a new window: how many of ten requests go at once when it has four. */
	async function nextWindow(quota: Quota): Promise<number> {
		await pass(10 * seconds);
		const requests = await ask(quota, 10);
		await underWay(requests)[0]?.allow(quotaOf(4, 60));
		return underWay(requests).length;
	}

	it('shows in a refusal although there was enough: from then on, half of what is left goes at once', async () => {
		const quota = await quotaAfter(quotaOf(4, 10));
		const requests = await ask(quota, 4);
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
		const impatient = await askOne(quota, caller(0));
		expect(impatient.result).toMatchObject({ resetsAt: Date.now() + 30 * seconds });
	});

	it('is tested although a request was refused that was no test', async () => {
		const quota = await quotaAfter(quotaOf(4, 10));
		const refused = await askOne(quota);
		await refused.refuse(quotaOf(0, 10));
		await pass(10 * seconds);
		await refused.allow(quotaOf(1, 30));
		await (await askOne(quota)).allow(quotaOf(0, 30));
		expect(await sentAtOnce(quota, 3)).toBe(1);
	});

	it('is not tested by a request that goes because another one hangs', async () => {
		const quota = await quotaAfter(quotaOf(0, 30));
		const [hanging, next, last] = (await ask(quota, 3)) as [Request, Request, Request];
		await pass(5 * seconds);
		await next.allow(quotaOf(0, 30));
		expect(underWay([hanging, next, last])).toEqual([hanging]);
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

describe('the quota of an account', () => {
	it('is forgotten when its window is over and nobody uses it', async () => {
		const quota = Quota.of('unused');
		await (await askOne(quota)).allow(quotaOf(3, 30));
		await pass(30 * seconds - 1);
		expect(Quota.of('unused')).toBe(quota);
		await pass(1);
		expect(Quota.of('unused')).not.toBe(quota);
	});

	it('is not forgotten while a request is under way or waits, or a refusal holds', async () => {
		const quota = Quota.of('used');
		const request = await askOne(quota);
		expect(Quota.of('used')).toBe(quota);
		await request.refuse({ 'retry-after': '30' });
		expect(Quota.of('used')).toBe(quota);
		await pass(30 * seconds);
		await request.allow();
		expect(Quota.of('used')).not.toBe(quota);
		await (await askOne(Quota.of('used'), caller(0))).refuse({ 'retry-after': '30' });
		expect(await sentAtOnce(Quota.of('used'), 5)).toBe(0);
		// Mutation tests run this again in the same process.
		await pass(30 * seconds);
	});
});
