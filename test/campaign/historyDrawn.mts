/** Random histories, in which everything may occur together. */
import fc from 'fast-check';

import { answer } from './answersDrawn.mts';
import { moment, named, rarely, someOf } from './draw.mts';
import {
	anchors,
	type Execution,
	type History,
	type Kill,
	type Meanwhile,
	offersOfAccount,
	type Options,
	type Rules,
	sites,
	type Step,
} from './history.mts';
import { dialect, fault } from './serviceDrawn.mts';

const options: fc.Arbitrary<Options> = someOf<string, unknown>(
	fc.oneof(
		named('dryRun', fc.constantFrom(false, false, true)),
		named('maxAccepts', fc.integer({ min: 1, max: 3 })),
		named('maxRateLimitWait', fc.constantFrom(0, 5, 90)),
		named('minimumBalance', fc.nat({ max: 60 })),
		named('timeout', fc.constantFrom(1, 5, 30)),
	),
);

const rules: fc.Arbitrary<Rules> = fc.record({
	acceptFrom: fc.constantFrom('anyone' as const, 'anyone' as const, 'listed' as const),
	allowedPartners: fc.constantFrom('', 'tea.example', 'https://tea.example/, spam.example'),
	options: fc.record(
		{
			includeSubdomains: fc.boolean(),
			maxPerDay: fc.integer({ min: 1, max: 3 }),
			refusedAnchorWords: fc.constant('betting, casino'),
			refusedPartners: fc.constantFrom('spam.example', 'blog.tea.example'),
			return: fc.constantFrom('all' as const, 'decisions' as const),
		},
		{ requiredKeys: [] },
	),
	isPublished: fc.boolean(),
});

const offer = fc.oneof(
	{ weight: 12, arbitrary: fc.nat({ max: offersOfAccount - 1 }) },
	{ weight: 1, arbitrary: fc.constant(offersOfAccount) },
);

export const execution: fc.Arbitrary<Execution> = fc.record({
	rules: fc.oneof({ withCrossShrink: true }, fc.constant(undefined), fc.constant(undefined), rules),
	startsAfter: moment,
	worker: fc.nat({ max: 1 }),
	items: fc.array(offer, { minLength: 1, maxLength: 5 }),
	options,
	continues: fc.boolean(),
	tries: fc.constantFrom(1, 1, 2, 3),
	rounds: fc.constantFrom(1, 1, 1, 2),
	canceledAfter: rarely(fc.integer({ min: 0, max: 20_000 })),
});

const meanwhile: fc.Arbitrary<Meanwhile> = fc.record({
	after: moment,
	offer: fc.nat({ max: offersOfAccount - 1 }),
	what: fc.constantFrom('accept', 'publish', 'break', 'earn', 'spend'),
});

const kill: fc.Arbitrary<Kill> = fc.record({
	worker: fc.nat({ max: 1 }),
	steps: fc.integer({ min: 1, max: 40 }),
});

const step: fc.Arbitrary<Step> = fc.oneof(
	{ withCrossShrink: true },
	{
		weight: 8,
		arbitrary: fc.record({
			kind: fc.constant('run' as const),
			// Alone, its figures can be distinguished from those of others.
			executions: fc.oneof(
				{ withCrossShrink: true },
				fc.array(execution, { minLength: 1, maxLength: 1 }),
				fc.array(execution, { minLength: 1, maxLength: 3 }),
			),
			faults: fc.array(fc.oneof(fault, answer), { maxLength: 3 }),
			meanwhile: fc.oneof(
				{ withCrossShrink: true },
				fc.constant<Meanwhile[]>([]),
				fc.array(meanwhile, { maxLength: 2 }),
			),
			kill: rarely(kill),
		}),
	},
	{ weight: 1, arbitrary: fc.constant({ kind: 'restart' as const }) },
	{
		weight: 1,
		arbitrary: fc.record({
			kind: fc.constant('wait' as const),
			milliseconds: fc.constantFrom(1000, 61_000, 3_600_000, 25 * 3_600_000),
		}),
	},
);

export const ofOneKind = (cost: number) => Array.from({ length: offersOfAccount }, () => cost);

export const anyHistory: fc.Arbitrary<History> = fc.record({
	dialect,
	credits: fc.oneof(fc.constant(1000), fc.integer({ min: 0, max: 110 })),
	costs: fc.oneof(
		fc.constantFrom(10, 25).map(ofOneKind),
		fc.array(fc.constantFrom(0, 1, 10, 25), {
			minLength: offersOfAccount,
			maxLength: offersOfAccount,
		}),
	),
	partners: fc.array(
		fc.record({ fromSite: fc.constantFrom(...sites), anchor: fc.constantFrom(...anchors) }),
		{ minLength: offersOfAccount, maxLength: offersOfAccount },
	),
	perMinute: rarely(fc.integer({ min: 3, max: 12 })),
	latencyMilliseconds: fc.constantFrom(0, 20, 400),
	workers: fc.constantFrom(1, 2),
	storeTakes: fc.constantFrom(0, 0, 3, 20),
	steps: fc.array(step, { minLength: 1, maxLength: 4 }),
	randomSeed: fc.nat(),
});
