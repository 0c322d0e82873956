import type { INodeProperties } from 'n8n-workflow';

import { notListed, readExchanges } from '../../../../shared/reading/exchanges';
import { type Explanation, isExplanation } from '../../../../shared/words/explanation';
import schema from '../../../__schema__/v1.0.0/exchange/acceptMany.json';
import { output, simplify } from '../../../commonOptions';
import { truncatedHint } from '../../../getMany';
import type { Operation, Run } from '../../../operation';
import { turns } from '../../../turns';
import {
	dryRun as acceptDryRun,
	maxAccepts as acceptMaxAccepts,
	minimumBalance,
	notice as acceptNotice,
} from '../accept/accept';
import { type AcceptRun, beginAccepts } from '../accept/acceptOffer';
import { type Bounds, decideAll, type Decided } from './decideAll';
import { report, type View } from './report';
import {
	acceptFrom,
	allowedPartners,
	judgeByAll,
	readRules,
	refusedAnchorWords,
	type Rules,
	rules,
} from './rules';
import { acceptedToday, cutOff } from './today';

const notice: INodeProperties = {
	...acceptNotice,
	displayName:
		'This spends credits once Dry Run is off. An offer does not show the rating or the niche of the partner, so there are no rules for them.',
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

const returned: INodeProperties = {
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
				'Of the decisions, the offers that are undecided or failed, or whose outcome is unknown; in a dry run also what it would accept',
		},
	],
	default: 'decisions',
	description: 'Which offers to return',
};

interface Input {
	rules: Rules;
	dryRun: boolean;
	maxAccepts: number;
	maxPerDay: number;
	minimumBalance: number | undefined;
	view: Omit<View, 'isDryRun'>;
}

/**
 * GET /exchanges, and POST /exchanges/:id/accept for what the rules allow (service-api.md, "Endpoints"): scheduled
 * auto-accept in one node. Each accept is that of the operation Accept, with its guarantees.
 */
export const acceptMany: Operation<Input> = {
	value: 'acceptMany',
	name: 'Accept Many',
	action: 'Accept many exchange offers by rules (spends credits)',
	description: 'Accept the pending offers that your rules allow, and leave the others to a person',
	output: schema,
	pattern:
		"Schedule Trigger → acceptMany with output: 'digest' → Slack with expr('{{ $json.message }}'). It reads the pending offers itself: no Get Many before it. Several input items are several sets of rules. dryRun: false accepts; options minimumBalance and maxPerDay limit it; return: 'needsPerson' leaves out what was accepted or refused. digest: one item { message, title, count, items }.",
	fields: [
		notice,
		acceptFrom,
		allowedPartners,
		refusedAnchorWords,
		maxAccepts,
		dryRun,
		returned,
		output,
		simplify,
		rules,
	],
	options: [maxPerDay, minimumBalance],
	oneAtATime: true,
	read(settings) {
		const options = settings.collection();
		return {
			rules: readRules(settings),
			dryRun: settings.boolean(dryRun),
			maxAccepts: settings.number(maxAccepts),
			maxPerDay: options.has(maxPerDay) ? options.number(maxPerDay) : Infinity,
			minimumBalance: options.has(minimumBalance) ? options.number(minimumBalance) : undefined,
			view: {
				returned: settings.choice(returned),
				isDigest: settings.choice(output) === 'digest',
				isSimple: settings.boolean(simplify),
			},
		};
	},
	begin(run) {
		const { context, connection, hint } = run;
		const accepts = beginAccepts(context, connection);
		return {
			async handleAll(inputs) {
				if (inputs.every((input) => input.rules.listNobody)) {
					hint('nobody', 'Allowed Partners is empty: list partners, or choose Anyone.');
					return async () => await Promise.resolve([]);
				}
				const bounds = strictest(inputs);
				const decide = async () => await readAndDecide(accepts, bounds, hint);
				// Max per Day counts by the list, so the next execution reads it when this one is done.
				const perDay = connection.accountKey('maxPerDay');
				const decided =
					bounds.maxPerDay === Infinity
						? await decide()
						: await turns.inTurn(perDay, decide, connection.signal);
				if (isExplanation(decided)) return decided;
				const { view } = inputs[0] as Input;
				const { dryRun: isDryRun } = bounds.settings;
				return report(context, connection, decided, { ...view, isDryRun });
			},
		};
	},
};

/** All items together are one set of rules and limits. */
function strictest(inputs: Input[]): Bounds {
	const all = inputs.map((input) => input.rules);
	const minimums = inputs.flatMap((input) => input.minimumBalance ?? []);
	return {
		judge: (offer) => judgeByAll(all, offer),
		maxPerDay: Math.min(...inputs.map((input) => input.maxPerDay)),
		settings: {
			dryRun: inputs.some((input) => input.dryRun),
			maxAccepts: Math.min(...inputs.map((input) => input.maxAccepts)),
			...(minimums.length > 0 && { minimumBalance: Math.max(...minimums) }),
		},
	};
}

async function readAndDecide(
	run: AcceptRun,
	bounds: Bounds,
	hint: Run['hint'],
): Promise<Decided | Explanation> {
	const { connection } = run;
	const isPerDay = bounds.maxPerDay !== Infinity;
	// Max per Day counts what the whole list leaves out, too.
	const alsoIn = isPerDay ? notListed : undefined;
	const list = await readExchanges(connection, { fresh: true, alsoIn });
	if (isExplanation(list)) return list;
	if (list.truncated && isPerDay) return cutOff;
	if (list.truncated) hint('truncated', truncatedHint);
	const today = isPerDay ? acceptedToday(connection, list.entries) : new Set<string>();
	if (isExplanation(today)) return today;
	const decided = await decideAll(run, list.entries, today, bounds);
	const { decisions, end } = decided;
	if (end !== undefined) hint('end', `No further offer can be accepted now: ${end}`);
	const count = list.entries.length;
	if (decisions.length === 0) {
		hint('nothing', `No offer is pending. Exchanges that the service lists: ${count}.`);
	}
	return decided;
}
