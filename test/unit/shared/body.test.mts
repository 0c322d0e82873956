import { Readable } from 'node:stream';

import fc from 'fast-check';
import { expect, test } from 'vitest';

import { parseJson, readBody } from '../../../nodes/shared/body.ts';

test('JSON is read with a byte order mark; anything else is undefined', () => {
	expect(parseJson('\uFEFF{"a":1}')).toEqual({ a: 1 });
	for (const text of ['', '  ', '<html>', '{', 'undefined', '12345678901234567890x', '01']) {
		expect(parseJson(text), text).toBeUndefined();
	}
});

test.each([
	['9007199254740991', 9007199254740991],
	['-9007199254740991', -9007199254740991],
	['9007199254740992', '9007199254740992'],
	['9007199254740993', '9007199254740993'],
	['-9007199254740993', '-9007199254740993'],
	['123456789012345678901234567890', '123456789012345678901234567890'],
	['0.1234567890123456789', Number('0.1234567890123456789')],
	['12345678901234567890.5', Number('12345678901234567890.5')],
	['12345678901234567890e2', Number('12345678901234567890e2')],
	['1e1234567890123456', Infinity],
	['"12345678901234567890"', '12345678901234567890'],
	['"a\\"12345678901234567890"', 'a"12345678901234567890'],
	['"\\\\",'.slice(0, -1), '\\'],
])('a whole number is exact, whatever its size: %s', (json, value) => {
	expect(parseJson(json)).toEqual(value);
	expect(parseJson(`{"id":${json},"b":[ ${json} ,1]}`)).toEqual({ id: value, b: [value, 1] });
});

/** JSON with whole numbers of any size, and what it means: those that fit as numbers, the others digit for digit. */
const exactJson = fc.letrec<{ value: [json: string, meaning: unknown] }>((tie) => ({
	value: fc.oneof(
		{ maxDepth: 4, withCrossShrink: true },
		fc.bigInt({ min: -(10n ** 25n), max: 10n ** 25n }).map((number) => {
			const isSafe = Number.isSafeInteger(Number(number)) && BigInt(Number(number)) === number;
			return [String(number), isSafe ? Number(number) : String(number)] as [string, unknown];
		}),
		fc
			.oneof(
				fc.string(),
				fc.stringMatching(/^["\\:,\d{}[\]]*$/),
				fc
					.double({ noNaN: true, noDefaultInfinity: true })
					.filter((each) => !Number.isInteger(each)),
				fc.boolean(),
			)
			.map((plain) => [JSON.stringify(plain), plain] as [string, unknown]),
		fc
			.array(tie('value'), { maxLength: 4 })
			.map(
				(entries) =>
					[
						`[ ${entries.map(([json]) => json).join(' ,')}]`,
						entries.map(([, meaning]) => meaning),
					] as [string, unknown],
			),
		fc
			.array(fc.tuple(fc.stringMatching(/^[a-z,:[\d]{1,20}$/), tie('value')), { maxLength: 4 })
			.map(
				(fields) =>
					[
						`{${fields.map(([key, [json]]) => `${JSON.stringify(key)}:${json}`).join(', ')}}`,
						Object.fromEntries(fields.map(([key, [, meaning]]) => [key, meaning])),
					] as [string, unknown],
			),
	),
})).value;

test('whatever stands around it, no whole number is rounded and nothing else is changed', () => {
	fc.assert(
		fc.property(exactJson, ([json, meaning]) => {
			expect(parseJson(json)).toEqual(meaning);
		}),
		{ numRuns: 1000 },
	);
});

test('any text is read without a throw, and valid JSON as JSON.parse reads it but for large numbers', () => {
	fc.assert(
		fc.property(fc.string({ maxLength: 200 }), (text) => {
			parseJson(text);
		}),
	);
});

const chunks = (...texts: string[]) => Readable.from(texts.map((text) => Buffer.from(text)));
const minute = 60_000;

test('a body is read whole, with characters that two chunks share', async () => {
	const euro = Buffer.from('€');
	const body = Readable.from([Buffer.from('a'), euro.subarray(0, 1), euro.subarray(1)]);
	expect(await readBody(body, minute)).toEqual({ text: 'a€', isTooLarge: false });
	expect(await readBody(chunks(), minute)).toEqual({ text: '', isTooLarge: false });
});

test('a body beyond the bound is not read to its end, and is not taken for an empty one', async () => {
	let sent = 0;
	const endless = Readable.from(
		(function* () {
			for (;;) {
				sent++;
				yield Buffer.alloc(1000, 'x');
			}
		})(),
		{ highWaterMark: 1 },
	);
	const { text, isTooLarge } = await readBody(endless, minute, 10_000);
	expect(isTooLarge).toBe(true);
	expect(text).toMatch(/^x+$/);
	expect(sent).toBeLessThan(30);
	expect(endless.destroyed).toBe(true);
	expect(await readBody(chunks('x'.repeat(10)), minute, 10)).toMatchObject({ isTooLarge: false });
	expect(await readBody(chunks('x'.repeat(11)), minute, 10)).toMatchObject({ isTooLarge: true });
});

test('a body that does not end in time, or is cut, is an error', async () => {
	const silent = new Readable({ read: () => undefined });
	silent.push(Buffer.from('{"sites":'));
	await expect(readBody(silent, 20)).rejects.toMatchObject({ code: 'ETIMEDOUT' });
	const cut = chunks('{"sites":');
	cut.destroy(Object.assign(new Error('aborted'), { code: 'ECONNRESET' }));
	await expect(readBody(cut, minute)).rejects.toMatchObject({ code: 'ECONNRESET' });
});

test('what n8n puts in the place of an answer, in its evaluations, is read as well', async () => {
	expect(await readBody('{"a":1}', minute)).toEqual({ text: '{"a":1}', isTooLarge: false });
	expect(await readBody({ a: 1 }, minute)).toEqual({ text: '{"a":1}', isTooLarge: false });
	expect(await readBody(5, minute)).toEqual({ text: '5', isTooLarge: false });
	for (const nothing of [undefined, null]) {
		expect(await readBody(nothing, minute)).toEqual({ text: '""', isTooLarge: false });
	}
});
