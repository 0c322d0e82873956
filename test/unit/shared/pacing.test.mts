/** When a request may be sent: never later than the quota demands, never earlier than the service allows. */
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';

import { Pacing } from '../../../nodes/shared/pacing.ts';
import type { ServiceResponse } from '../../../nodes/shared/response.ts';

type Turn = Awaited<ReturnType<Pacing['take']>>;

beforeEach(() => {
	vi.useFakeTimers({ now: Date.parse('2026-07-01T12:00:00Z') });
});
afterEach(() => {
	vi.useRealTimers();
});

const seconds = 1000;

/** Headers of a quota that resets in this many seconds. */
function quota(remaining: number, resetsIn: number): Record<string, string> {
	return {
		'x-ratelimit-remaining': String(remaining),
		'x-ratelimit-reset': String(Date.now() / 1000 + resetsIn),
	};
}

function refusal(headers: Record<string, string> = {}): ServiceResponse {
	return { url: '', statusCode: 429, headers, text: '', json: undefined };
}

/** Asks for a turn; `turn` is set once it is there. */
function ask(pacing: Pacing): { turn: Turn | undefined } {
	const asked: { turn: Turn | undefined } = { turn: undefined };
	void pacing.take().then((turn) => {
		asked.turn = turn;
	});
	return asked;
}

async function pass(milliseconds: number): Promise<void> {
	await vi.advanceTimersByTimeAsync(milliseconds);
}

/** How many of these requests are let through now. */
async function letThrough(pacing: Pacing, requests: number): Promise<number> {
	const asked = Array.from({ length: requests }, () => ask(pacing));
	await pass(0);
	return asked.filter(({ turn }) => turn !== undefined).length;
}

/** After one answer with each of these headers. */
async function pacingAfter(
	answers: Array<Record<string, string>>,
	longestWait = 90 * seconds,
): Promise<Pacing> {
	const pacing = new Pacing(longestWait);
	expect(await letThrough(pacing, answers.length)).toBe(answers.length);
	for (const headers of answers) pacing.settle(headers);
	return pacing;
}

describe('before the first answer', () => {
	it('ten requests go ahead, and the others follow when one has ended', async () => {
		const pacing = new Pacing(90 * seconds);
		expect(await letThrough(pacing, 10)).toBe(10);
		const eleventh = ask(pacing);
		await pass(300 * seconds);
		expect(eleventh.turn).toBeUndefined();
		pacing.settle(undefined);
		await pass(0);
		expect(eleventh.turn).toEqual({ round: 0 });
		expect(await letThrough(pacing, 20)).toBe(20);
	});

	it('a refusal lets nobody go before it is known what it means', async () => {
		const pacing = new Pacing(90 * seconds);
		await letThrough(pacing, 10);
		const eleventh = ask(pacing);
		pacing.settle({}, true);
		await pass(0);
		expect(eleventh.turn).toBeUndefined();
		expect(pacing.refused(refusal({ 'retry-after': '2' }), 0)).toBeUndefined();
		for (let others = 9; others > 0; others--) {
			pacing.settle({}, true);
			pacing.refused(refusal({ 'retry-after': '2' }), 0);
		}
		await pass(1999);
		expect(eleventh.turn).toBeUndefined();
		await pass(1);
		expect(eleventh.turn).toEqual({ round: 1 });
	});
});

describe('the quota', () => {
	it('holds nothing back that it allows, and the rest until it resets', async () => {
		const pacing = await pacingAfter([quota(3, 30)]);
		expect(await letThrough(pacing, 3)).toBe(3);
		for (const remaining of [2, 1, 0]) pacing.settle(quota(remaining, 30));
		const next = [ask(pacing), ask(pacing)];
		await pass(30 * seconds - 1);
		expect(next.map(({ turn }) => turn)).toEqual([undefined, undefined]);
		await pass(1);
		// One goes ahead into the new window and tells what it holds.
		expect(next.filter(({ turn }) => turn !== undefined).length).toBe(1);
		pacing.settle(quota(10, 60));
		await pass(0);
		expect(next.filter(({ turn }) => turn !== undefined).length).toBe(2);
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
		const pacing = await pacingAfter([quota(...first), quota(...second)]);
		expect(await letThrough(pacing, 20)).toBe(expected);
	});

	it.each([
		[30, 31],
		[31, 30],
	])('resets at the later of two readings (%i s, then %i s)', async (first, second) => {
		const pacing = await pacingAfter([quota(0, first), quota(0, second)]);
		const next = ask(pacing);
		await pass(31 * seconds - 1);
		expect(next.turn).toBeUndefined();
		await pass(1);
		expect(next.turn).toEqual({ round: 0 });
	});

	it('is not made up: a reset that has come, or an answer without headers, holds nothing back', async () => {
		expect(await letThrough(await pacingAfter([quota(0, 0)]), 20)).toBe(20);
		expect(await letThrough(await pacingAfter([{}]), 20)).toBe(20);
		// One that is known stays known.
		expect(await letThrough(await pacingAfter([quota(2, 30), {}]), 20)).toBe(2);
	});

	it('is open again when the first answer of a new window tells nothing', async () => {
		const pacing = await pacingAfter([quota(0, 1)]);
		const next = [ask(pacing), ask(pacing), ask(pacing)];
		await pass(1 * seconds);
		expect(next.filter(({ turn }) => turn !== undefined).length).toBe(1);
		pacing.settle({});
		await pass(0);
		expect(next.filter(({ turn }) => turn !== undefined).length).toBe(3);
	});

	it('that asks for more than may be waited for lets one request through, to hear the no', async () => {
		const pacing = await pacingAfter([quota(0, 6)], 5 * seconds);
		const next = [ask(pacing), ask(pacing)];
		await pass(0);
		expect(next.map(({ turn }) => turn)).toEqual([{ round: 0 }, undefined]);
		pacing.settle(quota(0, 6), true);
		const reached = pacing.refused(refusal(quota(0, 6)), 0);
		expect(reached?.resetsAt).toBe(Date.now() + 6 * seconds);
		await pass(0);
		expect(next[1]?.turn).toBe(reached);
	});

	it('that asks for exactly as much is waited for', async () => {
		const pacing = await pacingAfter([quota(0, 5)], 5 * seconds);
		const next = ask(pacing);
		await pass(5 * seconds - 1);
		expect(next.turn).toBeUndefined();
		await pass(1);
		expect(next.turn).toEqual({ round: 0 });
	});
});

