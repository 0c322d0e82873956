/** The histories of the campaign: random ones, and some that are shaped, because by chance they would come too rarely. */
import fc from 'fast-check';

import type { Fault } from '../../sandbox/faults.mts';
import {
	anyHistory,
	type Execution,
	execution,
	type History,
	type Meanwhile,
	ofOneKind,
} from './history.mts';

const shuffled = fc.shuffledSubarray([0, 1, 2, 3], { minLength: 2 });
const afterCommit: fc.Arbitrary<Fault> = fc.record({
	kind: fc.constantFrom('cut-after-commit' as const, 'error-after-commit' as const),
	method: fc.constant('POST'),
	times: fc.integer({ min: 1, max: 2 }),
	after: fc.nat({ max: 1 }),
});
const runStep = (executions: fc.Arbitrary<Execution[]>, faults: fc.Arbitrary<Fault[]>) =>
	fc.record({
		kind: fc.constant('run' as const),
		executions,
		faults,
		meanwhile: fc.constant<Meanwhile[]>([]),
		kill: fc.constant(undefined),
	});
const changed = (parts: { [Key in keyof Execution]?: fc.Arbitrary<Execution[Key]> }) =>
	fc
		.tuple(execution, fc.record(parts))
		.map(([drawn, others]) => ({ ...drawn, canceledAfter: undefined, startsAfter: 0, ...others }));

/** Several offers within limits that one or two accepts reach, and outcomes that cannot be seen. */
const withinLimits: fc.Arbitrary<History> = fc
	.tuple(
		anyHistory,
		fc.record({
			dialect: fc.record(
				{
					exchangeList: fc.constantFrom('pending-only' as const, 'without-accepted' as const),
					balanceLagSeconds: fc.constantFrom(5, 20, 50),
				},
				{ requiredKeys: [] },
			),
			credits: fc.integer({ min: 11, max: 50 }),
			costs: fc.constant(ofOneKind(10)),
			steps: fc.array(
				runStep(
					fc.array(
						changed({
							items: shuffled,
							continues: fc.constantFrom(true, true, false),
							options: fc.oneof(
								fc.record({ minimumBalance: fc.nat({ max: 30 }) }),
								fc.record({ maxAccepts: fc.integer({ min: 1, max: 2 }) }),
							),
						}),
						{ minLength: 1, maxLength: 1 },
					),
					fc.array(afterCommit, { maxLength: 2 }),
				),
				{ minLength: 1, maxLength: 2 },
			),
		}),
	)
	.map(([drawn, others]) => ({ ...drawn, perMinute: undefined, ...others }));

/** One offer that is asked for again, at a service that carries it out later, or shows that late or never, and charges again. */
const askedAgain: fc.Arbitrary<History> = fc
	.tuple(
		anyHistory,
		fc.record({
			dialect: fc
				.oneof(
					fc.record({
						settlement: fc.constant('later' as const),
						settlementSeconds: fc.constantFrom(20, 50),
					}),
					fc.record({
						exchangeList: fc.constant('lagging' as const),
						listLagSeconds: fc.constantFrom(20, 50),
					}),
					fc.record({
						exchangeList: fc.constantFrom('pending-only' as const, 'without-accepted' as const),
					}),
				)
				.map((late) => ({ acceptAgain: '200-charged-again' as const, ...late })),
			credits: fc.constant(1000),
			storeTakes: fc.constantFrom(3, 20),
			steps: fc.array(
				fc.oneof(
					{
						weight: 3,
						arbitrary: runStep(
							fc.array(changed({ items: fc.constant([0]), options: fc.constant({}) }), {
								minLength: 1,
								maxLength: 2,
							}),
							fc.array(afterCommit, { maxLength: 1 }),
						),
					},
					{
						weight: 1,
						arbitrary: fc.record({
							kind: fc.constant('wait' as const),
							milliseconds: fc.constantFrom(1000, 61_000),
						}),
					},
				),
				{ minLength: 2, maxLength: 3 },
			),
		}),
	)
	.map(([drawn, { steps, ...others }]) => ({
		...drawn,
		perMinute: undefined,
		...others,
		// A list that lags does not show a new offer at first.
		steps: [{ kind: 'wait' as const, milliseconds: 61_000 }, ...steps],
	}));

