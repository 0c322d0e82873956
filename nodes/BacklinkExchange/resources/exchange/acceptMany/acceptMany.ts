import type { IDataObject, INodeProperties } from 'n8n-workflow';

import { readExchanges } from '../../../../shared/exchanges';
import { type Explanation, isExplanation, resultOrThrow } from '../../../../shared/explanation';
import { isId } from '../../../../shared/identity';
import { whyNotASegment } from '../../../../shared/path';
import { describeState, furthestState, stateOf } from '../../../../shared/state';
import { readFieldTime } from '../../../../shared/time';
import type { Operation } from '../../../operation';
import { truncatedHint } from '../../../readOperations';
import { maxAccepts, minimumBalance } from '../accept/accept';
import {
	acceptOffer,
	type AcceptRun,
	type AcceptSettings,
	beginAccepts,
} from '../accept/acceptOffer';
import { type AcceptResult, outcomeUnknown, stillPending, toItem } from '../accept/result';
import { acceptFrom, allowedPartners, type Judgement, readRules, ruleOptions } from './rules';
import { ToldOnce } from './toldOnce';

const day = 24 * 60 * 60_000;

const notice: INodeProperties = {
	displayName:
		'This spends credits once Dry Run is off. The service does not show the rating or the niche of a partner with an offer, so they cannot be rules.',
	name: 'spendingNotice',
	type: 'notice',
	default: '',
};

const dryRun: INodeProperties = {
	displayName: 'Dry Run',
	name: 'dryRun',
	type: 'boolean',
	default: true,
	description:
		'Whether to check everything but not accept: what would be accepted has the outcome "wouldAccept", and no credits are spent',
};

const mostInOneRun: INodeProperties = {
	...maxAccepts,
	default: 5,
	description: 'How many offers to accept at most in one execution. Further ones are skipped.',
};

const maxPerDay: INodeProperties = {
	displayName: 'Max per Day',
	name: 'maxPerDay',
	type: 'number',
	typeOptions: { minValue: 1, numberPrecision: 0 },
	default: '',
	description:
		'How many offers may be accepted at most within 24 hours, those included that you accept elsewhere, as far as the service shows when. Without this option there is no limit.',
};

const returned: INodeProperties = {
	displayName: 'Return',
	name: 'return',
	type: 'options',
	options: [
		{ name: 'All', value: 'all', description: 'Each pending offer, at every run' },
		{
			name: 'Decisions',
			value: 'decisions',
			description:
				'What was decided now. What was not accepted is returned once for each reason, not at every run.',
		},
	],
	default: 'decisions',
	description: 'Which offers to return',
};

interface Input {
	judge: (offer: IDataObject) => Judgement;
	settings: AcceptSettings;
	maxPerDay: number;
	returnAll: boolean;
}

/** What came of an offer: the outcomes of accept, or one of `undecided`, `refused`, `failed` and `unknown`. */
type Decided = Omit<AcceptResult, 'outcome'> & { outcome: string };

/**
 * GET /exchanges, and POST /exchanges/:id/accept for what the rules allow (service-api.md, "Endpoints"): scheduled
 * auto-accept in one node. Each accept is that of the operation Accept, with its guarantees.
 */
export const acceptMany: Operation<Input> = {
	value: 'acceptMany',
	name: 'Accept Many',
	action: 'Accept many exchange offers by rules (spends credits)',
	description: 'Accept the pending offers that your rules allow, and say what is left to decide',
	fields: [notice, acceptFrom, allowedPartners, dryRun],
	options: [...ruleOptions, mostInOneRun, maxPerDay, minimumBalance, returned],
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
			returnAll: options.choice(returned) === 'all',
		};
	},
	begin({ context, connection, hint }) {
		const run = beginAccepts(context, connection);
		const toldOnce = new ToldOnce(context);
		const accepted: string[] = [];
		return {
			async failed() {
				await toldOnce.forget();
				for (const key of accepted) await run.journal.untold(key);
			},
			async handle(input, itemIndex) {
				const read = await readExchanges(connection, { fresh: true });
				const list = resultOrThrow(context.getNode(), read, itemIndex);
				run.list.readAt = Date.now();
				if (list.truncated) hint('truncated', truncatedHint);
				const decisions = await decideAll(run, list.entries, input);
				const keyOf = ({ id }: Decided) => connection.accountKey(id);
				accepted.push(...decisions.filter(({ outcome }) => outcome === 'accepted').map(keyOf));
				if (input.returnAll) return decisions.map(toItem);
				// Each request whose outcome is unknown is news.
				const requestsOf = (decided: Decided) =>
					run.journal.recall(keyOf(decided))?.open.length ?? 0;
				const nameOf = (decided: Decided) =>
					connection.accountKey(nameOfDecision(decided, requestsOf(decided)));
				const news = await toldOnce.newOf(decisions.filter(isRepeated).map(nameOf));
				return decisions
					.filter((decided) => !isRepeated(decided) || news.has(nameOf(decided)))
					.map(toItem);
			},
		};
	},
};

