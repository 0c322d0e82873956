import fc from 'fast-check';
import { expect, test } from 'vitest';

import {
	dialectNames,
	dialectSettingNames,
	dialectVariants,
	numberSettingNames,
	resolveDialect,
} from '../../sandbox/dialects.mts';
import { requestFaultKinds } from '../../sandbox/faults.mts';
import { answer } from './answersDrawn.mts';
import { examine } from './examine.mts';
import { allMutants, occurrences } from './mutants.mts';
import { dialect, fault } from './serviceDrawn.mts';

/** The whole campaign: npm run test:long -- campaign. */
const histories = 60;

test(
	'in random histories, what the node says and spends agrees with the books of the service',
	{ timeout: 600_000 },
	async () => {
		const examined = await examine(1, histories);
		expect(examined).toMatchObject({ contradiction: undefined, histories });
		expect(examined.paid).toBeGreaterThan(histories);
	},
);

test('every variant of every setting and every named dialect is drawn', () => {
	const drawn = fc.sample(dialect, { seed: 1, numRuns: 20_000 });
	const settings = new Set(
		drawn.flatMap((each) => Object.entries(each).map(([name, value]) => `${name}=${value}`)),
	);
	const variants = dialectSettingNames.flatMap((name) =>
		dialectVariants[name].map((variant) => `${name}=${variant}`),
	);
	expect(variants.filter((variant) => !settings.has(variant))).toEqual([]);
	const numbers = numberSettingNames.filter(
		(name) => new Set(drawn.map((each) => each[name])).size < 3,
	);
	expect(numbers).toEqual([]);
	const wholes = new Set(drawn.map((each) => JSON.stringify(resolveDialect(each))));
	const missing = dialectNames.filter((name) => !wholes.has(JSON.stringify(resolveDialect(name))));
	expect(missing).toEqual([]);
});

test('every fault of a request is drawn, and after the commit every kind of status', () => {
	const drawn = [fault, answer].flatMap((each) => fc.sample(each, { seed: 1, numRuns: 2000 }));
	expect(new Set(drawn.map(({ kind }) => kind))).toEqual(new Set(requestFaultKinds));
	const statuses = drawn.flatMap(({ kind, status }) =>
		kind === 'error-after-commit' ? [status] : [],
	);
	expect(new Set(statuses)).toEqual(new Set([undefined, 400, 403, 404, 408, 409, 422, 500, 503]));
});

test('what the mutants change stands once in the built package', () => {
	const lost = allMutants.filter((mutant) => occurrences(mutant) !== 1).map(({ name }) => name);
	expect(lost).toEqual([]);
});
