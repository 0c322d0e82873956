/** Valid and invalid values of parameters. */
import type { INodeProperties } from 'n8n-workflow';
import { NodeOperationError } from 'n8n-workflow';
import { expect, test } from 'vitest';

import { ParameterReader } from '../../../../nodes/shared/parameters/parameterReader.ts';

const field = (properties: Partial<INodeProperties>): INodeProperties => ({
	displayName: 'The Field',
	name: 'field',
	type: 'number',
	default: 7,
	...properties,
});
const whole = field({ typeOptions: { minValue: 1, maxValue: 1000, numberPrecision: 0 } });
const seconds = field({ typeOptions: { minValue: 0 } });
const flag = field({ type: 'boolean', default: true });
const choice = field({
	type: 'options',
	default: 'one',
	options: [
		{ name: 'One', value: 'one' },
		{ name: 'Two', value: 'two' },
	],
});
const choices = { ...choice, type: 'multiOptions' as const };
const text = field({ type: 'string', default: '', required: true });

/** Creates the part of n8n's context that the parameter reader uses. */
function createContext(getNodeParameter: unknown, parameters: object = {}, timeZone = 'UTC') {
	const node = { name: 'Node', type: 'test', typeVersion: 1, parameters };
	return { getNode: () => node, getNodeParameter, getTimezone: () => timeZone } as never;
}

/**
 * Creates the parameters of item 3, with this value as parameter and as option of the same name.
 */
function parametersWith(value: unknown, timeZone?: string): ParameterReader {
	const given: Record<string, unknown> = { field: value, options: { field: value } };
	const parameter = (name: string, _item: number, byDefault: unknown) =>
		name in given ? given[name] : byDefault;
	return ParameterReader.forItems(createContext(parameter, {}, timeZone))(3);
}

/** Reads the value as a parameter and as an option; both must agree. */
function read<Result>(value: unknown, method: (settings: ParameterReader) => Result): Result {
	const settings = parametersWith(value);
	const result = method(settings);
	expect(method(settings.collection())).toEqual(result);
	return result;
}

function getError(read: () => unknown): NodeOperationError | undefined {
	try {
		read();
	} catch (error) {
		return error as NodeOperationError;
	}
	return undefined;
}

/** Returns the error for this value, which must be equal for parameter and option. */
function getValidationError(
	value: unknown,
	method: (settings: ParameterReader) => unknown,
): NodeOperationError {
	const settings = parametersWith(value);
	const [parameterError, optionError] = [settings, settings.collection()].map((place) =>
		getError(() => method(place)),
	);
	for (const error of [parameterError, optionError]) {
		expect(error).toBeInstanceOf(NodeOperationError);
		expect(error?.context.itemIndex).toBe(3);
		expect(error?.message).toMatch(/^'The Field' .+ \[item 3\]$/);
		expect(error?.description).toMatch(/No request was sent for this item\.$/);
	}
	expect(parameterError?.description).not.toContain('remove the option');
	expect(optionError?.description).toMatch(/ remove the option( to use (?!"")|\.)/);
	return parameterError as NodeOperationError;
}

const readers = {
	number: (settings: ParameterReader) => settings.number(whole),
	seconds: (settings: ParameterReader) => settings.number(seconds),
	boolean: (settings: ParameterReader) => settings.boolean(flag),
	choice: (settings: ParameterReader) => settings.option(choice),
	choices: (settings: ParameterReader) => settings.multiOptions(choices),
	text: (settings: ParameterReader) => settings.string(text),
};
type Kind = keyof typeof readers;

test.each<[Kind, value: unknown, result: unknown]>([
	['number', 1, 1],
	['number', '100', 100],
	['seconds', 0.5, 0.5],
	['boolean', false, false],
	['boolean', 'FALSE', false],
	['boolean', ' True ', true],
	['choice', ' two ', 'two'],
	['choices', ['two'], ['two']],
	['text', ' a b ', 'a b'],
	['text', 42, '42'],
	['number', '\u200f100\u200f', 100],
	['boolean', '\u200btrue\u00a0', true],
	['choice', 'two\ufeff', 'two'],
	['choices', ['\u2060two '], ['two']],
	['text', '\u200fHealth ❤️\u200f ', 'Health ❤️'],
	['text', '👩‍🌾 🏴󠁧󠁢󠁳󠁣󠁴󠁿', '👩‍🌾 🏴󠁧󠁢󠁳󠁣󠁴󠁿'],
	['text', '\ufe0f\u200dtea\u200d\ufe0f', 'tea'],
	['text', ' می\u200cخواهم\u200c\u200b', 'می\u200cخواهم\u200c'],
	['text', 'ﬁsh', 'ﬁsh'],
])('as %s, %j becomes %j', (kind, value, result) => {
	expect(read<unknown>(value, readers[kind])).toEqual(result);
});

test('reads a parameter once for all items, or per item if it has an expression', () => {
	const parameters = {
		fixed: 'a',
		expression: '={{ $itemIndex }}',
		options: { none: null, field: { deep: ['={{ $itemIndex }}'] } },
	};
	const reads: string[] = [];
	const parameter = (name: keyof typeof parameters, itemIndex: number) => {
		reads.push(name);
		return name === 'fixed' ? 'a' : name === 'options' ? { field: itemIndex } : itemIndex;
	};
	const getParameters = ParameterReader.forItems(createContext(parameter, parameters));
	const named = (name: string) => field({ name, type: 'string', default: '' });
	const read = [0, 1, 2].map((itemIndex) => {
		const settings = getParameters(itemIndex);
		const fromCollection = settings.collection().number(seconds);
		return [settings.string(named('fixed')), settings.string(named('expression')), fromCollection];
	});
	expect(read).toEqual([
		['a', '0', 0],
		['a', '1', 1],
		['a', '2', 2],
	]);
	expect(reads.filter((name) => name === 'fixed').length).toBe(1);
});

