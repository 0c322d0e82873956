/** Formats of times that are parsed, from headers and fields, and values that aren't. */
import { expect, test } from 'vitest';

import { isAfter, parseEpochSeconds, parseTimestamp } from '../../../../nodes/shared/utils/time.ts';

const moment = Date.parse('2026-07-01T12:00:30Z');

test.each([
	['1782907230', 'epoch seconds'],
	['1782907230000', 'epoch milliseconds'],
	['60', 'seconds from now'],
	['2026-07-01T12:00:30Z', 'ISO 8601'],
	['2026-07-01T14:00:30.000+02:00', 'with an offset'],
	['2026-07-01T12:00:30+00', 'with an offset of hours'],
	['2026-07-01 07:00:30-05', 'with an offset of hours, and a blank'],
	['2026-07-01T17:30:30.000+0530', 'with an offset without a colon'],
	['2026-07-01 12:00:30+0000', 'with an offset without a colon, and a blank'],
	['2026-07-01 14:00:30+02:00', 'with an offset, and a blank'],
	['2026-07-01 12:00:30z', 'with a zone in lower case'],
	['Wed, 01 Jul 2026 12:00:30 GMT', 'HTTP-date'],
])('parses %s: %s', (text) => {
	expect(parseTimestamp(text, moment - 60_000)).toBe(moment);
});

test.each([
	...[undefined, '', '-1', '1e9', 'soon', '2026', '2026-13-01', 'July 2026', '9'.repeat(65)],
	...[
		'2026-07-01',
		'2026-07-01 12:00:30',
		'2026-07-01T12:00:30+1',
		'2026-07-01T12:00:30+000',
		'2026-07-01T12:00:30+25:00',
	],
])("doesn't parse %j as a time, or not as a relative one", (text) => {
	const read = parseTimestamp(text, 0) ?? 0;
	expect(read === 0 || text === '2026').toBe(true);
	expect(parseEpochSeconds(text)).toBeUndefined();
});

test("doesn't parse a field with a number below three years, or of the year 1970", () => {
	for (const value of [0, 2026, '1970-01-01T00:00:00Z', '0001-01-01T00:00:00Z', null, {}]) {
		expect(parseEpochSeconds(value)).toBeUndefined();
	}
	expect(parseEpochSeconds(1_782_907_230_900)).toBe(1_782_907_230);
});

test('times that differ by a second are equal, rounded', () => {
	expect([isAfter(12, 10), isAfter(11, 10), isAfter(undefined, 1)]).toEqual([true, false, false]);
});
