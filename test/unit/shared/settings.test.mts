import fc from 'fast-check';
import type { IExecuteFunctions, INodeProperties, IPollFunctions } from 'n8n-workflow';
import { NodeOperationError } from 'n8n-workflow';
import { expect, test } from 'vitest';

import { Settings } from '../../../nodes/shared/settings.ts';

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

/** The settings of item 3, with this value as parameter and as option of the same name. */
function settingsWith(value: unknown): Settings {
	const parameters: Record<string, unknown> = { field: value, options: { field: value } };
	return Settings.ofItems({
		getNode: () => ({ name: 'Node', type: 'test', typeVersion: 1, parameters: {} }),
		getNodeParameter: (name: string, _item: number, byDefault: unknown) =>
			name in parameters ? parameters[name] : byDefault,
	} as unknown as IExecuteFunctions)(3);
}

/** Reads the value as a parameter and as an option; both must agree. */
function read<Result>(value: unknown, how: (settings: Settings) => Result): Result {
	const settings = settingsWith(value);
	const result = how(settings);
	expect(how(settings.collection())).toEqual(result);
	return result;
}

function refusal(value: unknown, how: (settings: Settings) => unknown): NodeOperationError {
	const attempts = [settingsWith(value), settingsWith(value).collection()].map((settings) => {
		try {
			how(settings);
			return undefined;
		} catch (error) {
			return error as NodeOperationError;
		}
	});
	for (const error of attempts) {
		expect(error).toBeInstanceOf(NodeOperationError);
		expect(error?.context.itemIndex).toBe(3);
		expect(error?.message).toContain('"The Field"');
		expect(error?.description).toContain('Item index: 3.');
	}
	expect(attempts[0]?.description).not.toContain('remove the option');
	expect(attempts[1]?.description).toContain('or remove the option to use');
	return attempts[0] as NodeOperationError;
}

test.each([
	[1, 1],
	[1000, 1000],
	['100', 100],
	[' 100 ', 100],
	['007', 7],
])('the number %j is read', (value, number) => {
	expect(read(value, (settings) => settings.number(whole))).toBe(number);
});

test('a fraction is read where it is allowed, and 0 is never -0', () => {
	expect(read(0.5, (settings) => settings.number(seconds))).toBe(0.5);
	expect(
		Object.is(
			read(-0, (settings) => settings.number(seconds)),
			0,
		),
	).toBe(true);
});

test.each([
	[[5], 'a list of 1 entries'],
	[{ value: 5 }, 'an object'],
	[true, 'true'],
	[NaN, 'the number NaN'],
	[10n, 'a bigint'],
])('what was received is described in words: %s', (value, words) => {
	const { message } = refusal(value, (settings) => settings.number(whole));
	expect(message).toBe(`"The Field" cannot be read: received ${words}`);
});

test.each([0, -1, 1001, 1.5, '0', '1001', 1e300])('%s is out of range', (value) => {
	const { message, description } = refusal(value, (settings) => settings.number(whole));
	expect(message).toMatch(/^"The Field" is out of range: received /);
	expect(description).toContain('a whole number from 1 to 1000');
});

test.each([null, undefined, '', '  '])('%j is empty for every type', (value) => {
	for (const how of [
		(settings: Settings) => settings.number(whole),
		(settings: Settings) => settings.boolean(flag),
		(settings: Settings) => settings.choice(choice),
		(settings: Settings) => settings.choices(choices),
		(settings: Settings) => settings.text(text),
	]) {
		const { message } = refusal(value, how);
		expect(message).toBe('"The Field" is empty');
	}
});

test.each([
	[true, true],
	[false, false],
	['true', true],
	['FALSE', false],
	[' True ', true],
])('%j is a boolean', (value, expected) => {
	expect(read(value, (settings) => settings.boolean(flag))).toBe(expected);
});

test.each(['yes', 'no', '1', 1, 0, [], {}, [true]])('%j is no boolean', (value) => {
	refusal(value, (settings) => settings.boolean(flag));
});

test('a choice is one of the choices', () => {
	expect(read(' two ', (settings) => settings.choice(choice))).toBe('two');
	for (const value of ['three', 'One', 2, ['one'], {}, true]) {
		const { description } = refusal(value, (settings) => settings.choice(choice));
		expect(description).toContain('one of one, two');
	}
});

test('choices are a list of them', () => {
	expect(read(['two'], (settings) => settings.choices(choices))).toEqual(['two']);
	for (const value of ['two', [], ['two', 'three'], [['two']], [null], { two: true }, true]) {
		refusal(value, (settings) => settings.choices(choices));
	}
});

