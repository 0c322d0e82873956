/** What the headers say of the limit and of the service's clock, and which wait follows from those of a 429. */
import fc from 'fast-check';
import { expect, test } from 'vitest';

import {
	readQuota,
	ServiceClock,
	waitAfterLimit,
} from '../../../../nodes/shared/service/rateLimit.ts';
import { steadyNow } from '../../../../nodes/shared/time.ts';

const now = Date.parse('2026-07-01T12:00:00.250Z');

test('the quota is what both headers say; what cannot be read is left out', () => {
	const reset = { 'x-ratelimit-reset': '30' };
	expect(readQuota({ 'x-ratelimit-remaining': '12', ...reset }, now)).toEqual({
		remaining: 12,
		resetsAt: now + 30_000,
	});
	expect(readQuota({ 'x-ratelimit-remaining': '12, 12', ...reset }, now)).toEqual({
		resetsAt: now + 30_000,
	});
	expect(readQuota({ 'x-ratelimit-remaining': '-1' }, now)).toEqual({});
	expect(readQuota({}, now)).toEqual({});
});

test('after a 429 the wait is what the service asks: the later of Retry-After and the reset', () => {
	const named = (milliseconds: number) => ({ milliseconds, isNamed: true });
	const wait = (headers: Record<string, string>) => waitAfterLimit(headers, now, 1);
	expect(wait({ 'retry-after': '7' })).toEqual(named(7000));
	expect(wait({ 'x-ratelimit-reset': '30' })).toEqual(named(30_000));
	expect(wait({ 'retry-after': '7', 'x-ratelimit-reset': '30' })).toEqual(named(30_000));
	expect(wait({ 'retry-after': '40', 'x-ratelimit-reset': '30' })).toEqual(named(40_000));
	expect(wait({ 'retry-after': '0', 'x-ratelimit-reset': '30' })).toEqual(named(30_000));
	const past = String(now - 60_000);
	expect(wait({ 'retry-after': '7', 'x-ratelimit-reset': past })).toEqual(named(7000));
});

test('without a moment, or with one that has passed, the wait is a guess that grows up to a minute', () => {
	const waits = (headers: Record<string, string>) =>
		[1, 2, 3, 8, 50].map((inARow) => {
			const { milliseconds, isNamed } = waitAfterLimit(headers, now, inARow);
			expect(isNamed).toBe(false);
			return milliseconds;
		});
	expect(waits({})).toEqual([500, 1000, 2000, 60_000, 60_000]);
	expect(waits({ 'x-ratelimit-reset': String(now - 60_000) })).toEqual(waits({}));
	expect(waits({ 'retry-after': '0' })).toEqual(waits({}));
	expect(waits({ 'retry-after': 'Sun, 06 Nov 1994 08:49:37 GMT' })).toEqual(waits({}));
});

test('the guess is a reset that was named before, if it is not more than a minute away', () => {
	const guess = (shown: number) => waitAfterLimit({}, now, 1, now + shown);
	expect(guess(60_000)).toEqual({ milliseconds: 60_000, isNamed: false });
	for (const shown of [-1, 0, 60_001]) {
		expect(guess(shown)).toEqual({ milliseconds: 500, isNamed: false });
	}
	expect(waitAfterLimit({ 'retry-after': '7' }, now, 1, now + 60_000).milliseconds).toBe(7000);
});

test.each([
	'',
	'5',
	'2026',
	'soon 12',
	'Fri, 31 Dec 9999 23:59:59 GMT',
	'Thu, 01 Jan 1970 00:00:12 GMT',
])('a Date of "%s" says nothing of the service\'s clock', (date) => {
	const clock = new ServiceClock();
	expect(clock.observe({ headers: { date }, receivedAt: steadyNow() })).toBe(0);
	expect(Math.abs(clock.now() - Date.now())).toBeLessThan(60_000);
});

test("the service's clock is never seen ahead of where it is, so no wait is too short", () => {
	fc.assert(
		fc.property(
			fc.integer({ min: -1e8, max: 1e8 }),
			fc.array(fc.integer({ min: 0, max: 100_000 }), { minLength: 1, maxLength: 30 }),
			(difference, moments) => {
				const clock = new ServiceClock();
				for (const moment of moments) {
					const seenByService = Math.floor((now + moment + difference) / 1000) * 1000;
					const headers = { date: new Date(seenByService).toUTCString() };
					clock.observe({ headers, receivedAt: steadyNow() + moment });
				}
				const ahead = clock.now() - (now + difference);
				return ahead <= 5 && ahead > -1000 - 5;
			},
		),
	);
});
