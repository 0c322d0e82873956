import type { IDataObject, INodeProperties } from 'n8n-workflow';

import { byId, isId } from '../../../shared/identity';
import { readBalance } from '../../../shared/reading/balance';
import { afterPending, notListed, readExchanges } from '../../../shared/reading/exchanges';
import { type ListResult, readWholeList } from '../../../shared/reading/list';
import { furthest, type State, states } from '../../../shared/reading/state';
import { aMomentAgo } from '../../../shared/service/connection';
import { isSince } from '../../../shared/time';
import { isExplanation } from '../../../shared/words/explanation';
import { plain, sentence, several } from '../../../shared/words/message';
import output from '../../__schema__/v1.0.0/account/getSummary.json';
import { truncatedHint } from '../../getMany';
import type { Operation } from '../../operation';

const day = 24 * 60 * 60_000;
/** Fields that may show when something happened, where a record has one; none of them is documented. */
const timeFields = ['created_at', 'detected_at', 'occurred_at', 'timestamp', 'date', 'at'];
/** Severities beyond so many are counted together, because a message has to stay short. */
const mostSeverities = 8;

const days: INodeProperties = {
	displayName: 'Days',
	name: 'days',
	type: 'number',
	typeOptions: { minValue: 1, maxValue: 366, numberPrecision: 0 },
	default: 7,
	description: 'Number of days to summarize, counted back from now',
};

/** GET /exchanges, /credits/balance and /watchdog/events (service-api.md, "Endpoints"), as one item for a report. */
export const getSummary: Operation<number> = {
	value: 'getSummary',
	name: 'Get Summary',
	action: 'Get account summary',
	description: 'Return one item with your credits, exchanges by state, and what happened recently',
	output,
	pattern: "Schedule Trigger → getSummary → Slack or email with expr('{{ $json.message }}').",
	fields: [days],
	read: (settings) => settings.number(days),
	begin: ({ connection, hint }) => ({
		async handle(daysBack) {
			const [exchanges, credits, ledger, alerts] = await Promise.all([
				readExchanges(connection, { ...aMomentAgo, alsoIn: notListed }),
				readBalance(connection, aMomentAgo),
				readWholeList(connection, 'ledger', aMomentAgo),
				readWholeList(connection, 'watchdogEvents', aMomentAgo),
			]);
			if (isExplanation(exchanges)) return exchanges;
			if (isExplanation(credits)) return credits;
			if (isExplanation(alerts)) return alerts;
			const isPart = exchanges.truncated || alerts.truncated;
			if (isPart) hint('truncated', truncatedHint);
			// The service's clock counts, because it has written the times that are compared.
			const since = connection.now() - daysBack * day;
			const { entries } = exchanges;
			const accepted = countSince(since, entries, 'accepted_at', afterPending);
			const published = countSince(since, entries, 'published_at', ['live', 'broken']);
			const summary = {
				days: daysBack,
				since: new Date(since).toISOString(),
				balance: credits.balance as number,
				// A ledger that cannot be read is no reason to go without the rest.
				...(!isExplanation(ledger) && earnedAndSpent(ledger, credits, since)),
				exchanges: countStates(entries),
				...(accepted !== undefined && { accepted }),
				...(published !== undefined && { published }),
				alerts: countSeverities(alerts.entries, since),
			};
			const isDated = isSince(since, timeFields);
			const undated = alerts.entries.filter((alert) => isDated(alert) === undefined).length;
			// First, because the editor's table shows the first columns only.
			return [{ message: messageOf(summary, undated, isPart), ...summary }];
		},
	}),
};

/** The item's fields besides its message; those that the service does not show are left out. */
interface Summary {
	days: number;
	balance: number;
	earned?: number;
	spent?: number;
	exchanges: Record<string, number>;
	accepted?: number;
	published?: number;
	alerts: Record<string, number>;
}

