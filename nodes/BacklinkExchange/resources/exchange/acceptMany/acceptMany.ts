import type { INodeProperties } from 'n8n-workflow';

import { outputFormat } from '../../../../shared/descriptions/outputFormat';
import { isErrorResult } from '../../../../shared/errors';
import schema from '../../../__schema__/v1.0.0/exchange/acceptMany.json';
import { getOptionalNumber, simplify } from '../../../commonOptions';
import { runExclusive } from '../../../helpers/keyedMutex';
import type { Operation } from '../../../operation.types';
import {
	dryRun as acceptDryRun,
	maxAccepts as acceptMaxAccepts,
	minimumBalance,
	notice as acceptNotice,
} from '../accept/accept';
import { type AcceptLimits, noMinimumBalance } from '../accept/accept.types';
import { createAcceptSession } from '../accept/acceptOffer';
import { createOutput, type OutputOptions } from './createOutput';
import { type AcceptPolicy, processOffers } from './processOffers';
import {
	acceptFrom,
	allowedPartners,
	getCombinedDenial,
	getRules,
	refusedAnchorWords,
	type Rules,
	rules,
} from './rules';

const notice: INodeProperties = {
	...acceptNotice,
	displayName:
		'This spends credits once Dry Run is off. An offer does not show its price, nor the rating or niche of the partner, so there are no rules for them.',
};

const dryRun: INodeProperties = {
	...acceptDryRun,
	default: true,
	description:
		'Whether to check everything without accepting. No credits are spent, and what would be accepted has the outcome "wouldAccept".',
};

const maxAccepts: INodeProperties = {
	...acceptMaxAccepts,
	default: 5,
	description: 'Maximum number of offers to accept in one execution. Further offers are skipped.',
};

const maxPerDay: INodeProperties = {
	...acceptMaxAccepts,
	displayName: 'Max per Day',
	name: 'maxPerDay',
	placeholder: 'e.g. 10',
	description:
		'Maximum number of offers accepted within 24 hours, including those that you accepted elsewhere, if the service shows when. Without this option there is no limit.',
};

const offersToReturn: INodeProperties = {
	displayName: 'Return',
	name: 'return',
	type: 'options',
	options: [
		{ name: 'All', value: 'all', description: 'Every pending offer, in every execution' },
		{
			name: 'Decisions',
			value: 'decisions',
			description:
				'What this execution decided. An offer that was not accepted is returned once for each reason, not in every execution.',
		},
		{
			name: 'Only What Needs a Person',
			value: 'needsPerson',
			description:
				'Of the decisions, the offers that are undecided or failed, or whose outcome is unknown, and accepted ones of which it is not known who accepted them; in a dry run also what it would accept',
		},
	],
	default: 'decisions',
	description: 'Which offers to return',
};

interface Input {
	rules: Rules;
	maxPerDay: number;
	limits: AcceptLimits;
	outputOptions: Omit<OutputOptions, 'isDryRun'>;
}

/**
 * GET /exchanges, and POST /exchanges/:id/accept for the offers that the rules allow
 * (service-api.md, "Endpoints"). Each accept has the guarantees of the Accept operation.
 */
export const acceptMany: Operation<Input> = {
	value: 'acceptMany',
	name: 'Accept Many',
	action: 'Accept many exchange offers by rules (spends credits)',
	description: 'Accept the pending offers that your rules allow, and leave the others to a person',
	outputSchema: schema,
	usageHint:
		"Schedule Trigger → acceptMany with options { outputFormat: 'digest' } → Slack with expr('{{ $json.message }}'). It reads the pending offers itself: no Get Many before it. Several input items are several sets of rules. dryRun: false accepts; options minimumBalance and maxPerDay limit it; return: 'needsPerson' leaves out what was accepted or refused. outputFormat 'digest': one item { message, title, count, items }.",
	properties: [
		notice,
		acceptFrom,
		allowedPartners,
		refusedAnchorWords,
		maxAccepts,
		dryRun,
		offersToReturn,
		simplify,
		rules,
	],
	options: [maxPerDay, minimumBalance, outputFormat],
	sequential: true,
	// A set of rules that can't be read may block what another one allows.
	combinesItems: true,
	getParameters(parameters) {
		const options = parameters.collection();
		return {
			rules: getRules(parameters),
			maxPerDay: getOptionalNumber(options, maxPerDay, Infinity),
			limits: {
				dryRun: parameters.boolean(dryRun),
				maxAccepts: parameters.number(maxAccepts),
				minimumBalance: getOptionalNumber(options, minimumBalance, noMinimumBalance),
			},
			outputOptions: {
				offersToReturn: parameters.option(offersToReturn),
				isDigest: options.option(outputFormat) === 'digest',
				isSimple: parameters.boolean(simplify),
			},
		};
	},
	createHandler({ context, client, hint }) {
		const session = createAcceptSession(context, client);
		return {
			async executeItems(inputs) {
				const [first] = inputs;
				if (first === undefined || inputs.every((input) => input.rules.isAllowlistEmpty)) {
					hint('emptyAllowlist', 'Allowed Partners is empty: list partners, or choose Anyone.');
					return [];
				}
				const policy = mergePolicies(inputs);
				const process = async () => await processOffers(session, policy, hint);
				// Max per Day is counted in the list, so the next execution fetches it after this one ends.
				const mutexKey = client.scopedKey('maxPerDay');
				const result =
					policy.maxPerDay === Infinity
						? await process()
						: await runExclusive(mutexKey, process, client.signal);
				if (isErrorResult(result)) return result;
				const { dryRun: isDryRun } = policy.limits;
				return createOutput(context, client, result, { ...first.outputOptions, isDryRun });
			},
		};
	},
};

/** Combines the rules and limits of all input items; the strictest limits apply. */
function mergePolicies(inputs: Input[]): AcceptPolicy {
	const ruleSets = inputs.map((input) => input.rules);
	const limits = inputs.map((input) => input.limits);
	return {
		getDenial: (offer, ends) => getCombinedDenial(ruleSets, offer, ends),
		maxPerDay: Math.min(...inputs.map((input) => input.maxPerDay)),
		limits: {
			dryRun: limits.some(({ dryRun }) => dryRun),
			maxAccepts: Math.min(...limits.map(({ maxAccepts }) => maxAccepts)),
			minimumBalance: Math.max(...limits.map(({ minimumBalance }) => minimumBalance)),
		},
	};
}