describe('a refusal', () => {
	/** Sends a request, which is refused. */
	async function refuse(pacing: Pacing, headers: Record<string, string> = {}) {
		const asked = ask(pacing);
		await pass(0);
		if (asked.turn === undefined || !('round' in asked.turn)) throw new Error('not let through');
		pacing.settle(headers, true);
		return pacing.refused(refusal(headers), asked.turn.round);
	}
	/** Milliseconds until the next request is let through. */
	async function waited(pacing: Pacing): Promise<number> {
		const start = Date.now();
		const asked = ask(pacing);
		await pass(0);
		while (asked.turn === undefined) await vi.advanceTimersToNextTimerAsync();
		pacing.settle({});
		return Date.now() - start;
	}

	it('is waited out as long as the service asks', async () => {
		const pacing = new Pacing(90 * seconds);
		expect(await refuse(pacing, { 'retry-after': '7' })).toBeUndefined();
		expect(await waited(pacing)).toBe(7 * seconds);
	});

	it('without a moment is waited out twice as long each time, until something is allowed', async () => {
		const pacing = new Pacing(90 * seconds);
		for (const expected of [500, 1000, 2000]) {
			expect(await refuse(pacing)).toBeUndefined();
			expect(await waited(pacing)).toBe(expected);
		}
		pacing.allowed();
		expect(await refuse(pacing)).toBeUndefined();
		expect(await waited(pacing)).toBe(500);
	});

	it('of several that were sent together counts once, and a guess does not shorten what was named', async () => {
		const pacing = new Pacing(90 * seconds);
		await letThrough(pacing, 3);
		for (let request = 0; request < 3; request++) pacing.settle({}, true);
		expect(pacing.refused(refusal({ 'retry-after': '3' }), 0)).toBeUndefined();
		expect(pacing.refused(refusal(), 0)).toBeUndefined();
		expect(pacing.refused(refusal(), 0)).toBeUndefined();
		expect(await waited(pacing)).toBe(3 * seconds);
		// The next guess is the second in a row, not the fourth.
		expect(await refuse(pacing)).toBeUndefined();
		expect(await waited(pacing)).toBe(1 * seconds);
	});

	it('of several tells the later moment when another one names it', async () => {
		const pacing = new Pacing(90 * seconds);
		await letThrough(pacing, 2);
		for (let request = 0; request < 2; request++) pacing.settle({}, true);
		pacing.refused(refusal({ 'retry-after': '3' }), 0);
		pacing.refused(refusal({ 'retry-after': '9' }), 0);
		expect(await waited(pacing)).toBe(9 * seconds);
	});

	it('that asks for too much is told to all, and no longer when the rest may be waited for', async () => {
		const pacing = new Pacing(5 * seconds);
		await letThrough(pacing, 1);
		const reached = await refuse(pacing, { 'retry-after': '60' });
		expect(reached).toMatchObject({ resetsAt: Date.now() + 60 * seconds });
		// An answer to a request that was sent before does not change it.
		pacing.settle({});
		pacing.allowed();
		await pass(55 * seconds - 1);
		const before = ask(pacing);
		await pass(0);
		expect(before.turn).toBe(reached);
		await pass(1);
		expect(await letThrough(pacing, 1)).toBe(1);
	});

	it('without a moment is given up when all guesses together exceed what may be waited for', async () => {
		const pacing = new Pacing(1200);
		expect(await refuse(pacing)).toBeUndefined();
		await pass(500);
		const reached = await refuse(pacing);
		expect(reached).toMatchObject({ resetsAt: undefined });
		await pass(3600 * seconds);
		const later = ask(pacing);
		await pass(0);
		expect(later.turn).toBe(reached);
		// Another request, sent before, was allowed after all.
		pacing.allowed();
		expect(await letThrough(pacing, 1)).toBe(1);
	});

	it('is believed after a hundred in a row, although each wait was kept', async () => {
		const pacing = new Pacing(90 * seconds);
		for (let round = 1; round <= 100; round++) {
			expect(await refuse(pacing, { 'retry-after': '1' })).toBeUndefined();
			await pass(1 * seconds);
		}
		expect(await refuse(pacing, { 'retry-after': '1' })).toMatchObject({
			resetsAt: Date.now() + 1 * seconds,
		});
	});
});

describe('cancelling', () => {
	it('ends a wait at once, and lets nothing through afterwards', async () => {
		const cancel = new AbortController();
		const pacing = new Pacing(90 * seconds, cancel.signal);
		await letThrough(pacing, 1);
		pacing.settle(quota(0, 30));
		const waiting = expect(pacing.take()).rejects.toThrow('canceled');
		await pass(1 * seconds);
		cancel.abort(new Error('canceled'));
		await waiting;
		await expect(pacing.take()).rejects.toThrow('canceled');
	});
});
