import type { IDataObject, INodeProperties } from 'n8n-workflow';

import { afterPending, notListed, readExchanges } from '../../../../shared/exchanges';
import {
	type Explanation,
	explanation,
	inOneText,
	isExplanation,
} from '../../../../shared/explanation';
import { byId, hash, idOf, whyNotASegment } from '../../../../shared/identity';
import { describeState, furthest, stateOf } from '../../../../shared/state';
import { isSince } from '../../../../shared/time';
import output from '../../../__schema__/v1.0.0/exchange/acceptMany.json';
import { simplify } from '../../../commonOptions';
import { truncatedHint } from '../../../getMany';
import { NodeRecord } from '../../../nodeRecord';
import type { Operation } from '../../../operation';
import {
	dryRun as acceptDryRun,
	maxAccepts,
	minimumBalance,
	notice as acceptNotice,
} from '../accept/accept';
import {
	acceptOffer,
	type AcceptRun,
	type AcceptSettings,
	beginAccepts,
	maxAcceptsReached,
} from '../accept/acceptOffer';
import { outcomeUnknown } from '../accept/result';
import { type Decision, toItem } from '../decision';
import { acceptFrom, allowedPartners, type Judgement, readRules, ruleOptions } from './rules';

const day = 24 * 60 * 60_000;
/** Names of decisions that are recorded in one run at most: they push out the claims that n8n keeps beside them. */
const mostInARun = 2000;

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
	description: 'Maximum number of offers to accept in one execution. Further offers are skipped.',
};

const maxPerDay: INodeProperties = {
	...maxAccepts,
	displayName: 'Max per Day',
	name: 'maxPerDay',
	placeholder: 'e.g. 10',
	description:
		'Maximum number of offers accepted within 24 hours, including those that you accept elsewhere, if the service shows when. Without this option there is no limit.',
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

type Returned = 'all' | 'decisions' | 'needsPerson';

interface Input {
	judge: (offer: IDataObject) => Judgement;
	settings: AcceptSettings;
	maxPerDay: number;
	returned: Returned;
	isSimple: boolean;
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
		const record = new NodeRecord(context);
		/** Names of the decisions that this run has returned and that are returned once. */
		const returnedOnce: string[] = [];

		/** Those that were not returned before. Where n8n cannot record that, all are: twice is better than not at all. */
		async function notYetReturned(decisions: Decision[]): Promise<Decision[]> {
			const nameOf = (decision: Decision) => connection.accountKey(nameOfDecision(run, decision));
			const names = [...new Set(decisions.filter(isRepeated).map(nameOf))].slice(0, mostInARun);
			const known = await record.add(names).catch(() => new Set<string>());
			const isOld = (name: string) => known.has(name) && !run.journal.isOfEarlierTry(name);
			const old = new Set(names.filter(isOld));
			for (const name of names.filter((each) => !old.has(each))) {
				returnedOnce.push(name);
				run.journal.returns(name);
			}
			return decisions.filter((each) => !isRepeated(each) || !old.has(nameOf(each)));
		}

		return {
			async returned() {
				await run.journal.returned();
			},
			async failed() {
				await run.journal.failed();
				await record.remove(returnedOnce);
			},
			async handle(input) {
				// Max per Day counts also what the list without a status leaves out. And what that one shows as pending, and a
				// later one as accepted, is not sent.
				const alsoIn = input.maxPerDay === Infinity ? undefined : notListed;
				const list = await readExchanges(connection, { fresh: true, alsoIn });
				if (isExplanation(list)) return list;
				if (list.truncated) hint('truncated', truncatedHint);
				const today = await acceptedToday(run, alsoIn);
				if (isExplanation(today)) return today;
				const decisions = await decideAll(run, list.entries, today, input);
				if (decisions.length === 0) hint('nothing', nothingPending(list.entries.length));
				// An execution by hand shows everything, and changes nothing for later ones.
				const isWhole = input.returned === 'all' || context.getMode() === 'manual';
				return (isWhole ? decisions : await notYetReturned(decisions))
					.filter((decision) => input.returned !== 'needsPerson' || needsPerson(decision))
					.map((decision) => toItem(decision, input));
			},
		};
	},
};

/**
 * Decides about each offer that is pending, or whose state cannot be read, in the order of the list. One that is accepted by
 * now is returned if a request of this node was still open for it.
 */
