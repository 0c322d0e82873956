/** The cases of the fault campaign: every fault × every dialect that an accept can meet × every retry setting. */
import fc from 'fast-check';

import {
	type Dialect,
	dialectNames,
	type DialectSetting,
	singleVariants,
} from '../../sandbox/dialects.mts';
import { type Fault, requestFaultKinds } from '../../sandbox/faults.mts';

export interface CampaignCase {
	name: string;
	dialect: string | Partial<Dialect>;
	/** What goes wrong with the requests to accept. */
	fault: Fault['kind'] | 'none';
	/** How many of them it hits. */
	faultTimes: number;
	/** What goes wrong with reading the list, besides. */
	listFault: Fault['kind'] | 'none';
	checkFirst: boolean;
	retryUnconfirmed: boolean;
	retryOnFail: boolean;
	/** Executions at the same time, with the same items. */
	executions: number;
	/** Enough for how many of the offers. */
	affordable: number;
}

/** What an accept, or the look before or after it, can meet. */
const dialectSettings: DialectSetting[] = [
	'listShape',
	'pagination',
	'accept',
	'acceptAgain',
	'insufficientCredits',
	'limitExceeded',
	'rateLimitReset',
	'errorBody',
	'times',
	'siteReference',
];

const dialects: Array<{ name: string; dialect: CampaignCase['dialect'] }> = [
	...dialectNames.map((name) => ({ name, dialect: name })),
	...dialectSettings.flatMap((setting) =>
		singleVariants(setting).map(({ name, settings }) => ({ name, dialect: settings })),
	),
	// The worst service of all, in every way of answering.
	...singleVariants('accept').map(({ name, settings }) => ({
		name: `charges again, ${name}`,
		dialect: { ...settings, acceptAgain: '200-charged-again' as const },
	})),
];

const faults = ['none', ...requestFaultKinds] as const;
const switches = [false, true];

/** All cases; what is not multiplied out is drawn with the seed, so that the same seed gives the same campaign. */
export function allCases(seed: number): CampaignCase[] {
	const product = dialects.flatMap(({ name, dialect }) =>
		faults.flatMap((fault) =>
			switches.flatMap((checkFirst) =>
				switches.flatMap((retryUnconfirmed) =>
					switches.map((retryOnFail) => ({
						name,
						dialect,
						fault,
						checkFirst,
						retryUnconfirmed,
						retryOnFail,
					})),
				),
			),
		),
	);
	const drawn = fc.sample(
		fc.record({
			faultTimes: fc.integer({ min: 1, max: 4 }),
			listFault: fc.oneof(
				{ weight: 4, arbitrary: fc.constant('none' as const) },
				{ weight: 1, arbitrary: fc.constantFrom(...faults) },
			),
			executions: fc.constantFrom(1, 1, 2, 3),
			affordable: fc.constantFrom(2, 4, 4, 4),
		}),
		{ numRuns: product.length, seed },
	);
	return product.map((fixed, index) => {
		const chosen = drawn[index];
		if (chosen === undefined) throw new Error('fast-check drew too few');
		return { ...fixed, ...chosen };
	});
}

/** So many cases of the whole campaign, drawn with the seed. */
export function someCases(seed: number, count: number): CampaignCase[] {
	const all = allCases(seed);
	const indexes = fc.sample(fc.integer({ min: 0, max: all.length - 1 }), { numRuns: count, seed });
	return indexes.flatMap((index) => all[index] ?? []);
}