test('splits a list of words at any separator', () => {
	for (const separator of ',;、،؛，；﹐､\u07f8|｜"“”\t\n\v\f\r\u0085\u2028\u2029') {
		expect(parametersWith(` a b ${separator}${separator}c`).list(text)).toEqual(['a b', 'c']);
	}
	expect(parametersWith('\u200fﬁsh ❤️\u200f، b').list(text)).toEqual(['ﬁsh ❤️', 'b']);
	expect(() => parametersWith(' , ').collection().list(text)).toThrow("'The Field' is empty");
});

const several = field({ type: 'multiOptions', default: [] });
test.each<[value: unknown, entries: string[]]>([
	[
		['https://a.example', 'https://b.example'],
		['https://a.example', 'https://b.example'],
	],
	[['a.example, b.example/x'], ['a.example', 'b.example/x']],
	['https://a.example, site_1', ['https://a.example', 'site_1']],
	[['', 'a.example'], ['a.example']],
	[[17], ['17']],
])('reads %j in a field for several sites as %j', (value, entries) => {
	expect(read<unknown>(value, (settings) => settings.list(several))).toEqual(entries);
});

const wholeNumber = 'must be a whole number from 1 to 1000';
test.each<[Kind, value: unknown, headline: string, received: string]>([
	['text', undefined, 'is empty', 'Enter text.'],
	['number', '', 'is empty', 'Enter a whole number from 1 to 1000.'],
	['number', [5], wholeNumber, 'Received a list of 1 entries.'],
	['number', '1,000', wholeNumber, 'Received the text “1,000”.'],
	['number', true, wholeNumber, 'Received true.'],
	['number', 1001, wholeNumber, 'Received the number 1001.'],
	['number', 1.5, wholeNumber, 'Received the number 1.5.'],
	['seconds', -1, 'must be a number of 0 or more', 'Received the number -1.'],
	['boolean', 'yes', 'must be true or false', 'Received the text “yes”.'],
	['boolean', 1, 'must be true or false', 'Received the number 1.'],
	['choice', 'three', 'must be one of its options', 'Its options are one, two.'],
	['choices', [], 'must be a list of one or more of its options', 'Received a list of 0 entries.'],
	['text', 2 ** 53, 'must be text', 'Received the number 9007199254740992.'],
	['text', {}, 'must be text', 'Received an object.'],
])('as %s, %j is rejected, as a parameter and as an option', (kind, value, headline, received) => {
	const { message, description } = getValidationError(value, readers[kind]);
	expect(message).toBe(`'The Field' ${headline} [item 3]`);
	expect(description).toContain(received);
});

test('trims invisible characters, and names one inside the text', () => {
	expect(read<unknown>('\u200b zwsp.example \u2060', readers.text)).toBe('zwsp.example');
	const settings = parametersWith('zw\u200bsp.example');
	const error = getError(() => {
		throw settings.invalid(text, 'zw\u200bsp.example', 'a URL');
	});
	expect(error?.description).toContain(
		'“zwsp.example”, which contains the invisible character U+200B',
	);
});

test.each([
	['Asia/Tokyo', '2026-07-01T03:00:00Z'],
	['America/New_York', '2026-07-01T16:00:00Z'],
])(
	"parses a time without a zone in the workflow's zone (%s), after any other workflow",
	(timeZone, moment) => {
		const settings = parametersWith('2026-07-01T12:00:00', timeZone);
		expect(settings.dateTime(text)).toBe(Date.parse(moment));
	},
);

const noon = '2026-07-01T12:00:00.000Z';

test.each<[value: unknown, expected: string]>([
	['2026-07-01', '2026-07-01T00:00:00.000Z'],
	['2028-02-29', '2028-02-29T00:00:00.000Z'],
	[noon, noon],
	['2026-07-01 12:00', noon],
	['2026-07-01T06:30:00-05:30', noon],
	[Date.parse(noon), noon],
	[Date.parse(noon) / 1000, noon],
	[` ${Date.parse(noon) / 1000} `, noon],
	['2026-07-01T14:00:00.000+02', noon],
	[new Date(noon), noon],
])('parses %j as the time %s', (value, expected) => {
	const time = read(value, (settings) => settings.dateTime(text));
	expect(new Date(time).toISOString()).toBe(expected);
});

test.each([
	...['2026-02-30', '20260230', '2026-13-01', '2026-00-01', '2026-07-00', '2026-02-29'],
	...['2026-07', '20260701', '2026-W27-3', '2026-182', '2026-07-01T12', '2026-07-01T24:00'],
	...['2026-07-01T25:00', '2026-07-01T12:60', '2026-07-01T', '2026-0701', '0026-07-01'],
	...['2026', '7/1/2026', '1 July 2026', 'yesterday', 'Wed, 01 Jul 2026 12:00:30 GMT', '', ' '],
	...[true, null, [], {}, 5, -1_783_000_000, NaN],
])('rejects %j as a time', (value) => {
	expect(() => parametersWith(value).dateTime(text)).toThrow(/^'The Field' /);
});

test('an error about a resource locator never shows its internal default', () => {
	for (const type of ['resourceLocator', 'string'] as const) {
		const locator = field({ type, default: { mode: 'list', value: '' } });
		const description = getError(() =>
			parametersWith(true).collection().string(locator),
		)?.description;
		expect(description).toMatch(/You can also remove the option\. No request/);
	}
});