async function decideAll(
	run: AcceptRun,
	entries: IDataObject[],
	today: Set<string>,
	{ judge, settings, maxPerDay }: Input,
): Promise<Decision[]> {
	const { connection, journal } = run;
	const decisions: Decision[] = [];
	/** Why no other offer can be accepted either. */
	let end: string | undefined;
	for (const listed of byId(entries).values()) {
		const { state = 'pending', record: exchange = {} } = furthest(listed);
		const id = idOf(exchange) ?? '';
		const key = connection.accountKey(id);
		const isOver = state !== 'pending';
		// By a request of this node whose outcome nobody has reported?
		if (isOver && (!today.has(key) || journal.isReported(key))) continue;
		const judgeNow = (now: IDataObject[], spent = today): Judgement => {
			if (isOver) return { verdict: 'skipped', reason: 'The list showed it as accepted' };
			// One in doubt is sent again only below the limit, too.
			const isTooMany = spent.size - Number(spent.has(key)) >= maxPerDay;
			const perDay = isTooMany ? `Max per Day (${maxPerDay}) is reached` : undefined;
			const limit = end ?? perDay ?? maxAcceptsReached(journal, key, settings);
			return judgeListed(id, now, judge, limit);
		};
		let latest = judgeNow(listed);
		/** By the list as it was read last: it may have changed since. */
		const objection = (now: IDataObject[]) => {
			// Other executions accept at the same time.
			latest = judgeNow(now, new Set([...today, ...journal.spentToday]));
			return latest.reason;
		};
		// What was asked for, or seen as accepted, is never only judged.
		const isKnown =
			isOver || (journal.doubtSince(key) ?? journal.recall(key)?.acceptedAt) !== undefined;
		if (latest.verdict !== 'allowed' && !isKnown) {
			decisions.push({ id, outcome: latest.verdict, reason: latest.reason, exchange });
			continue;
		}
		const result = await acceptOffer(run, id, { ...settings, objection });
		let decision: Decision;
		if (isExplanation(result)) {
			// Credits may have been spent, or certainly none were.
			const outcome = result.code === outcomeUnknown ? 'unknown' : 'failed';
			decision = { id, outcome, reason: inOneText(result), exchange };
			if (endsAll(result)) end = result.message;
		} else if (result.outcome !== 'skipped' || latest.verdict === 'allowed') decision = result;
		else decision = { ...result, outcome: latest.verdict };
		if (!isOver || isOwn(decision)) decisions.push(decision);
		if (isSpent(decision)) today.add(key);
	}
	return decisions;
}

/** @param limit why no more may be accepted */
function judgeListed(
	id: string,
	listed: IDataObject[],
	judge: Input['judge'],
	limit: string | undefined,
): Judgement {
	const undecided = (reason: string) => ({ verdict: 'undecided', reason }) as const;
	if (/\p{C}/u.test(id) || whyNotASegment(id) !== undefined) {
		return undecided('Its ID cannot be read');
	}
	const unreadable = listed.find((entry) => stateOf(entry) === undefined);
	if (unreadable !== undefined) {
		return undecided(`Its state cannot be read: the list shows ${describeState(unreadable)}`);
	}
	// Of several entries of one offer, any may be the right one: refusal wins over doubt, and doubt over allowance.
	const judgements = listed.map(judge);
	const of = (wanted: Judgement['verdict']) => judgements.find(({ verdict }) => verdict === wanted);
	const forbidding = of('refused') ?? of('undecided');
	if (forbidding !== undefined) return forbidding;
	if (limit !== undefined) return { verdict: 'skipped', reason: limit };
	return of('allowed') ?? undecided('The list no longer shows it');
}

/**
 * By their keys: what the lists show as accepted within 24 hours, and what this process knows of.
 * @param alsoIn the lists without which it is not complete; undefined where it need not be
 */
async function acceptedToday(
	{ connection, journal }: AcceptRun,
	alsoIn: typeof notListed | undefined,
): Promise<Set<string> | Explanation> {
	// By the clock that is behind: the other one would leave something out.
	const since = Math.min(Date.now(), connection.now()) - day;
	const isToday = isSince(since, ['accepted_at']);
	const list = await readExchanges(connection, { wanted: afterPending, alsoIn });
	if (isExplanation(list)) return list;
	if (alsoIn !== undefined && list.truncated) return notCounted;
	// One without an ID counts, too, and is no offer that could be asked for.
	const keys = list.entries
		.filter((entry) => isToday(entry) === true)
		.map((entry) => connection.accountKey(idOf(entry) ?? hash(entry)));
	return new Set([...journal.spentToday, ...keys]);
}

/** A request of this node has done it, or may have. */
function isOwn({ outcome, reason }: Decision): boolean {
	return outcome === 'accepted' || (outcome === 'alreadyAccepted' && reason !== undefined);
}

function isSpent({ outcome }: Decision): boolean {
	// Pending a moment ago, and accepted now: today, by whomever.
	return ['accepted', 'alreadyAccepted', 'unknown', 'wouldAccept'].includes(outcome);
}

/** It is not about this offer: no other one can be accepted either. */
function endsAll({ failure }: Explanation): boolean {
	return failure !== undefined && failure.cause !== 'temporarily-unavailable';
}

/** Nobody else will see to it. */
function needsPerson({ outcome, reason }: Decision): boolean {
	// Accepted, and nobody knows by whom.
	const isUnclear = outcome === 'alreadyAccepted' && reason !== undefined;
	return isUnclear || ['undecided', 'failed', 'unknown', 'wouldAccept'].includes(outcome);
}

/** @param count of all exchanges that the lists showed */
function nothingPending(count: number): string {
	return `No offer is pending. Exchanges that the service lists: ${count}.`;
}

/** Not accepted: returned once for each reason. */
function isRepeated({ outcome }: Decision): boolean {
	return outcome !== 'accepted' && outcome !== 'alreadyAccepted';
}

/** The same for the same reason, whatever the figures and times in it are now. */
function nameOfDecision({ connection, journal }: AcceptRun, decision: Decision): string {
	const { id, outcome, reason = '', exchange } = decision;
	// What is unknown is the outcome of a request, however it is said; that of another request is another decision.
	const requests = journal.recall(connection.accountKey(id))?.requests.length;
	const words = outcome === 'unknown' ? requests : reason.replaceAll(id, '').replace(/\d+/g, '#');
	return JSON.stringify(['decision', id || hash(exchange), outcome, words]);
}
