import fc from 'fast-check';
import { expect, it, test } from 'vitest';

import { isLater, readFieldTime, readMoment } from '../../../nodes/shared/time.ts';

const now = Date.parse('2026-07-01T12:00:00.250Z');
const inHalfAMinute = Date.parse('2026-07-01T12:00:30Z');

test.each([
	['delta seconds', '30', now + 30_000],
	['delta seconds with a fraction', '1.5', now + 1500],
	['zero', '0', now],
	['epoch seconds', String(inHalfAMinute / 1000), inHalfAMinute],
	['epoch milliseconds', String(inHalfAMinute), inHalfAMinute],
	['epoch microseconds', `${inHalfAMinute}000`, inHalfAMinute],
	['epoch nanoseconds', `${inHalfAMinute}000000`, inHalfAMinute],
	['ISO 8601', '2026-07-01T12:00:30Z', inHalfAMinute],
	['ISO 8601 with milliseconds', '2026-07-01T12:00:30.000Z', inHalfAMinute],
	['ISO 8601 with an offset', '2026-07-01T14:00:30+02:00', inHalfAMinute],
	['HTTP-date', 'Wed, 01 Jul 2026 12:00:30 GMT', inHalfAMinute],
	['HTTP-date of RFC 850', 'Wednesday, 01-Jul-26 12:00:30 GMT', inHalfAMinute],
	['HTTP-date of asctime', 'Wed Jul  1 12:00:30 2026', inHalfAMinute],
	['ISO 8601 without a zone', '2026-07-01T12:00:30', inHalfAMinute],
	['a comment behind the zone', 'Wed Jul 01 2026 14:00:30 GMT+0200 (CEST)', inHalfAMinute],
	['ISO 8601 in lower case', '2026-07-01t12:00:30z', inHalfAMinute],
	['ISO 8601 with a short offset', '2026-07-01T14:00:30+02', inHalfAMinute],
	['SQL', '2026-07-01 12:00:30 UTC', inHalfAMinute],
	['blanks around it', ' 30 ', now + 30_000],
])('a moment is read from %s', (_, text, moment) => {
	expect(readMoment(text, now)).toBe(moment);
});

test.each([
	undefined,
	'',
	'  ',
	'soon',
	'-5',
	'1e3',
	'NaN',
	'30s',
	'July',
	'2026-13-01T12:00:00Z',
	'2026-07-01T12:00:00Z tomorrow',
	'(x) Wed, 01 Jul 2026 12:00:30 GMT',
	'1'.repeat(65),
])('what is no moment is left out: %s', (text) => {
	expect(readMoment(text, now)).toBeUndefined();
});

test.each([
	['2026-07-01 14:00+02', 60],
	[' 2026-07-01 14:00 +02:00 ', 60],
	['2026-07-01T07:00-0500', 60],
	['2026-07-01 12:00:00,5', 1],
	['2026/07/01 12:00:00 UTC', 1],
] as const)('a field tells the moment %s, and how exactly', (text, precision) => {
	expect(readFieldTime(text)).toEqual({ seconds: Date.UTC(2026, 6, 1, 12) / 1000, precision });
});

test.each([17, '17', true, ['1782907200'], { toString: null }, '1970-01-02', '9999-12-31'])(
	'%j is the moment of no field',
	(value) => {
		expect(readFieldTime(value)).toBeUndefined();
	},
);

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
