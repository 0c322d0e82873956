import fc from 'fast-check';
import { expect, test } from 'vitest';

import {
	readMoment,
	readQuota,
	ServiceClock,
	waitAfterLimit,
} from '../../../nodes/shared/rateLimit.ts';

const now = Date.parse('2026-07-01T12:00:00.250Z');
const inHalfAMinute = Date.parse('2026-07-01T12:00:30Z');

test.each([
	['delta seconds', '30', now + 30_000],
	['delta seconds with a fraction', '1.5', now + 1500],
	['zero', '0', now],
	['epoch seconds', String(inHalfAMinute / 1000), inHalfAMinute],
	['epoch milliseconds', String(inHalfAMinute), inHalfAMinute],
	['ISO 8601', '2026-07-01T12:00:30Z', inHalfAMinute],
	['ISO 8601 with milliseconds', '2026-07-01T12:00:30.000Z', inHalfAMinute],
	['ISO 8601 with an offset', '2026-07-01T14:00:30+02:00', inHalfAMinute],
	['HTTP-date', 'Wed, 01 Jul 2026 12:00:30 GMT', inHalfAMinute],
	['HTTP-date of RFC 850', 'Wednesday, 01-Jul-26 12:00:30 GMT', inHalfAMinute],
	['HTTP-date of asctime', 'Wed Jul  1 12:00:30 2026', inHalfAMinute],
	['ISO 8601 without a zone', '2026-07-01T12:00:30', inHalfAMinute],
	['blanks around it', ' 30 ', now + 30_000],
])('a moment is read from %s', (_, text, moment) => {
	expect(readMoment(text, now)).toBe(moment);
});

test.each([undefined, '', '  ', 'soon', '-5', '1e3', 'NaN', '30s', 'July', '1'.repeat(65)])(
	'what is no moment is left out: %s',
	(text) => {
		expect(readMoment(text, now)).toBeUndefined();
	},
);

test('any text is read without a throw, as a moment or as nothing', () => {
	fc.assert(
		fc.property(fc.string({ maxLength: 100 }), (text) => {
			const moment = readMoment(text, now);
			return moment === undefined || Number.isFinite(moment);
		}),
	);
});

test('the quota is what both headers say; what cannot be read is left out', () => {
	const reset = { 'x-ratelimit-reset': '30' };
	expect(readQuota({ 'x-ratelimit-remaining': '12', ...reset }, now)).toEqual({
		remaining: 12,
		resetsAt: now + 30_000,
	});
	expect(readQuota({ 'x-ratelimit-remaining': 'many', ...reset }, now)).toEqual({
		resetsAt: now + 30_000,
	});
	expect(readQuota({ 'x-ratelimit-remaining': '-1' }, now)).toEqual({});
	expect(readQuota({}, now)).toEqual({});
});

test('after a 429 the wait is exactly what the service asks: Retry-After first, then the reset', () => {
	const headers = { 'retry-after': '7', 'x-ratelimit-reset': '30' };
	expect(waitAfterLimit(headers, now, 1)).toBe(7000);
	expect(waitAfterLimit(headers, now, 9)).toBe(7000);
	expect(waitAfterLimit({ 'x-ratelimit-reset': '30' }, now, 1)).toBe(30_000);
});

test('without a moment, or with one that has passed, the wait grows up to a minute', () => {
	const waits = (headers: Record<string, string>) =>
		[1, 2, 3, 8, 50].map((inARow) => waitAfterLimit(headers, now, inARow));
	expect(waits({})).toEqual([500, 1000, 2000, 60_000, 60_000]);
	expect(waits({ 'x-ratelimit-reset': String(now - 60_000) })).toEqual(waits({}));
	expect(waits({ 'retry-after': '0' })).toEqual(waits({}));
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
					clock.observe(new Date(seenByService).toUTCString(), now + moment);
				}
				const ahead = clock.now() - (Date.now() + difference);
				return ahead <= 5 && ahead > -1000 - 5;
			},
		),
	);
});
