/** What a random history consists of: a service, what happens there, and executions that accept offers in n8n. */
import fc from 'fast-check';

import type { Dialect } from '../../sandbox/dialects.mts';
import type { Fault } from '../../sandbox/faults.mts';
import { moment, named, rarely, someOf } from './draw.mts';
import { dialect, fault } from './serviceDrawn.mts';

/** The most offers of a history; a higher number in `items` names an exchange that does not exist. */
const mostOffers = 4;

/** A value of an option: entered in the panel, or what an expression yields. */
export interface OptionValue {
	value: unknown;
	through: 'panel' | 'expression';
	/** Only this item's expression yields it; those of the others yield a plain value. */
	onlyItem?: number;
}

export const optionNames = [
	'checkFirst',
	'dryRun',
	'maxAccepts',
	'maxRateLimitWait',
	'minimumBalance',
	'retryUnconfirmed',
	'timeout',
] as const;
export type OptionName = (typeof optionNames)[number];

/** One execution of a workflow with the action node. */
export interface Execution {
	/** Milliseconds after the step has begun. */
	startsAfter: number;
	/** Numbers of offers. */
	items: number[];
	options: Partial<Record<OptionName, OptionValue>>;
	continues: boolean;
	/** Tries of Retry On Fail; 1 is off. */
	tries: number;
	/** How often the node is called, as in a loop. */
	rounds: number;
	/** Milliseconds after its start; undefined: never. */
	canceledAfter: number | undefined;
}

/** Something that somebody else does with the account. */
export interface Meanwhile {
	after: number;
	offer: number;
	what: 'accept' | 'publish' | 'break' | 'earn' | 'spend';
}

export type Step =
	| {
			kind: 'run';
			executions: Execution[];
			faults: Fault[];
			meanwhile: Meanwhile[];
			/** n8n's process dies this many milliseconds after the step began, and another one takes its place. */
			killedAfter: number | undefined;
	  }
	| { kind: 'restart' }
	| { kind: 'wait'; milliseconds: number };

export interface History {
	dialect: Partial<Dialect>;
	/** Credits at the beginning. */
	credits: number;
	/** Price of each offer. */
	costs: number[];
	/** Requests a minute; undefined: more than are ever sent. */
	perMinute: number | undefined;
	latencyMilliseconds: number;
	steps: Step[];
	/** For the jitter of the node's pauses. */
	randomSeed: number;
}

/** What an expression, an AI agent or an old workflow may put into a field, and what users type. */
const oddValues = [
	'1,000',
	'100 credits',
	'5',
	' 5 ',
	'1e3',
	'-1',
	'',
	' ',
	'true',
	'false',
	'no',
	'NaN',
	'Infinity',
	null,
	undefined,
	-1,
	-0.5,
	2.5,
	1e21,
	Number.NaN,
	Number.POSITIVE_INFINITY,
	true,
	false,
	0,
	1,
	[],
	[5],
	{},
];

function option(readable: fc.Arbitrary<unknown>): fc.Arbitrary<OptionValue> {
	const plain = fc.record({ value: readable, through: fc.constant('panel' as const) });
	const odd = fc.record(
		{
			value: fc.constantFrom(...oddValues),
			through: fc.constantFrom('panel' as const, 'expression' as const),
			onlyItem: fc.nat({ max: 3 }),
		},
		{ requiredKeys: ['value', 'through'] },
	);
	return fc.oneof({ weight: 8, arbitrary: plain }, { weight: 1, arbitrary: odd });
}

const options: fc.Arbitrary<Execution['options']> = someOf(
	fc.oneof(
		named<OptionName, OptionValue>('checkFirst', option(fc.boolean())),
		named<OptionName, OptionValue>('dryRun', option(fc.constantFrom(false, false, true))),
		named<OptionName, OptionValue>('maxAccepts', option(fc.nat({ max: 3 }))),
		named<OptionName, OptionValue>('maxRateLimitWait', option(fc.constantFrom(0, 5, 90))),
		named<OptionName, OptionValue>('minimumBalance', option(fc.nat({ max: 60 }))),
		named<OptionName, OptionValue>('retryUnconfirmed', option(fc.boolean())),
		named<OptionName, OptionValue>('timeout', option(fc.constantFrom(1, 5, 30))),
	),
);

const execution: fc.Arbitrary<Execution> = fc.record({
	startsAfter: moment,
	items: fc.array(
		fc.oneof(
			{ weight: 12, arbitrary: fc.nat({ max: mostOffers - 1 }) },
			{ weight: 1, arbitrary: fc.constant(mostOffers) },
		),
		{ minLength: 1, maxLength: 5 },
	),
	options,
	continues: fc.boolean(),
	tries: fc.constantFrom(1, 1, 2, 3),
	rounds: fc.constantFrom(1, 1, 1, 2),
	canceledAfter: rarely(fc.integer({ min: 0, max: 20_000 })),
});

const meanwhile: fc.Arbitrary<Meanwhile> = fc.record({
	after: moment,
	offer: fc.nat({ max: mostOffers - 1 }),
	what: fc.constantFrom('accept', 'publish', 'break', 'earn', 'spend'),
});

const step: fc.Arbitrary<Step> = fc.oneof(
	{ withCrossShrink: true },
	{
		weight: 8,
		arbitrary: fc.record({
			kind: fc.constant('run' as const),
			executions: fc.array(execution, { minLength: 1, maxLength: 3 }),
			faults: fc.array(fault, { maxLength: 3 }),
			meanwhile: fc.array(meanwhile, { maxLength: 2 }),
			killedAfter: rarely(fc.integer({ min: 0, max: 20_000 })),
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

export const history: fc.Arbitrary<History> = fc.record({
	dialect,
	credits: fc.oneof(fc.constant(1000), fc.integer({ min: 0, max: 60 })),
	costs: fc.array(fc.constantFrom(1, 10, 10, 25), {
		minLength: mostOffers,
		maxLength: mostOffers,
	}),
	perMinute: rarely(fc.integer({ min: 3, max: 12 })),
	latencyMilliseconds: fc.constantFrom(0, 0, 20, 400),
	steps: fc.array(step, { minLength: 1, maxLength: 4 }),
	randomSeed: fc.nat(),
});
