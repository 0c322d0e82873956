/** The histories of the campaign: random ones, and some that are shaped, because by chance they would come too rarely. */
import fc from 'fast-check';

import type { Dialect } from '../../sandbox/dialects.mts';
import type { Fault } from '../../sandbox/faults.mts';
import { altered, list, object, some, weighted } from './draw.mts';
import {
	anyHistory,
	execution,
	type History,
	ofEach,
	ofOneKind,
	type Rules,
	type Run,
	type Step,
	wait,
} from './history.mts';

/** One that is neither put off nor canceled. */
const plain = altered(execution, { startsAfter: 0, canceledAfter: undefined });
const nothingElse: Run = {
	kind: 'run',
	executions: [],
	faults: [],
	meanwhile: [],
	kill: undefined,
};
const unlimited = altered(anyHistory, { perMinute: undefined });
const fromAnyone = { acceptFrom: 'anyone', allowedPartners: '' } as const;
const afterCommit = object<Fault>({
	kind: fc.constantFrom('cut-after-commit', 'error-after-commit'),
	method: 'POST',
	times: fc.integer({ min: 1, max: 2 }),
	after: fc.nat({ max: 1 }),
});

/** Several offers within limits that one or two accepts reach, and outcomes that cannot be seen. */
const withinLimits = altered(unlimited, {
	dialect: some<Partial<Dialect>>({
		exchangeList: fc.constantFrom('pending-only', 'without-accepted'),
		balanceLagSeconds: fc.constantFrom(5, 20, 50),
	}),
	credits: fc.integer({ min: 11, max: 50 }),
	costs: ofOneKind(10),
	steps: list(
		object<Run>({
			...nothingElse,
			executions: list(
				altered(plain, {
					items: fc.shuffledSubarray([0, 1, 2, 3], { minLength: 2 }),
					continues: fc.constantFrom(true, true, false),
					options: fc.oneof(
						object({ minimumBalance: fc.nat({ max: 30 }) }),
						object({ maxAccepts: fc.integer({ min: 1, max: 2 }) }),
					),
				}),
				1,
				1,
			),
			faults: list(afterCommit, 0, 2),
		}),
		1,
		2,
	),
});

/** The list takes so long that the minute of a doubt may end meanwhile. */
const slowList = object<Fault>({
	kind: 'delay-after-commit',
	method: 'GET',
	path: '/api/exchanges',
	milliseconds: fc.constantFrom(8000, 25_000),
});

/** One offer that is asked for again, at a service that carries it out later, or shows that late or never, and charges again. */
const askedAgain = altered(unlimited, {
	dialect: fc
		.oneof(
			object<Partial<Dialect>>({
				settlement: 'later',
				settlementSeconds: fc.constantFrom(20, 40, 57),
			}),
			object<Partial<Dialect>>({
				exchangeList: 'lagging',
				listLagSeconds: fc.constantFrom(20, 50),
			}),
			object<Partial<Dialect>>({
				exchangeList: fc.constantFrom('pending-only', 'without-accepted'),
			}),
		)
		.map((late) => ({ ...late, acceptAgain: '200-charged-again' })),
	credits: 1000,
	storeTakes: fc.constantFrom(3, 80),
	steps: list(
		weighted(
			[
				3,
				object<Run>({
					...nothingElse,
					executions: list(altered(plain, { items: [0], options: {} }), 1, 2),
					faults: list(fc.oneof(afterCommit, slowList), 0, 2),
				}),
			],
			[2, wait(1000, 30_000, 40_000, 61_000)],
		),
		2,
		4,
		// A list that lags does not show a new offer at first.
	).map((steps): Step[] => [{ kind: 'wait', milliseconds: 61_000 }, ...steps]),
});

/** Under a floor, and without one, at the same moment in one process. */
const atTheSameMoment = altered(unlimited, {
	dialect: {},
	credits: fc.integer({ min: 11, max: 19 }),
	costs: ofOneKind(10),
	workers: 1,
	storeTakes: fc.constantFrom(3, 80),
	steps: fc
		.tuple(
			altered(plain, {
				items: [0],
				worker: 0,
				startsAfter: fc.nat({ max: 60 }),
				options: object({ minimumBalance: fc.nat({ max: 9 }) }),
				rules: undefined,
			}),
			altered(plain, { items: [1], worker: 0, options: {}, rules: undefined }),
		)
		.map((executions) => [{ ...nothingElse, executions }]),
});

