/** Moments, in whatever form somebody writes them. */
import fc from 'fast-check';
import { expect, it, test } from 'vitest';

import { isLater, readFieldTime, readMoment } from '../../../nodes/shared/time.ts';

const now = Date.parse('2026-07-01T12:00:00.250Z');
const inHalfAMinute = Date.parse('2026-07-01T12:00:30Z');

test.each([
	['delta seconds', '30', now + 30_000],
	['delta seconds with a fraction', '1.5', now + 1500],
	['epoch seconds', String(inHalfAMinute / 1000), inHalfAMinute],
	['epoch milliseconds', String(inHalfAMinute), inHalfAMinute],
	['epoch microseconds', `${inHalfAMinute}000`, inHalfAMinute],
	['epoch nanoseconds', `${inHalfAMinute}000000`, inHalfAMinute],
	['ISO 8601', '2026-07-01T12:00:30Z', inHalfAMinute],
	['HTTP-date', 'Wed, 01 Jul 2026 12:00:30 GMT', inHalfAMinute],
	['HTTP-date of RFC 850', 'Wednesday, 01-Jul-26 12:00:30 GMT', inHalfAMinute],
	['HTTP-date of asctime', 'Wed Jul  1 12:00:30 2026', inHalfAMinute],
	['ISO 8601 without a zone', '2026-07-01T12:00:30', inHalfAMinute],
	['a comment behind the zone', 'Wed Jul 01 2026 14:00:30 GMT+0200 (CEST)', inHalfAMinute],
	['ISO 8601 in lower case', '2026-07-01t12:00:30z', inHalfAMinute],
	['ISO 8601 with a short offset', '2026-07-01T14:00:30+02', inHalfAMinute],
	['SQL', '2026-07-01 12:00:30 UTC', inHalfAMinute],
	['RFC 2822 with the name of a zone', 'Wed, 1 Jul 2026 08:00:30 EDT', inHalfAMinute],
	['RFC 2822 without a zone', '1 Jul 2026 12:00:30', inHalfAMinute],
	['blanks around it', ' 30 ', now + 30_000],
])('a moment is read from %s', (_, text, moment) => {
	expect(readMoment(text, now)).toBe(moment);
});

test.each([
	...[undefined, '', '  ', '-5', '1e3', 'NaN', '30s', '1'.repeat(65)],
	...['soon', 'July', '1 Jul', '1 Nil 2026 12:00:00 +0000', '(x) Wed, 01 Jul 2026 12:00:30 GMT'],
	...['20260701Z', '20260701T', '20261301T120000Z', '20260701T250000Z'],
	...['2026-13-01T12:00:00Z', '2026-07-01T12:00:00Z tomorrow'],
])('what is no moment is left out: %s', (text) => {
	expect(readMoment(text, now)).toBeUndefined();
});

test.each([
	['2026-07-01 14:00+02', 60],
	[' 2026-07-01 14:00 +02:00 ', 60],
	['2026-07-01T07:00-0500', 60],
	['2026-07-01 12:00:00,5', 1],
	['2026/07/01 12:00:00 UTC', 1],
	['20260701T1200Z', 60],
	['1 Jul 2026 12:00 +0000', 60],
	['Wed, 1 Jul 2026 14:00:00 +0200 (CEST)', 1],
] as const)('a field tells the moment %s, and how exactly', (text, precision) => {
	expect(readFieldTime(text)).toEqual({ seconds: Date.UTC(2026, 6, 1, 12) / 1000, precision });
});

test.each([
	...[17, '17', true, ['1782907200'], { toString: null }],
	...[0, '0001-01-01T00:00:00Z', '1899-12-30', '1970-01-01 00:00', '1970-01-02'],
	...['9999-12-31', '9999-12-31T23:59:59.999Z'],
])('%j is the moment of no field', (value) => {
	expect(readFieldTime(value)).toBeUndefined();
});

const days = ['Sun', 'Mon', 'Tue', 'Wed', 'Thu', 'Fri', 'Sat'];
const months = 'Jan Feb Mar Apr May Jun Jul Aug Sep Oct Nov Dec'.split(' ');

/** A moment as RFC 2822 and the two forms of ISO 8601 write it, by a clock that many minutes before or behind UTC. */
function written(moment: number, minutesAhead: number): string[] {
	const local = new Date(moment + minutesAhead * 60_000);
	const two = (number: number) => String(Math.abs(number)).padStart(2, '0');
	const sign = minutesAhead < 0 ? '-' : '+';
	const [hours, minutes] = [Math.trunc(minutesAhead / 60), minutesAhead % 60].map(two);
	const basic = `${sign}${hours}${minutes}`;
	const extended = local.toISOString().slice(0, 19);
	const day = `${local.getUTCDate()} ${months[local.getUTCMonth()]} ${local.getUTCFullYear()}`;
	const mail = `${day} ${extended.slice(11)} ${basic}`;
	return [
		`${extended}${sign}${hours}:${minutes}`,
		`${extended.replaceAll(/[-:]/g, '')}${basic}`,
		`${extended.replaceAll(/[-:]/g, '')}.000${basic}`,
		mail,
		`${days[local.getUTCDay()]}, ${mail}`,
	];
}

test('any moment is read as what was written, in ISO 8601, basic or extended, and as in mail', () => {
	fc.assert(
		fc.property(
			fc.integer({ min: 1e8, max: 1e11 - 1e5 }),
			fc.integer({ min: -14 * 60, max: 14 * 60 }),
			(seconds, minutesAhead) => {
				for (const text of written(seconds * 1000, minutesAhead)) {
					expect([text, readMoment(text, now)]).toEqual([text, seconds * 1000]);
					expect([text, readFieldTime(text)]).toEqual([text, { seconds, precision: 1 }]);
				}
			},
		),
	);
});

test('digits alone are a number, also where they look like a date', () => {
	const digits = fc.oneof(
		fc.integer({ min: 1e8, max: 1e11 - 1e5 }).map((seconds) => {
			const [, basic = ''] = written(seconds * 1000, 0);
			return basic.slice(0, 8);
		}),
		fc.integer({ min: 0, max: 99_999_999 }).map(String),
	);
	fc.assert(
		fc.property(digits, (text) => {
			expect(readMoment(text, now)).toBe(now + Number(text) * 1000);
			expect(readFieldTime(text)).toBeUndefined();
		}),
	);
	// The year 2026 in no form: a moment in milliseconds.
	expect(readMoment('20261123124934', now)).toBe(20_261_123_124_934);
});

test('any text is read without a throw, as a moment or as nothing', () => {
	fc.assert(
		fc.property(
			fc.oneof(fc.string({ maxLength: 100 }), fc.stringMatching(/^\d{16,64}$/)),
			(text) => {
				const moment = readMoment(text, now);
				return moment === undefined || !Number.isNaN(new Date(moment).getTime());
			},
		),
	);
});

it.each([
	[17, 17, false],
	[18, 17, false],
	[19, 17, true],
	[17, 19, false],
	[undefined, 17, false],
	[17, undefined, false],
])('whether %s is later than %s, where a second may be rounded: %s', (one, other, expected) => {
	expect(isLater(one, other)).toBe(expected);
});
