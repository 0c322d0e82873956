import { expect, test } from 'vitest';

import { describeBody, readError } from '../../../nodes/shared/reading/content.ts';
import { parseJson } from '../../../nodes/shared/service/body.ts';
import { shorten } from '../../../nodes/shared/text.ts';

test('a text becomes one line of at most the given length', () => {
	expect(shorten(' one\n\t two ', 10)).toBe('one two');
	expect(shorten('1234567890', 10)).toBe('1234567890');
	expect(shorten('12345678901', 10)).toBe('123456789…');
	expect(shorten('12345678 01', 10)).toBe('12345678…');
});

test('the documented error body is read, and nothing is made up for another', () => {
	const error = { code: 'insufficient_credits', message: 'You need 10 credits and have 3.' };
	expect(readError({ error })).toEqual(error);
	for (const body of [
		undefined,
		'text',
		{},
		{ error: 'text' },
		{ error: { code: 1, message: 2 } },
	]) {
		expect(readError(body)).toEqual({});
	}
});

test.each([
	[' \n', 'an empty body'],
	[' <html>', 'a web page (HTML), content type "text/html"'],
	['oops <b>', 'text that is not JSON, content type "text/html"'],
	['[1,2]', 'a list of 2 entries'],
	['{"a":1,"b":2}', 'an object with a, b'],
	['{"a":{"b":1},"c":{},"d":[1]}', 'an object with a (b), c (), d'],
	['{"näme\\u0000":1}', 'an object with n?me?'],
	['{}', 'an object with no fields'],
	['42', 'a single number'],
	['null', 'a single null'],
])('a body is described in a line: %s', (text, expected) => {
	const headers = { 'content-type': 'text/html' };
	const response = {
		url: '',
		receivedAt: 0,
		statusCode: 200,
		headers,
		text,
		json: parseJson(text),
	};
	expect(describeBody(response)).toBe(expected);
});
