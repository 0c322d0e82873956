/**
 * What a history consists of: a service, what happens there, and executions that accept offers in n8n. Here it is drawn at
 * random, so that everything may occur together.
 */
import fc from 'fast-check';

import { answer } from './answersDrawn.mts';
import { moment, rarely } from './draw.mts';
import { dialect, fault } from './serviceDrawn.mts';

type Drawn<From> = From extends fc.Arbitrary<infer Value> ? Value : never;

/** Offers of the account; the next number names an exchange that does not exist. */
export const offersOfAccount = 4;

const someOptions = fc.record(
	{
		dryRun: fc.constantFrom(false, false, true),
		maxAccepts: fc.integer({ min: 1, max: 3 }),
		maxRateLimitWait: fc.constantFrom(0, 5, 90),
		minimumBalance: fc.nat({ max: 60 }),
		timeout: fc.constantFrom(1, 5, 30),
	},
	{ requiredKeys: [] },
);

/** What Accept Many goes by. */
export type Rules = Drawn<typeof rules>;
const rules = fc.record({
	acceptFrom: fc.constantFrom('anyone', 'anyone', 'listed'),
	allowedPartners: fc.constantFrom('', 'tea.example', 'https://tea.example/, spam.example'),
	options: fc.record(
		{
			includeSubdomains: fc.boolean(),
			maxPerDay: fc.integer({ min: 1, max: 3 }),
			refusedAnchorWords: fc.constant('betting, casino'),
			refusedPartners: fc.constantFrom('spam.example', 'blog.tea.example'),
			return: fc.constantFrom('all', 'decisions'),
		},
		{ requiredKeys: [] },
	),
	/** Not run by hand: what was not accepted is returned once. */
	isPublished: fc.boolean(),
});

const offer = fc.oneof(
	{ weight: 12, arbitrary: fc.nat({ max: offersOfAccount - 1 }) },
	{ weight: 1, arbitrary: fc.constant(offersOfAccount) },
);

/** One execution of a workflow with the action node. */
export type Execution = Drawn<typeof execution>;
export const execution = fc.record({
	/** Of Accept Many; without them, it accepts by ID. */
	rules: fc.oneof({ withCrossShrink: true }, fc.constant(undefined), fc.constant(undefined), rules),
	/** Milliseconds after the step has begun. */
	startsAfter: moment,
	/** Of the n8n processes that there are. */
	worker: fc.nat({ max: 1 }),
	/** Numbers of offers; of Accept Many, only how many they are counts. */
	items: fc.array(offer, { minLength: 1, maxLength: 5 }),
	options: fc.oneof(
		{ withCrossShrink: true },
		fc.constant<Drawn<typeof someOptions>>({}),
		someOptions,
		someOptions,
	),
	continues: fc.boolean(),
	/** Tries of Retry On Fail; 1 is off. */
	tries: fc.constantFrom(1, 1, 2, 3),
	/** How often the node is called, as in a loop. */
	rounds: fc.constantFrom(1, 1, 1, 2),
	/** Milliseconds after its start; undefined: never. */
	canceledAfter: rarely(fc.integer({ min: 0, max: 20_000 })),
});

/** Something that somebody else does with the account. */
export type Meanwhile = Drawn<typeof meanwhile>;
const meanwhile = fc.record({
	after: moment,
	offer: fc.nat({ max: offersOfAccount - 1 }),
	what: fc.constantFrom('accept', 'publish', 'break', 'earn', 'spend'),
});

export type Step = Drawn<typeof step>;
const step = fc.oneof(
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
			/** An n8n process dies, after this many requests that it sends and readings and writings of its store, and another one takes its place. */
			kill: rarely(
				fc.record({ worker: fc.nat({ max: 1 }), steps: fc.integer({ min: 1, max: 40 }) }),
			),
		}),
	},
	{ weight: 1, arbitrary: fc.constant({ kind: 'restart' as const }) },
	{
		weight: 1,
		arbitrary: fc.record({
			kind: fc.constant('wait' as const),
			milliseconds: fc.constantFrom(1000, 61_000, 3_600_000, 25 * 3_600_000, 49 * 3_600_000),
		}),
	},
);

export const ofOneKind = (cost: number) => Array.from({ length: offersOfAccount }, () => cost);

/** Of an offer: who wants the link, and what it says. */
export type Partner = Drawn<typeof partner>;
const partner = fc.record({
	fromSite: fc.constantFrom(
		'https://tea.example',
		'https://blog.tea.example/links',
		'http://WWW.Tea.example:8080',
		'https://evil-tea.example',
		'https://spam.example',
	),
	anchor: fc.constantFrom('green tea', 'green tea', 'Casino night', 'ca\u200bsino'),
});

export type History = Drawn<typeof anyHistory>;
export const anyHistory = fc.record({
	dialect,
	/** Credits at the beginning. */
	credits: fc.oneof(fc.constant(1000), fc.integer({ min: 0, max: 110 })),
	/** Price of each offer. */
	costs: fc.oneof(
		fc.constantFrom(10, 25).map(ofOneKind),
		fc.array(fc.constantFrom(0, 1, 10, 25), {
			minLength: offersOfAccount,
			maxLength: offersOfAccount,
		}),
	),
	partners: fc.array(partner, { minLength: offersOfAccount, maxLength: offersOfAccount }),
	/** Requests a minute; undefined: more than are ever sent. */
	perMinute: rarely(fc.integer({ min: 3, max: 12 })),
	latencyMilliseconds: fc.constantFrom(0, 20, 400),
	/** n8n processes at the same time, with one store. */
	workers: fc.constantFrom(1, 2),
	/** Milliseconds between reading a record of that store and writing it back. */
	storeTakes: fc.constantFrom(0, 0, 3, 20),
	steps: fc.array(step, { minLength: 1, maxLength: 4 }),
	/** Without it, no list shows when something was accepted. */
	showsTimes: fc.boolean(),
	/** For the jitter of the node's pauses. */
	randomSeed: fc.nat(),
});
