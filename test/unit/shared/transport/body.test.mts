/** JSON of responses and deliveries. */
import { afterEach, describe, expect, test, vi } from 'vitest';

import { parseJson } from '../../../../nodes/shared/transport/body.ts';

describe('parseJson', () => {
	test.each([
		['{"id":9007199254740993}', { id: '9007199254740993' }],
		['[{"id": -653247040368672768}]', [{ id: '-653247040368672768' }]],
		['[1,\n732822797798539264]', [1, '732822797798539264']],
		[`{"a":{"b":[${'9'.repeat(400)}]}}`, { a: { b: ['9'.repeat(400)] } }],
		['\uFEFF{"id":9007199254740993}', { id: '9007199254740993' }],
	])('returns the digits of a long integer in %s', (text, json) => {
		expect(parseJson(text)).toEqual(json);
	});

	test.each([
		'{"id":9007199254740991,"other":1752000000000000}',
		'[1e21,1.5e300,-0]',
		'[12345678901234567.25,1234567890123456789e3]',
		'["12345678901234567890",": 12345678901234567890"]',
		'{"12345678901234567890":null}',
	])('reads %s as JSON.parse does', (text) => {
		expect(parseJson(text)).toEqual(JSON.parse(text));
	});

	test.each(['', '{', '[01234567890123456789]', '{12345678901234567890:1}', '<html>'])(
		'returns undefined for %j',
		(text) => {
			expect(parseJson(text)).toBeUndefined();
		},
	);

	describe('without the source text of numbers, as in Node.js 20', () => {
		afterEach(() => void vi.restoreAllMocks());

		test('returns null for a long integer', () => {
			const parse = JSON.parse.bind(JSON);
			vi.spyOn(JSON, 'parse').mockImplementation(
				(text, reviver) =>
					parse(text, reviver && ((key, value) => reviver(key, value) as unknown)) as unknown,
			);
			const text = '{"id":9007199254740993,"status":"pending","other":1752000000000000}';
			const json = { id: null, status: 'pending', other: 1_752_000_000_000_000 };
			expect(parseJson(text)).toEqual(json);
		});
	});
});
