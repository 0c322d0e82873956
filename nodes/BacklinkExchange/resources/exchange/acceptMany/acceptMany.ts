import type { IDataObject, INodeProperties } from 'n8n-workflow';

import { byId, hash, idOf } from '../../../../shared/identity';
import { afterPending, notListed, readExchanges } from '../../../../shared/reading/exchanges';
import { isSince } from '../../../../shared/time';
import { type Explanation, explanation, isExplanation } from '../../../../shared/words/explanation';
import output from '../../../__schema__/v1.0.0/exchange/acceptMany.json';
import { simplify } from '../../../commonOptions';
import { truncatedHint } from '../../../getMany';
import type { Operation, Run } from '../../../operation';
import {
	dryRun as acceptDryRun,
	maxAccepts,
	minimumBalance,
	notice as acceptNotice,
} from '../accept/accept';
import { type AcceptRun, beginAccepts } from '../accept/offer';
import { type Bounds, decideAll } from './decideAll';
import { type Returned, ReturnedOnce, type ReturnSettings } from './returnedOnce';
import { acceptFrom, allowedPartners, readRules, ruleOptions } from './rules';

const day = 24 * 60 * 60_000;

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

const mostInOneRun: INodeProperties = {
	...maxAccepts,
	default: 5,
	description:
		'Maximum number of offers to accept in one execution. Further offers are skipped. Without this option, the limit is 5.',
};

const maxPerDay: INodeProperties = {
	...maxAccepts,
	displayName: 'Max per Day',
	name: 'maxPerDay',
	placeholder: 'e.g. 10',
	description:
		'Maximum number of offers accepted within 24 hours, including those that you accepted elsewhere before the execution began, if the service shows when. Without this option there is no limit.',
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

const notCounted = explanation({
	message: 'Max per Day cannot be counted',
	description:
		'The service says that it has accepted more offers than it lists, in a way that this node cannot follow. Nothing was accepted. Remove Max per Day from the options to go on with the limits of Max Accepts and Minimum Balance.',
});

const unreadTime =
	'At least one exchange has an "accepted_at" that cannot be read. Max per Day counts it as accepted today.';

type Input = Bounds & ReturnSettings;

/**
 * GET /exchanges, and POST /exchanges/:id/accept for what the rules allow (service-api.md, "Endpoints"): scheduled
 * auto-accept in one node. Each accept is that of the operation Accept, with its guarantees.
 */
export const acceptMany: Operation<Input> = {
	value: 'acceptMany',
	name: 'Accept Many',
	action: 'Accept many exchange offers by rules (spends credits)',
	description: 'Accept the pending offers that your rules allow, and leave the others to a person',
	output,
	pattern:
		"Schedule Trigger → acceptMany → Slack with expr('{{ $json.message }}'). It reads the pending offers itself: no Get Many before it. Set dryRun: false when the user wants it to accept. options: minimumBalance keeps credits, maxPerDay and maxAccepts limit it; return 'needsPerson' leaves out what was accepted or refused; simplify: false adds exchange, the record.",
	fields: [notice, acceptFrom, allowedPartners, dryRun],
	options: [...ruleOptions, mostInOneRun, maxPerDay, minimumBalance, returned, simplify],
	shownOptions: { maxAccepts: 5, refusedAnchorWords: 'casino, betting, loan' },
	oneAtATime: true,
	read(settings) {
		const options = settings.collection();
		return {
			judge: readRules(settings),
			settings: {
				dryRun: settings.boolean(dryRun),
				maxAccepts: options.number(mostInOneRun),
				...(options.has(minimumBalance) && { minimumBalance: options.number(minimumBalance) }),
			},
			maxPerDay: options.has(maxPerDay) ? options.number(maxPerDay) : Infinity,
			returned: options.choice(returned) as Returned,
			isSimple: options.boolean(simplify),
		};
	},
	begin({ context, connection, hint }) {
		const run = beginAccepts(context, connection);
		const once = new ReturnedOnce(context, run);
		return {
			async handle(input) {
				const list = await readOffers(run, input, hint);
				if (isExplanation(list)) return list;
				const { decisions, blockedBy } = await decideAll(run, list.entries, list.today, input);
				for (const reason of blockedBy) {
					hint(reason, `No further offer can be accepted now: ${reason}`);
				}
				if (decisions.length === 0) hint('nothing', nothingPending(byId(list.entries).size));
				return await once.itemsOf(decisions, input);
			},
			async repeated(isFinal) {
				return await once.notReturned(isFinal);
			},
			async notEmitted() {
				await once.takeBack();
			},
		};
	},
};

/** The exchanges, and the keys of those that were accepted today; an explanation where what a limit needs cannot be read. */
async function readOffers(
	run: AcceptRun,
	{ maxPerDay, settings }: Input,
	hint: Run['hint'],
): Promise<{ entries: IDataObject[]; today: Set<string> } | Explanation> {
	const { connection, floor } = run;
	const isPerDay = maxPerDay !== Infinity;
	// Max per Day counts what the whole list leaves out, too. And an offer that a list per status shows as accepted is not sent,
	// although the whole list has shown it as pending.
	const list = await readExchanges(connection, {
		fresh: true,
		alsoIn: isPerDay ? notListed : undefined,
	});
	if (isExplanation(list)) return list;
	if (list.truncated) hint('truncated', truncatedHint);
	const today = isPerDay ? await acceptedToday(run, hint) : new Set<string>();
	if (isExplanation(today)) return today;
	const unreadable = settings.minimumBalance === undefined ? undefined : await floor.unreadable();
	return unreadable ?? { entries: list.entries, today };
}

/** The keys of what was accepted within 24 hours, by the lists and by what this process has sent. */
async function acceptedToday(
	{ connection, journal }: AcceptRun,
	hint: Run['hint'],
): Promise<Set<string> | Explanation> {
	// Of the two clocks, the one that is behind counts: with the other one, something would be left out.
	const since = Math.min(Date.now(), connection.now()) - day;
	const isToday = isSince(since, ['accepted_at']);
	const list = await readExchanges(connection, { wanted: afterPending, alsoIn: notListed });
	if (isExplanation(list)) return list;
	if (list.truncated) return notCounted;
	// An exchange without an ID counts, too, under a name that no offer has.
	const isUnread = (entry: IDataObject) =>
		isToday(entry) === undefined && (entry.accepted_at ?? '') !== '';
	if (list.entries.some(isUnread)) hint('times', unreadTime);
	const keys = list.entries
		.filter((entry) => isToday(entry) === true || isUnread(entry))
		.map((entry) => connection.accountKey(idOf(entry) ?? hash(entry)));
	return new Set([...journal.spentToday, ...keys]);
}

/** @param count of all exchanges that the lists showed */
function nothingPending(count: number): string {
	return `No offer is pending. Exchanges that the service lists: ${count}.`;
}
