/** How a body is read, within bounds, and its JSON, to the digit. */
import { Readable } from 'node:stream';

import fc from 'fast-check';
import { expect, onTestFinished, test, vi } from 'vitest';

import { parseJson, readBody } from '../../../../nodes/shared/service/body.ts';

test('JSON is read with a byte order mark; anything else is undefined', () => {
	expect(parseJson('\uFEFF{"a":1}')).toEqual({ a: 1 });
	expect(parseJson('["\uFEFF"]')).toEqual(['\uFEFF']);
	for (const text of ['', '  ', '<html>', '{', 'undefined', '12345678901234567890x', '01']) {
		expect(parseJson(text), text).toBeUndefined();
	}
});

test('what is nested more deeply than copying can bear is not read', () => {
	const nested = (depth: number) => parseJson('['.repeat(depth) + ']'.repeat(depth));
	expect(nested(201)).toBeDefined();
	expect(nested(202)).toBeUndefined();
});

test.each([
	['9007199254740991', 9007199254740991],
	['9007199254740993', '9007199254740993'],
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

const anyValue = fc.anything({
	maxDepth: 4,
	values: [
		fc.string(),
		fc.stringMatching(/^["\\:,\d{}[\]]*$/),
		fc.double({ noNaN: true, noDefaultInfinity: true, noInteger: true }),
		fc.boolean(),
		fc.bigInt({ min: -(10n ** 25n), max: 10n ** 25n }),
	],
});
const { rawJSON } = JSON as unknown as { rawJSON: (text: string) => unknown };

test('whatever stands around it, no whole number is rounded and nothing else is changed', () => {
	const write = (value: unknown, ofWhole: (number: bigint) => unknown) =>
		JSON.stringify(
			value,
			(_, each: unknown) => (typeof each === 'bigint' ? ofWhole(each) : each),
			1,
		);
	fc.assert(
		fc.property(anyValue, (value) => {
			const json = write(value, (number) => rawJSON(String(number)));
			// Those that fit are numbers, the others texts, digit for digit.
			const meaning = write(value, (number) =>
				Number.isSafeInteger(Number(number)) ? Number(number) : String(number),
			);
			expect(parseJson(json)).toEqual(JSON.parse(meaning));
		}),
		{ numRuns: 1000 },
	);
});

const chunks = (...texts: string[]) => Readable.from(texts.map((text) => Buffer.from(text)));
const minute = 60_000;

test('a body is read whole, with characters that two chunks share, and leaves no timer behind', async () => {
	vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
	onTestFinished(() => void vi.useRealTimers());
	const euro = Buffer.from('€');
	const body = Readable.from([Buffer.from('a'), euro.subarray(0, 1), euro.subarray(1)]);
	expect(await readBody(body, minute)).toEqual({ text: 'a€', isTooLarge: false, size: 4 });
	expect(await readBody(chunks(), minute)).toEqual({ text: '', isTooLarge: false, size: 0 });
	expect(vi.getTimerCount()).toBe(0);
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
	expect(text).toMatch(/^x+…$/);
	expect(sent).toBeLessThan(30);
	expect(endless.destroyed).toBe(true);
	expect(await readBody(chunks('x'.repeat(10)), minute, 10)).toMatchObject({ isTooLarge: false });
	// Not taken for an empty one, which some answers may be.
	const blanks = await readBody(chunks(' '.repeat(11)), minute, 10);
	expect([blanks.text.trim(), blanks.isTooLarge]).toEqual(['…', true]);
});

test('a body that does not end in time, or is cut, is an error', async () => {
	const silent = new Readable({ read: () => undefined });
	silent.push(Buffer.from('{"sites":'));
	await expect(readBody(silent, 20)).rejects.toMatchObject({ code: 'ETIMEDOUT' });
	expect(silent.destroyed).toBe(true);
	const cut = chunks('{"sites":');
	cut.destroy(Object.assign(new Error('aborted'), { code: 'ECONNRESET' }));
	await expect(readBody(cut, minute)).rejects.toMatchObject({ code: 'ECONNRESET' });
});

test('values count, not only their text: two bytes may stand for an object', async () => {
	const objects = `[${'{},'.repeat(100)}{}]`;
	expect((await readBody(chunks(objects), minute)).size).toBeGreaterThan(100 * 64);
	expect(await readBody(chunks(objects), minute, 5000)).toMatchObject({ isTooLarge: true });
	expect(await readBody(chunks('x'.repeat(objects.length)), minute, 5000)).toMatchObject({
		isTooLarge: false,
	});
});

test('what n8n puts in the place of an answer, in its evaluations, is read as well', async () => {
	expect(await readBody('{"a":1}', minute)).toMatchObject({ text: '{"a":1}', isTooLarge: false });
	expect(await readBody({ a: 1 }, minute)).toMatchObject({ text: '{"a":1}', isTooLarge: false });
	expect(await readBody(5, minute)).toMatchObject({ text: '5', isTooLarge: false });
	for (const nothing of [undefined, null]) {
		expect(await readBody(nothing, minute)).toMatchObject({ text: '""', isTooLarge: false });
	}
});