test('a text is a text or a number', () => {
	expect(read(' a b ', (settings) => settings.text(text))).toBe('a b');
	expect(read(42, (settings) => settings.text(text))).toBe('42');
	for (const value of [true, NaN, 2 ** 53, 1.5, [], ['a'], {}]) {
		refusal(value, (settings) => settings.text(text));
	}
});

test('what was not added has its default, at any place', () => {
	const settings = Settings.ofNode({
		getNode: () => ({ name: 'Node', type: 'test', typeVersion: 1, parameters: {} }),
		getNodeParameter: (_name: string, byDefault: unknown) => byDefault,
	} as unknown as IPollFunctions);
	for (const place of [settings, settings.collection()]) {
		expect(place.number(whole)).toBe(7);
		expect(place.boolean(flag)).toBe(true);
		expect(place.choice(choice)).toBe('one');
		expect(place.has(whole)).toBe(false);
	}
	expect(settingsWith(1).collection().has(whole)).toBe(true);
});

test('a parameter without an expression is the same for all items, and one with an expression is read for each', () => {
	const parameters = {
		fixed: 'a',
		expression: '={{ $itemIndex }}',
		options: { field: { deep: ['={{ $itemIndex }}'] } },
	};
	const reads: string[] = [];
	const settingsOf = Settings.ofItems({
		getNode: () => ({ name: 'Node', type: 'test', typeVersion: 1, parameters }),
		getNodeParameter(name: keyof typeof parameters, itemIndex: number) {
			reads.push(name);
			return name === 'fixed' ? 'a' : name === 'options' ? { field: itemIndex } : itemIndex;
		},
	} as unknown as IExecuteFunctions);
	const named = (name: string) => field({ name, type: 'string', default: '' });
	const read = [0, 1, 2].map((itemIndex) => {
		const settings = settingsOf(itemIndex);
		const ofCollection = settings.collection().number(seconds);
		return [settings.text(named('fixed')), settings.text(named('expression')), ofCollection];
	});
	expect(read).toEqual([
		['a', '0', 0],
		['a', '1', 1],
		['a', '2', 2],
	]);
	expect(reads.filter((name) => name === 'fixed').length).toBe(1);
});

test.each([null, 'text', [], 5])('a collection that is %j is refused', (value) => {
	const settings = Settings.ofItems({
		getNode: () => ({ name: 'Node', type: 'test', typeVersion: 1, parameters: {} }),
		getNodeParameter: () => value,
	} as unknown as IExecuteFunctions)(0);
	expect(() => settings.collection()).toThrow('"Options"');
});

const almostNumbers = fc.oneof(
	fc.stringMatching(/^[\d.,+\-ex ]{1,6}$/),
	fc.constantFrom('1,000', '0x10', '100 credits', '١٠', 'Infinity', 'NaN'),
	fc.integer({ min: -5, max: 1005 }),
);

test('whatever comes, it is a whole number in range, also as digits, or refused in a short message', () => {
	const anything = fc.anything({ withBigInt: true, withDate: true, withNullPrototype: true });
	fc.assert(
		fc.property(fc.oneof(anything, almostNumbers), (value) => {
			const isWritten = typeof value === 'string' && /^\s*\d+\s*$/.test(value);
			const number = isWritten || Number.isInteger(value) ? Number(value) : NaN;
			if (number >= 1 && number <= 1000) {
				expect(settingsWith(value).number(whole)).toBe(number);
				return;
			}
			const { message } = refusal(value, (settings) => settings.number(whole));
			expect(message).toMatch(
				/^"The Field" (is empty$|(cannot be read|is out of range): received )/,
			);
			expect(message.length).toBeLessThan(160);
		}),
		{ numRuns: 500 },
	);
});

test.each([
	['Asia/Tokyo', '2026-07-01T03:00:00Z'],
	['America/New_York', '2026-07-01T16:00:00Z'],
])(
	'a moment without a zone is in that of the workflow (%s), whichever workflow was the last to run',
	(timeZone, moment) => {
		const context = {
			getNode: () => ({ name: 'Node', type: 'test', typeVersion: 1, parameters: {} }),
			getNodeParameter: () => '2026-07-01T12:00:00',
			getTimezone: () => timeZone,
		} as unknown as IExecuteFunctions;
		expect(Settings.ofItems(context)(0).moment(text)).toBe(Date.parse(moment));
	},
);