/**
 * The summary in plain sentences, ready for Slack or an email: `In the last 7 days: 50 credits earned, 30 spent, 90 left;
 * 3 offers accepted, 2 links published. Exchanges now: 1 pending, 2 accepted, 1 live, 1 broken. Alerts: 1 critical`.
 * @param undated how many of the alerts show no time
 * @param isPart the service has more than it lists
 */
function messageOf(summary: Summary, undated: number, isPart: boolean): string {
	const { days, balance, earned, spent, accepted, published } = summary;
	const credits =
		earned === undefined
			? `${several(balance, 'credit')} left`
			: `${several(earned, 'credit')} earned, ${spent} spent, ${balance} left`;
	const changes = sentence(
		accepted === undefined ? undefined : `${several(accepted, 'offer')} accepted`,
		published === undefined ? undefined : `${several(published, 'link')} published`,
	);
	const older = undated === 0 ? '' : ` (${undated} without a time, which may be older)`;
	const period = days === 1 ? 'In the last day' : `In the last ${days} days`;
	return [
		`${period}: ${credits}${changes === '' ? '' : `; ${changes}`}`,
		`Exchanges now: ${inWords(summary.exchanges)}`,
		`Alerts: ${inWords(summary.alerts) || 'none'}${older}`,
		...(isPart ? [truncatedHint] : []),
	].join('. ');
}

/**
 * What was earned and spent since a moment, where each entry of the ledger has its amount and its time; neither is documented.
 * Undefined unless all entries add up to what was ever earned and spent, because only then none is missing, and the signs of
 * the amounts mean what they seem to.
 */
function earnedAndSpent(
	ledger: ListResult,
	{ lifetime_earned, lifetime_spent }: IDataObject,
	since: number,
): { earned: number; spent: number } | undefined {
	if (ledger.truncated) return undefined;
	const ever = { earned: 0, spent: 0 };
	const lately = { earned: 0, spent: 0 };
	for (const entry of ledger.entries) {
		const { amount } = entry;
		const isLate = isSince(since, timeFields)(entry);
		if (typeof amount !== 'number' || isLate === undefined) return undefined;
		const kind = amount > 0 ? 'earned' : 'spent';
		ever[kind] += Math.abs(amount);
		if (isLate) lately[kind] += Math.abs(amount);
	}
	return ever.earned === lifetime_earned && ever.spent === lifetime_spent ? lately : undefined;
}

/** How many exchanges are in each state, the furthest that is listed of them; "other" counts those whose state cannot be read. */
function countStates(entries: IDataObject[]): Record<string, number> {
	const counts: Record<string, number> = Object.fromEntries(states.map((state) => [state, 0]));
	for (const each of byId(entries).values()) {
		const { state = 'other' } = furthest(each);
		counts[state] = (counts[state] ?? 0) + 1;
	}
	return counts;
}

/**
 * How many exchanges show in this field that they have reached these states since a moment. Undefined where one that has
 * reached them does not show when, because it may have been since.
 */
function countSince(
	since: number,
	entries: IDataObject[],
	field: string,
	reached: readonly State[],
): number | undefined {
	let count = 0;
	for (const each of byId(entries).values()) {
		const isLate = each.map(isSince(since, [field]));
		const { state } = furthest(each);
		if (isLate.includes(true)) count++;
		else if (!isLate.includes(false) && state && reached.includes(state)) return undefined;
	}
	return count;
}

/** How many alerts there were of each severity; one without a time counts, so that none is left out. */
function countSeverities(entries: IDataObject[], since: number): Record<string, number> {
	const counts = new Map<string, number>();
	for (const entry of entries) {
		if (isSince(since, timeFields)(entry) === false) continue;
		const severity = isId(entry.severity) ? plain(String(entry.severity), 30) || 'other' : 'other';
		const name = counts.has(severity) || counts.size < mostSeverities ? severity : 'other';
		counts.set(name, (counts.get(name) ?? 0) + 1);
	}
	return Object.fromEntries(counts);
}

/** Counts in words, such as `1 pending, 2 accepted`. */
function inWords(counts: Record<string, number>): string {
	return sentence(...Object.entries(counts).map(([name, count]) => `${count} ${name}`));
}
