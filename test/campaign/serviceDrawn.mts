/** The services that random histories meet: every dialect of the sandbox, and every fault of a request. */
import fc from 'fast-check';

import {
	type Dialect,
	dialectNames,
	dialectSettingNames,
	dialectVariants,
	resolveDialect,
} from '../../sandbox/dialects.mts';
import { type Fault, requestFaultKinds } from '../../sandbox/faults.mts';
import { named, rarely, someOf, weighted } from './draw.mts';

/** The settings by which a service can mislead about an accept. */
const misleadingSettings = [
	'acceptAgain',
	'acceptRecord',
	'errorStatus',
	'exchangeList',
	'settlement',
] as const;
/** Settings that show only in events and sites; drawn rarely, because they change nothing about an accept. */
const elsewhere = /^(watchdog|ledgerKey|createSite|signature|signed|hmacKey|wrapper|delivery)/;

const anyVariant = (name: keyof typeof dialectVariants) =>
	named(name, fc.constantFrom<unknown[]>(...dialectVariants[name]));
const weightOf = (name: string) => {
	if (misleadingSettings.some((each) => each === name)) return 12;
	return elsewhere.test(name) ? 2 : 4;
};

const settings = someOf(
	weighted(
		...dialectSettingNames.map((name): [number, ReturnType<typeof anyVariant>] => [
			weightOf(name),
			anyVariant(name),
		]),
		// The worst that a service can do.
		[40, named('acceptAgain', fc.constant('200-charged-again'))],
		[4, named('pageSize', fc.constantFrom(1, 2))],
		// Less than a minute: beyond that nothing is promised (docs/decisions/0003-accept-is-paid-once.md).
		[6, named('listLagSeconds', fc.constantFrom(1, 5, 50))],
		[24, named('balanceLagSeconds', fc.constantFrom(5, 20, 50))],
		[8, named('settlement', fc.constant('later'))],
		[6, named('settlementSeconds', fc.constantFrom(1, 20, 50))],
		[4, named('clockSkewSeconds', fc.constantFrom(-3600, -2, 2, 3600))],
	),
);

/** A plain service or one of those that have a name, with a few settings of its own. */
export const dialect: fc.Arbitrary<Partial<Dialect>> = fc
	.tuple(rarely(fc.constantFrom(...dialectNames)), settings)
	.map(([name, own]) => ({ ...(name !== undefined && differing(name)), ...own }));

const failing = (kinds: Array<Fault['kind']>, ...statuses: number[]) =>
	fc.record(
		{
			times: fc.integer({ min: 1, max: 7 }),
			method: fc.constantFrom('POST', 'GET'),
			path: fc.constantFrom('/api/exchanges', '/api/credits'),
			milliseconds: fc.constantFrom(100, 1500, 8000, 35_000),
			seed: fc.nat({ max: 1000 }),
			kind: fc.constantFrom(...kinds),
			status: fc.constantFrom(...statuses),
		},
		{ requiredKeys: ['kind'] },
	);

const afterCommit: Fault['kind'] = 'error-after-commit';
/** Those of answersDrawn.mts. */
const given: Array<Fault['kind']> = ['answer-before-commit', 'answer-after-commit', 'odd-entries'];
const others = requestFaultKinds.filter((kind) => kind !== afterCommit && !given.includes(kind));

export const fault: fc.Arbitrary<Fault> = fc.oneof(
	failing(others, 400, 403, 404, 408, 409, 422, 429, 500, 503),
	// Not 429: it is the only answer after which the node believes that nothing was carried out, and sends the request again.
	failing([afterCommit], 400, 403, 404, 408, 409, 422, 500, 503),
);

/** The settings in which a named dialect differs from the plain one. */
function differing(name: string): Record<string, unknown> {
	const plain = new Map(Object.entries(resolveDialect(undefined)));
	const entries = Object.entries(resolveDialect(name));
	return Object.fromEntries(entries.filter(([setting, value]) => plain.get(setting) !== value));
}
