/**
 * What a history consists of: a service, what happens there, and executions that accept offers in n8n. Here it is drawn at
 * random, so that everything may occur together.
 */
import fc from 'fast-check';

import { answer } from './answersDrawn.mts';
import { type Drawn, list, rarely, some, weighted } from './draw.mts';
import { dialect, fault } from './serviceDrawn.mts';

/** Offers of the account; the next number names an exchange that does not exist. */
export const offersOfAccount = 4;

/** One for each offer. */
export const ofEach = <Value,>(value: fc.Arbitrary<Value>) =>
	list(value, offersOfAccount, offersOfAccount);
export const ofOneKind = (cost: number) => Array.from({ length: offersOfAccount }, () => cost);

/** What Accept Many goes by. */
export type Rules = Drawn<typeof rules>;
const rules = fc.record({
	acceptFrom: fc.constantFrom('anyone', 'anyone', 'listed'),
	allowedPartners: fc.constantFrom('', 'tea.example', 'https://tea.example/, spam.example'),
	options: some({
		includeSubdomains: fc.boolean(),
		maxPerDay: fc.integer({ min: 1, max: 3 }),
		refusedAnchorWords: fc.constant('betting, casino'),
		refusedPartners: fc.constantFrom('spam.example', 'blog.tea.example'),
		return: fc.constantFrom('all', 'decisions'),
	}),
	/** Not run by hand: what was not accepted is returned once. */
	isPublished: fc.boolean(),
});

const options = some({
	dryRun: fc.constantFrom(false, false, true),
	maxAccepts: fc.integer({ min: 1, max: 3 }),
	maxRateLimitWait: fc.constantFrom(0, 5, 90),
	minimumBalance: fc.nat({ max: 60 }),
	timeout: fc.constantFrom(1, 5, 30),
});

/** Milliseconds after the beginning of a step. */
const moment = weighted(
	[3, 0],
	[2, fc.integer({ min: 0, max: 3000 })],
	[1, fc.integer({ min: 0, max: 90_000 })],
);
const offer = fc.nat({ max: offersOfAccount - 1 });

/** One execution of a workflow with the action node. */
export type Execution = Drawn<typeof execution>;
export const execution = fc.record({
	/** Of Accept Many; without them, it accepts by ID. */
	rules: weighted([2, undefined], [1, rules]),
	startsAfter: moment,
	/** Of the n8n processes that there are. */
	worker: fc.nat({ max: 1 }),
	/** Of the nodes of the workflow, which are told apart by it. */
	node: fc.constantFrom<number[]>(0, 0, 0, 0, 0, 0, 0, 0, 1),
	/** Numbers of offers; of Accept Many, only how many they are counts. */
	items: list(weighted([12, offer], [1, offersOfAccount]), 1, 5),
	options: weighted([1, fc.constant<Drawn<typeof options>>({})], [2, options]),
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
	offer,
	what: fc.constantFrom('accept', 'publish', 'break', 'earn', 'spend'),
});

export type Run = Drawn<typeof run>;
const run = fc.record({
	kind: fc.constant('run' as const),
	// Alone, its figures can be distinguished from those of others.
	executions: weighted([1, list(execution, 1, 1)], [1, list(execution, 1, 3)]),
	faults: list(fc.oneof(fault, answer), 0, 3),
	meanwhile: weighted([1, list(meanwhile, 0, 0)], [1, list(meanwhile, 0, 2)]),
	/** An n8n process dies, after this many requests that it sends and readings and writings of its store, and another one takes its place. */
	kill: rarely(fc.record({ worker: fc.nat({ max: 1 }), steps: fc.integer({ min: 1, max: 40 }) })),
});

export const wait = (...milliseconds: number[]) =>
	fc.record({ kind: fc.constant('wait' as const), milliseconds: fc.constantFrom(...milliseconds) });

export type Step = Drawn<typeof step>;
const step = weighted(
	[8, run],
	[1, { kind: 'restart' }],
	[1, wait(1000, 61_000, 3_600_000, 25 * 3_600_000, 49 * 3_600_000)],
);

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
	credits: weighted([1, 1000], [1, fc.integer({ min: 0, max: 110 })]),
	/** Price of each offer. */
	costs: weighted(
		[1, fc.constantFrom(10, 25).map(ofOneKind)],
		[1, ofEach(fc.constantFrom<number[]>(0, 1, 10, 25))],
	),
	partners: ofEach(partner),
	/** Requests a minute; undefined: more than are ever sent. */
	perMinute: rarely(fc.integer({ min: 3, max: 12 })),
	latencyMilliseconds: fc.constantFrom(0, 20, 400),
	/** n8n processes at the same time, with one store. */
	workers: fc.constantFrom(1, 2),
	/** Milliseconds between reading a record of that store and writing it back. */
	storeTakes: fc.constantFrom(0, 0, 3, 80),
	steps: list(step, 1, 4),
	/** Without it, no list shows when something was accepted. */
	showsTimes: fc.boolean(),
	/** For the jitter of the node's pauses. */
	randomSeed: fc.nat(),
});
