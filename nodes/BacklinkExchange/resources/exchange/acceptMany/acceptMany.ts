import type { INodeProperties } from 'n8n-workflow';

import { optionsField } from '../../../../shared/descriptions/collections';
import { includeRecord } from '../../../../shared/descriptions/includeRecord';
import { outputFormat } from '../../../../shared/descriptions/outputFormat';
import schema from '../../../__schema__/v1.0.0/exchange/acceptMany.json';
import { getOptionalNumber } from '../../../commonOptions';
import type { Operation } from '../../../operation.types';
import {
	dryRun as acceptDryRun,
	maxAccepts as acceptMaxAccepts,
	minimumBalance,
} from '../accept/accept';
import { type AcceptOptions, noMinimumBalance } from '../accept/accept.types';
import { createAcceptSession } from '../accept/acceptOffer';
import { acceptOffers, type RuleSet } from './acceptOffers';
import { createOutput, type OutputOptions } from './createOutput';
import { acceptFrom, allowedPartners, blockedAnchorWords, getRules, rules } from './rules';
import { createRunHint } from './runHint';

const dryRun: INodeProperties = {
	...acceptDryRun,
	default: true,
	description: 'Whether to show what would be accepted without accepting it. No credits are spent.',
};

const spendingNotice: INodeProperties = {
	displayName: 'This node accepts offers and spends credits, up to the limits below.',
	name: 'spendingNotice',
	type: 'notice',
	default: '',
	displayOptions: { show: { dryRun: [false] } },
};

const maxAccepts: INodeProperties = {
	...acceptMaxAccepts,
	default: 5,
	description:
		'Maximum number of offers to accept per execution. Further offers are skipped. With 0, none is accepted.',
};

const maxPerDay: INodeProperties = {
	...acceptMaxAccepts,
	displayName: 'Max per Day',
	name: 'maxPerDay',
	typeOptions: { minValue: 1, numberPrecision: 0 },
	placeholder: 'e.g. 10',
	description:
		"Maximum number of offers accepted within 24 hours, also in your dashboard. With 'Your Sites', only offers for these count. Without it, only 'Max Accepts' applies.",
};

const limits = {
	...optionsField([maxPerDay, minimumBalance]),
	displayName: 'Limits',
	name: 'limits',
	placeholder: 'Add limit',
	description: 'Further limits on spending. Offers above a limit are skipped.',
};

const offersToReturn: INodeProperties = {
	displayName: 'Offers to Return',
	name: 'offersToReturn',
	type: 'options',
	options: [
		{
			name: 'All',
			value: 'all',
			description: 'Every pending offer, in every execution',
		},
		{
			name: 'Needs Review',
			value: 'needsReview',
			description:
				'New decisions that need your attention: needs review, failed or unknown. In a dry run, also offers that would be accepted.',
		},
		{
			name: 'New Decisions',
			value: 'newDecisions',
			description:
				'Each decision only once. A published workflow leaves out decisions that it returned before.',
		},
	],
	default: 'newDecisions',
	description: 'Which offers to return as items',
};

const emptyAllowlistHint =
	"Nothing was accepted, because 'Allowed Partners' is empty. Add partners, or set 'Accept From' to 'Anyone'.";

const emptyAllowlistDryRunHint =
	"'Allowed Partners' is empty, so no offer would be accepted. The items show the partners that you can add.";

interface Input extends RuleSet {
	options: AcceptOptions;
	outputOptions: OutputOptions;
}

/**
 * GET /exchanges, and POST /exchanges/:id/accept for the offers that the rules allow
 * (service-api.md, "Endpoints"). Each accept has the guarantees of the Accept operation.
 */
export const acceptMany: Operation<Input> = {
	value: 'acceptMany',
	name: 'Accept Many',
	action: 'Accept offers by rules (spends credits)',
	description: 'Accept the pending offers that your rules allow',
	outputSchema: schema,
	usageHint:
		"To accept offers on a schedule, connect Schedule Trigger → acceptMany with options { outputFormat: 'digest' } → Slack with the text expr('{{ $json.message }}'). acceptMany fetches the pending offers itself, so don't put getAll before it. Each input item is a set of rules. An offer is accepted if one set allows it and none blocks it. With dryRun: false, acceptMany accepts offers and spends credits, up to maxAccepts and limits { maxPerDay, minimumBalance }. Set options { offersToReturn: 'needsReview' } to leave out offers that were accepted, skipped or blocked.",
	properties: [
		dryRun,
		spendingNotice,
		acceptFrom,
		allowedPartners,
		blockedAnchorWords,
		maxAccepts,
		limits,
		rules,
	],
	options: [includeRecord, offersToReturn, outputFormat],
	sequential: true,
	// A set of rules that can't be read may block what another one allows.
	combinesItems: true,
	getParameters(parameters) {
		const options = parameters.collection();
		// A limit that was added and left empty would silently have no effect.
		const limitParameters = parameters.collection(limits, { ignoreBlank: false });
		return {
			rules: getRules(parameters),
			maxPerDay: getOptionalNumber(limitParameters, maxPerDay, Infinity),
			options: {
				dryRun: parameters.boolean(dryRun),
				maxAccepts: parameters.number(maxAccepts),
				minimumBalance: getOptionalNumber(limitParameters, minimumBalance, noMinimumBalance),
				includesRecord: options.boolean(includeRecord),
			},
			outputOptions: {
				offersToReturn: options.option(offersToReturn),
				isDigest: options.option(outputFormat) === 'digest',
			},
		};
	},
	createHandler(run) {
		const { context, client, hint } = run;
		const session = createAcceptSession(context, client);
		return {
			async executeItems(inputs) {
				const [first] = inputs;
				if (first === undefined) return [];
				const policy = { ruleSets: inputs, options: mergeOptions(inputs) };
				const { dryRun: isDryRun } = policy.options;
				if (inputs.every((input) => input.rules.isAllowlistEmpty)) {
					hint('emptyAllowlist', isDryRun ? emptyAllowlistDryRunHint : emptyAllowlistHint);
					// A dry run shows the pending offers, and so which partners can be added.
					if (!isDryRun) return [];
				}
				const accept = async () => await acceptOffers(session, policy, hint);
				// A run counts for Max per Day only once, when it starts, and another one may accept other
				// offers. So the next run starts after this one ends.
				const result = inputs.every(({ maxPerDay }) => maxPerDay === Infinity)
					? await accept()
					: await client.account.runExclusive('max per day', accept, client.signal);
				const runHint = await createRunHint(client, result, isDryRun);
				if (runHint !== '') hint('run', runHint);
				return createOutput(run, result, { ...first.outputOptions, isDryRun });
			},
		};
	},
};

/** Combines the options of all input items; the strictest limits apply. */
function mergeOptions(inputs: readonly Input[]): AcceptOptions {
	const all = inputs.map(({ options }) => options);
	return {
		dryRun: all.some(({ dryRun }) => dryRun),
		maxAccepts: Math.min(...all.map(({ maxAccepts }) => maxAccepts)),
		minimumBalance: Math.max(...all.map(({ minimumBalance }) => minimumBalance)),
		includesRecord: all[0]?.includesRecord ?? false,
	};
}