/**
 * Decides about each offer that is pending, or whose state cannot be read, in the order of the list. One that is accepted by
 * now is told if a request of this node was still open for it.
 */
async function decideAll(
	run: AcceptRun,
	entries: IDataObject[],
	{ judge, settings, maxPerDay }: Input,
): Promise<Decided[]> {
	const exchanges = new Map<string, IDataObject[]>();
	for (const entry of entries) {
		const id = isId(entry.id) ? String(entry.id) : '';
		exchanges.set(id, [...(exchanges.get(id) ?? []), entry]);
	}
	const { connection, journal } = run;
	const today = acceptedToday(run, entries);
	const leftOpen = await journal.leftOpen([...today]);
	const decisions: Decided[] = [];
	/** Why no other offer can be accepted either. */
	let end: string | undefined;
	for (const [id, listed] of exchanges) {
		const key = connection.accountKey(id);
		const state = furthestState(listed);
		const exchange = listed.find((entry) => stateOf(entry) === state) ?? listed[0] ?? {};
		if (state !== undefined && state !== 'pending') {
			// Accepted by a request whose outcome nobody has told of yet.
			const objection = () => 'The list showed it as accepted';
			const result = leftOpen.has(key)
				? await acceptOffer(run, id, { ...settings, objection })
				: undefined;
			if (!isExplanation(result) && result?.outcome === 'accepted') decisions.push(result);
			continue;
		}
		const judgement = judgeListed(id, listed, judge);
		if (judgement.verdict !== 'allowed') {
			decisions.push({ id, outcome: judgement.verdict, reason: judgement.reason, exchange });
			continue;
		}
		const isTooMany = !today.has(key) && today.size >= maxPerDay;
		const reason = end ?? (isTooMany ? `Max per Day (${maxPerDay}) is reached` : undefined);
		if (reason !== undefined) {
			const isInDoubt = journal.doubtSince(key) !== undefined;
			decisions.push(
				isInDoubt
					? decisionOf(id, exchange, stillPending(id, undefined, reason))
					: { id, outcome: 'skipped', reason, exchange },
			);
			continue;
		}
		/** By the list as it was read last: it may have changed since. */
		const latest: { judgement: Judgement } = { judgement };
		const objection = (now: IDataObject[]) => {
			latest.judgement = judgeListed(id, now, judge);
			return latest.judgement.verdict === 'allowed' ? undefined : latest.judgement.reason;
		};
		const result = await acceptOffer(run, id, { ...settings, objection });
		const { verdict } = latest.judgement;
		const isObjected =
			!isExplanation(result) && verdict !== 'allowed' && result.outcome === 'skipped';
		const decided: Decided = isExplanation(result)
			? decisionOf(id, exchange, result)
			: { ...result, ...(isObjected && { outcome: verdict }) };
		decisions.push(decided);
		if (isSpent(decided)) today.add(key);
		if (isExplanation(result) && endsAll(result)) end = result.message;
	}
	return decisions;
}

function judgeListed(id: string, listed: IDataObject[], judge: Input['judge']): Judgement {
	const undecided = (reason: string): Judgement => ({ verdict: 'undecided', reason });
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
	return (
		of('refused') ?? of('undecided') ?? of('allowed') ?? undecided('The list shows it no more')
	);
}

/** By their keys: what the list shows as accepted within 24 hours, and what this process knows of. */
function acceptedToday({ connection, journal }: AcceptRun, entries: IDataObject[]): Set<string> {
	const since = Date.now() - day;
	const listed = entries.filter(({ id, accepted_at }) => {
		const time = readFieldTime(accepted_at);
		return isId(id) && time !== undefined && (time.seconds + time.precision) * 1000 > since;
	});
	const keys = listed.map(({ id }) => connection.accountKey(String(id)));
	return new Set([...journal.spentSince(since), ...keys]);
}

/** After an error: credits may have been spent, or certainly none were. */
function decisionOf(id: string, exchange: IDataObject, why: Explanation): Decided {
	const outcome = why.code === outcomeUnknown ? 'unknown' : 'failed';
	return { id, outcome, reason: `${why.message}. ${why.description}`, exchange };
}

function isSpent({ outcome }: Decided): boolean {
	// Pending a moment ago, and accepted now: today, by whomever.
	return ['accepted', 'alreadyAccepted', 'unknown', 'wouldAccept'].includes(outcome);
}

/** It is not about this offer: no other one can be accepted either. */
function endsAll({ failure }: Explanation): boolean {
	return failure !== undefined && failure.cause !== 'temporarily-unavailable';
}

/** Not accepted: returned once for each reason. */
function isRepeated({ outcome }: Decided): boolean {
	return ['undecided', 'refused', 'skipped', 'failed', 'unknown'].includes(outcome);
}

/** The same for the same reason, whatever the figures and times in it are now. */
function nameOfDecision({ id, outcome, reason = '' }: Decided, requests: number): string {
	// What is unknown is the outcome of a request, however it is said.
	const isUnknown = outcome === 'unknown';
	const words = isUnknown ? requests : reason.replaceAll(id, '').replace(/\d+/g, '#');
	return JSON.stringify(['decision', id, outcome, words]);
}
