/** What random histories are put together from. Wherever something is drawn, a plain value is always the same. */
import fc from 'fast-check';

export type Drawn<From> = From extends fc.Arbitrary<infer Value> ? Value : From;
type Parts<Whole> = { [Name in keyof Whole]: Whole[Name] | fc.Arbitrary<Whole[Name]> };

/** An object of these parts. */
export function object<Whole extends object>(parts: Parts<Whole>): fc.Arbitrary<Whole> {
	const entries = Object.entries(parts).map(([name, part]) => [name, always(part)] as const);
	return fc.record(Object.fromEntries(entries)) as fc.Arbitrary<Whole>;
}

/** An object like those that are drawn, but for these parts. */
export function altered<Whole extends object>(
	whole: fc.Arbitrary<Whole>,
	parts: Partial<Parts<Whole>>,
): fc.Arbitrary<Whole> {
	return fc
		.tuple(whole, object(parts as Parts<Whole>))
		.map(([drawn, others]) => ({ ...drawn, ...others }));
}

/** An object that has some of these parts. */
export function some<Whole extends object>(parts: {
	[Name in keyof Whole]: fc.Arbitrary<Whole[Name]>;
}) {
	return fc.record(parts, { requiredKeys: [] });
}

/** Each as often as its number says; the first is the simplest. */
export function weighted<const Entries extends Array<[weight: number, value: unknown]>>(
	...entries: Entries
): fc.Arbitrary<Drawn<Entries[number][1]>> {
	return fc.oneof(
		{ withCrossShrink: true },
		...entries.map(([weight, value]) => ({ weight, arbitrary: always(value) })),
	) as fc.Arbitrary<Drawn<Entries[number][1]>>;
}

export function rarely<Value>(value: fc.Arbitrary<Value>): fc.Arbitrary<Value | undefined> {
	return weighted([9, undefined], [1, value]);
}

export function list<Value>(of: fc.Arbitrary<Value>, minLength: number, maxLength: number) {
	return fc.array(of, { minLength, maxLength });
}

/** A few of many, so that each occurs alone as well as together with others. */
export function someOf(
	entry: fc.Arbitrary<[string, unknown]>,
): fc.Arbitrary<Record<string, unknown>> {
	return list(entry, 0, 4).map((entries) => Object.fromEntries(entries));
}

export function named(name: string, value: fc.Arbitrary<unknown>): fc.Arbitrary<[string, unknown]> {
	return fc.tuple(fc.constant(name), value);
}

function always(value: unknown): fc.Arbitrary<unknown> {
	return value instanceof fc.Arbitrary ? value : fc.constant(value);
}
