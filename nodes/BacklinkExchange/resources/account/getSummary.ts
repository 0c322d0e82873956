import type { IDataObject, INodeProperties } from 'n8n-workflow';

import { readBalance, readLedger } from '../../../shared/balance';
import { ofEveryState, readExchanges } from '../../../shared/exchanges';
import { type Explanation, isExplanation, resultOrThrow } from '../../../shared/explanation';
import { byId, isId } from '../../../shared/identity';
import { type ListResult, readWholeList } from '../../../shared/list';
import { plain, sentence } from '../../../shared/message';
import { furthest, states } from '../../../shared/state';
import { isSince } from '../../../shared/time';
import { truncatedHint } from '../../getMany';
import type { Operation } from '../../operation';

const day = 24 * 60 * 60_000;
/** Fields that may show when something happened, where a record has one; none of them is documented. */
const timeFields = ['created_at', 'detected_at', 'occurred_at', 'timestamp', 'date', 'at'];
/** Severities beyond these are counted together: a message has to stay short. */
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
	fields: [days],
	read: (settings) => settings.number(days),
	begin: ({ context, connection, hint }) => ({
		async handle(daysBack, itemIndex) {
			const node = context.getNode();
			const [exchangeList, balance, ledger, alertList] = await Promise.all([
				readExchanges(connection, ofEveryState),
				readBalance(connection),
				readLedger(connection),
				readWholeList(connection, 'watchdogEvents'),
			]);
			const exchanges = resultOrThrow(node, exchangeList, itemIndex);
			const credits = resultOrThrow(node, balance, itemIndex);
			const alerts = resultOrThrow(node, alertList, itemIndex);
			if (exchanges.truncated || alerts.truncated) hint('truncated', truncatedHint);
			const since = Date.now() - daysBack * day;
			const summary = {
				days: daysBack,
				since: new Date(since).toISOString(),
				// Not -0.
				balance: (credits.balance as number) + 0,
				...earnedAndSpent(ledger, credits, since),
				exchanges: countStates(exchanges.entries),
				accepted: countSince(exchanges.entries, 'accepted_at', since),
				published: countSince(exchanges.entries, 'published_at', since),
				alerts: countSeverities(alerts.entries, since),
			};
			return [{ ...summary, message: messageOf(summary) }];
		},
	}),
};

/**
 * What was earned and spent, where each entry of the ledger has its amount and its time; neither is documented. Nothing
 * unless all of them add up to what was ever earned and spent: none is missing then, and the signs mean what they seem to.
 */
function earnedAndSpent(
	ledger: ListResult | Explanation,
	{ lifetime_earned, lifetime_spent }: IDataObject,
	since: number,
): { earned?: number; spent?: number } {
	if (isExplanation(ledger) || ledger.truncated) return {};
	const ever = { earned: 0, spent: 0 };
	const lately = { earned: 0, spent: 0 };
	for (const entry of ledger.entries) {
		const { amount } = entry;
		const isLate = isSince(since, timeFields)(entry);
		if (typeof amount !== 'number' || isLate === undefined) return {};
		const kind = amount > 0 ? 'earned' : 'spent';
		ever[kind] += Math.abs(amount);
		if (isLate) lately[kind] += Math.abs(amount);
	}
	return ever.earned === lifetime_earned && ever.spent === lifetime_spent ? lately : {};
}

/** Each exchange once, by its furthest state; those whose state cannot be read as "other". */
function countStates(entries: IDataObject[]): Record<string, number> {
	const counts: Record<string, number> = Object.fromEntries(states.map((state) => [state, 0]));
	for (const each of byId(entries).values()) {
		const { state = 'other' } = furthest(each);
		counts[state] = (counts[state] ?? 0) + 1;
	}
	return counts;
}

function countSince(entries: IDataObject[], field: string, since: number): number {
	return byId(entries.filter(isSince(since, [field]))).size;
}

/** By severity; an alert without a time counts, so that none is left out. */
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

function messageOf(summary: {
	days: number;
	balance: number;
	earned?: number;
	spent?: number;
	exchanges: Record<string, number>;
	accepted: number;
	published: number;
	alerts: Record<string, number>;
}): string {
	const { balance, earned, spent, exchanges, accepted, published, alerts } = summary;
	const period = summary.days === 1 ? 'In the last day' : `In the last ${summary.days} days`;
	const counted = (counts: Record<string, number>) =>
		sentence(...Object.entries(counts).map(([name, count]) => `${count} ${name}`));
	const credits = sentence(
		earned === undefined ? undefined : `${earned} credits earned`,
		spent === undefined ? undefined : `${spent} spent`,
		earned === undefined ? `${balance} credits left` : `${balance} left`,
	);
	return [
		`${period}: ${credits}; ${accepted} offers accepted, ${published} links published`,
		`Exchanges now: ${counted(exchanges)}`,
		`Alerts: ${counted(alerts) || 'none'}`,
	].join('. ');
}
