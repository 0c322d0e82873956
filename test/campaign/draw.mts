/** What random histories are put together from. */
import fc from 'fast-check';

/** A few of many, so that each occurs alone as well as together with others. */
export function someOf<Name extends string, Value>(
	entry: fc.Arbitrary<[Name, Value]>,
): fc.Arbitrary<Partial<Record<Name, Value>>> {
	return fc
		.array(entry, { maxLength: 4 })
		.map((entries) => Object.fromEntries(entries) as Partial<Record<Name, Value>>);
}

export const named = <Name extends string, Value>(name: Name, value: fc.Arbitrary<Value>) =>
	fc.tuple(fc.constant(name), value);

/** Milliseconds after the beginning of a step. */
export const moment = fc.oneof(
	{ weight: 3, arbitrary: fc.constant(0) },
	{ weight: 2, arbitrary: fc.integer({ min: 0, max: 3000 }) },
	{ weight: 1, arbitrary: fc.integer({ min: 0, max: 90_000 }) },
);

export const rarely = <Value,>(value: fc.Arbitrary<Value>): fc.Arbitrary<Value | undefined> =>
	fc.oneof(
		{ withCrossShrink: true },
		{ weight: 9, arbitrary: fc.constant(undefined) },
		{ weight: 1, arbitrary: value },
	);