/** Under a floor, and without one, at the same moment in one process. */
const atTheSameMoment: fc.Arbitrary<History> = fc
	.tuple(
		anyHistory,
		fc.record({
			dialect: fc.constant({}),
			credits: fc.integer({ min: 11, max: 19 }),
			costs: fc.constant(ofOneKind(10)),
			storeTakes: fc.constantFrom(3, 20),
			steps: fc.array(
				runStep(
					fc.tuple(
						changed({
							items: fc.constant([0]),
							worker: fc.constant(0),
							startsAfter: fc.nat({ max: 60 }),
							options: fc.record({ minimumBalance: fc.nat({ max: 9 }) }),
							rules: fc.constant(undefined),
						}),
						changed({
							items: fc.constant([1]),
							worker: fc.constant(0),
							options: fc.constant({}),
							rules: fc.constant(undefined),
						}),
					),
					fc.constant<Fault[]>([]),
				),
				{ minLength: 1, maxLength: 1 },
			),
		}),
	)
	.map(([drawn, others]) => ({ ...drawn, perMinute: undefined, workers: 1, ...others }));

/** Accept Many whose process dies between any two of its steps, and then again, an hour or two days later. */
const killed: fc.Arbitrary<History> = fc
	.tuple(
		anyHistory,
		fc.record({
			dialect: fc.constantFrom({}, { acceptAgain: '200-charged-again' as const }),
			credits: fc.constant(1000),
			storeTakes: fc.constantFrom(0, 3),
			wait: fc.constantFrom(1000, 61_000, 3_600_000, 49 * 3_600_000),
			kill: fc.record({ worker: fc.constant(0), steps: fc.integer({ min: 1, max: 40 }) }),
			runs: fc.array(
				changed({
					worker: fc.constant(0),
					options: fc.constant({ maxAccepts: 3 }),
					rules: fc.record({
						acceptFrom: fc.constant('anyone' as const),
						allowedPartners: fc.constant('' as const),
						options: fc.constant({}),
						isPublished: fc.constant(true),
					}),
				}),
				{ minLength: 2, maxLength: 4 },
			),
		}),
	)
	.map(([drawn, { wait, kill, runs, ...others }]) => {
		const steps = runs.flatMap((run, index): History['steps'] => [
			{
				kind: 'run',
				executions: [run],
				faults: [],
				meanwhile: [],
				kill: index === 0 ? kill : undefined,
			},
			{ kind: 'wait', milliseconds: wait },
		]);
		return { ...drawn, perMinute: undefined, ...others, steps };
	});

/** Accept Many, again and again, with offers that cost more than there is, refusals, and limits that are reached. */
const tooExpensive: fc.Arbitrary<History> = fc
	.tuple(
		anyHistory,
		fc.record({
			dialect: fc.constantFrom({}, { insufficientCredits: '403' as const }),
			credits: fc.integer({ min: 0, max: 60 }),
			costs: fc.array(fc.constantFrom(10, 25, 100, 400), {
				minLength: ofOneKind(0).length,
				maxLength: ofOneKind(0).length,
			}),
			storeTakes: fc.constant(0),
			steps: fc.array(
				fc
					.tuple(
						runStep(
							fc.tuple(
								changed({
									items: fc.constant([0]),
									tries: fc.constant(1),
									rounds: fc.constant(1),
									options: fc.constantFrom({}, {}, { minimumBalance: 5 }, { maxAccepts: 1 }),
									rules: fc.record({
										acceptFrom: fc.constant('anyone' as const),
										allowedPartners: fc.constant('' as const),
										options: fc.constantFrom({}, {}, { maxPerDay: 1 }),
										isPublished: fc.boolean(),
									}),
								}),
							),
							fc.array(
								fc.record({
									kind: fc.constant('error-before-commit' as const),
									method: fc.constant('POST'),
									status: fc.constantFrom(400, 403, 404, 409, 410, 422),
									times: fc.integer({ min: 1, max: 2 }),
								}),
								{ maxLength: 1 },
							),
						),
						fc.boolean(),
						fc.boolean(),
					)
					.map(([step, isRefused, earns]) => ({
						...step,
						faults: isRefused ? step.faults : [],
						meanwhile: earns ? [{ after: 0, offer: 0, what: 'earn' as const }] : [],
					})),
				{ minLength: 2, maxLength: 4 },
			),
		}),
	)
	.map(([drawn, others]) => ({ ...drawn, perMinute: undefined, workers: 1, ...others }));

export const history: fc.Arbitrary<History> = fc.oneof(
	{ weight: 12, arbitrary: anyHistory },
	{ weight: 3, arbitrary: withinLimits },
	{ weight: 2, arbitrary: askedAgain },
	{ weight: 1, arbitrary: atTheSameMoment },
	{ weight: 2, arbitrary: killed },
	{ weight: 2, arbitrary: tooExpensive },
);