/** Accept Many whose process dies between any two of its steps, and then again, up to two days later. */
const killed = fc
	.tuple(
		altered(unlimited, {
			dialect: fc.constantFrom<Partial<Dialect>[]>({}, { acceptAgain: '200-charged-again' }),
			credits: 1000,
			storeTakes: fc.constantFrom(0, 3),
		}),
		fc.constantFrom(1000, 61_000, 3_600_000, 49 * 3_600_000),
		object({ worker: 0, steps: fc.integer({ min: 1, max: 40 }) }),
		list(
			altered(plain, {
				worker: 0,
				options: { maxAccepts: 3 },
				rules: { ...fromAnyone, options: {}, isPublished: true },
			}),
			2,
			4,
		),
	)
	.map(([drawn, milliseconds, kill, executions]): History => {
		const steps = executions.flatMap((each, index): Step[] => [
			{ ...nothingElse, executions: [each], kill: index === 0 ? kill : undefined },
			{ kind: 'wait', milliseconds },
		]);
		return { ...drawn, steps };
	});

const notCarriedOut = object<Fault>({
	kind: fc.constantFrom('cut-before-commit', 'error-before-commit'),
	method: 'POST',
	status: fc.constantFrom(403, 403, 409, 500),
});

/** One offer for which two nodes of one process ask in turn, after requests that came to nothing, or whose outcome cannot be seen. */
const twoNodes = fc
	.tuple(
		altered(unlimited, {
			dialect: fc.constantFrom<Partial<Dialect>[]>({}, { acceptAgain: '200-charged-again' }),
			credits: 1000,
			workers: 1,
		}),
		list(
			object<Run>({
				...nothingElse,
				executions: list(
					altered(plain, {
						items: [0],
						worker: 0,
						node: fc.constantFrom(0, 1),
						tries: 1,
						rounds: 1,
						options: {},
						rules: undefined,
					}),
					1,
					1,
				),
				faults: list(weighted([1, afterCommit], [2, notCarriedOut]), 1, 1),
				meanwhile: fc.constantFrom<Run['meanwhile'][]>(
					[],
					[],
					[{ after: 30_000, offer: 0, what: 'accept' }],
				),
			}),
			3,
			4,
		),
	)
	.map(([drawn, runs]): History => {
		const steps = runs.flatMap((each): Step[] => [each, { kind: 'wait', milliseconds: 61_000 }]);
		return { ...drawn, steps };
	});

/** Accept Many that is canceled at any of its steps, and then again. */
const canceled = fc
	.tuple(
		altered(unlimited, { dialect: {}, credits: 1000, workers: 1 }),
		list(
			altered(plain, {
				worker: 0,
				node: 0,
				tries: 1,
				canceledAfter: fc.integer({ min: 0, max: 1500 }),
				options: { maxAccepts: 3 },
				rules: { ...fromAnyone, options: {}, isPublished: true },
			}),
			2,
			3,
		),
	)
	.map(([drawn, executions]): History => {
		const last = executions.at(-1);
		const all = last === undefined ? [] : [...executions, { ...last, canceledAfter: undefined }];
		const steps = all.flatMap((each): Step[] => [
			{ ...nothingElse, executions: [each] },
			{ kind: 'wait', milliseconds: 61_000 },
		]);
		return { ...drawn, steps };
	});

const refused = object<Fault>({
	kind: 'error-before-commit',
	method: 'POST',
	status: fc.constantFrom(400, 403, 404, 409, 410, 422),
	times: fc.integer({ min: 1, max: 2 }),
});

/** Accept Many, again and again, with offers that cost more than there is, refusals, and limits that are reached. */
const tooExpensive = altered(unlimited, {
	dialect: fc.constantFrom<Partial<Dialect>[]>({}, { insufficientCredits: '403' }),
	credits: fc.integer({ min: 0, max: 60 }),
	costs: ofEach(fc.constantFrom(10, 25, 100, 400)),
	workers: 1,
	storeTakes: 0,
	steps: list(
		fc
			.tuple(
				altered(plain, {
					items: [0],
					tries: 1,
					rounds: 1,
					options: fc.constantFrom({}, {}, { minimumBalance: 5 }, { maxAccepts: 1 }),
					rules: object<Rules>({
						...fromAnyone,
						options: fc.constantFrom({}, {}, { maxPerDay: 1 }),
						isPublished: fc.boolean(),
					}),
				}),
				list(refused, 0, 1),
				fc.boolean(),
				fc.boolean(),
			)
			.map(([each, faults, isRefused, earns]): Step => ({
				...nothingElse,
				executions: [each],
				faults: isRefused ? faults : [],
				meanwhile: earns ? [{ after: 0, offer: 0, what: 'earn' }] : [],
			})),
		2,
		4,
	),
});

export const history: fc.Arbitrary<History> = weighted(
	[12, anyHistory],
	[3, withinLimits],
	[2, askedAgain],
	[1, atTheSameMoment],
	[2, killed],
	[2, tooExpensive],
	[2, twoNodes],
	[1, canceled],
);
