import type { IDataObject, INodeProperties } from 'n8n-workflow';

import {
	type ExchangeStatus,
	exchangeStatuses,
	getMostAdvanced,
	isClosed,
} from '../../../shared/api/exchangeStatus';
import { fetchBalance } from '../../../shared/api/fetchBalance';
import {
	fetchExchanges,
	missingStatuses,
	nonPendingStatuses,
} from '../../../shared/api/fetchExchanges';
import { fetchList } from '../../../shared/api/fetchList';
import { alertTimes } from '../../../shared/descriptions/events';
import { isErrorResult } from '../../../shared/errors';
import { eventMessage } from '../../../shared/formatting/eventMessage';
import { formatSite, joinParts, pluralize, sanitize } from '../../../shared/formatting/message';
import { sharedFor10s } from '../../../shared/transport/requestCache';
import { getId, groupById, isId } from '../../../shared/utils/ids';
import { getNormalizedSites } from '../../../shared/utils/site';
import { isOnOrAfter } from '../../../shared/utils/time';
import outputSchema from '../../__schema__/v1.0.0/account/getSummary.json';
import { truncatedHint } from '../../commonHints';
import type { Operation } from '../../operation.types';

const dayMs = 24 * 60 * 60_000;
/** The message counts the sites and alerts that exceed these limits. */
const maxSitesInMessage = 20;
const maxAlertsInMessage = 10;

const days: INodeProperties = {
	displayName: 'Days',
	name: 'days',
	type: 'number',
	typeOptions: { minValue: 1, maxValue: 366, numberPrecision: 0 },
	default: 7,
	description: 'Number of days to summarize, counted back from now',
};

/**
 * Combines GET /sites, /exchanges, /credits/balance and /watchdog/events (service-api.md,
 * "Endpoints") into one item for a report.
 */
export const getSummary: Operation<number> = {
	value: 'getSummary',
	name: 'Get Summary',
	action: 'Get account summary',
	description:
		'Return one item with your credits, exchanges by state, and what happened recently, also for each of your sites',
	outputSchema,
	usageHint: "Schedule Trigger → getSummary → Slack or email with expr('{{ $json.message }}').",
	properties: [days],
	getParameters: (parameters) => parameters.number(days),
	createHandler: ({ client, hint }) => ({
		async executeItem(daysBack) {
			const [exchanges, credits, alerts, sites] = await Promise.all([
				fetchExchanges(client, { ...sharedFor10s, extraStatuses: missingStatuses }),
				fetchBalance(client, sharedFor10s),
				fetchList(client, 'watchdogEvents', sharedFor10s),
				fetchList(client, 'sites', sharedFor10s),
			]);
			if (isErrorResult(exchanges)) return exchanges;
			if (isErrorResult(credits)) return credits;
			if (isErrorResult(alerts)) return alerts;
			if (isErrorResult(sites)) return sites;
			const isTruncated = exchanges.truncated || alerts.truncated || sites.truncated;
			if (isTruncated) hint('truncated', truncatedHint);
			// Use the service's clock: it wrote the timestamps that are compared.
			const since = client.now() - daysBack * dayMs;
			const isRecent = isOnOrAfter(since, alertTimes);
			// Alerts without a timestamp count, so that none is left out.
			const recentAlerts = alerts.entries.filter((alert) => isRecent(alert) !== false);
			const undatedCount = recentAlerts.filter((alert) => isRecent(alert) === undefined).length;
			const exchangesById = groupById(exchanges.entries);
			const siteCounts = sites.entries.map((site) =>
				countSite(site, exchangesById, recentAlerts, since),
			);
			const summary = {
				days: daysBack,
				since: new Date(since).toISOString(),
				balance: credits.balance as number,
				...countExchangesAndAlerts([...exchangesById.values()], recentAlerts, since),
				sites: siteCounts,
			};
			const message = [
				formatTotals(summary, undatedCount),
				...(isTruncated ? [truncatedHint] : []),
				...formatSiteLines(siteCounts),
				...formatAlertLines(recentAlerts, exchangesById),
			].join('\n');
			return [{ message, ...summary }];
		},
	}),
};

/** Counts of the account or of one site. Counts that the service doesn't show are left out. */
interface Counts {
	exchanges: Record<string, number>;
	accepted?: number;
	published?: number;
	alerts: Record<string, number>;
}

interface SiteCounts extends Counts {
	site: string;
}

type ExchangesById = ReturnType<typeof groupById>;

/**
 * Counts exchanges and alerts. Exchanges with an undocumented status count as "closed", those
 * without a readable one as "other".
 *
 * @param exchanges all records of each exchange
 */
function countExchangesAndAlerts(
	exchanges: IDataObject[][],
	alerts: IDataObject[],
	since: number,
): Counts {
	const accepted = countSince(since, exchanges, 'accepted_at', nonPendingStatuses);
	const published = countSince(since, exchanges, 'published_at', ['live', 'broken']);
	const statusNames = exchanges.map((records) => {
		const { status, record = {} } = getMostAdvanced(records);
		return status ?? (isClosed(record) ? 'closed' : 'other');
	});
	const severities = alerts.map(({ severity }) => isId(severity) && sanitize(String(severity), 30));
	return {
		exchanges: countNames(statusNames, exchangeStatuses),
		...(accepted !== undefined && { accepted }),
		...(published !== undefined && { published }),
		alerts: countNames(severities.map((severity) => severity || 'other')),
	};
}

/**
 * Counts the exchanges that have the site as one of their ends, and the alerts of these exchanges.
 */
function countSite(
	site: IDataObject,
	exchangesById: ExchangesById,
	alerts: IDataObject[],
	since: number,
): SiteCounts {
	const names = getNormalizedSites(site);
	const isSiteExchange = ({ from_site, to_site }: IDataObject) =>
		[from_site, to_site].flatMap(getNormalizedSites).some((name) => names.includes(name));
	const siteExchanges = [...exchangesById].filter(([, records]) => records.some(isSiteExchange));
	const ids = new Set<unknown>(siteExchanges.map(([id]) => id));
	const siteAlerts = alerts.filter(({ exchange_id }) => ids.has(getId({ id: exchange_id })));
	const exchanges = siteExchanges.map(([, records]) => records);
	return {
		site: formatSite(site) ?? 'a site without a name',
		...countExchangesAndAlerts(exchanges, siteAlerts, since),
	};
}

/**
 * Counts the exchanges that reached a status since the given time.
 *
 * @param field the timestamp of the status
 * @param statuses the statuses that an exchange has after it reached this one
 * @returns `undefined` if an exchange with one of these statuses has no timestamp, because it may
 * count
 */
function countSince(
	since: number,
	exchanges: IDataObject[][],
	field: string,
	statuses: readonly ExchangeStatus[],
): number | undefined {
	let recentCount = 0;
	for (const records of exchanges) {
		const isRecent = records.map(isOnOrAfter(since, [field]));
		const { status } = getMostAdvanced(records);
		if (isRecent.includes(true)) recentCount++;
		else if (!isRecent.includes(false) && status && statuses.includes(status)) return undefined;
	}
	return recentCount;
}

/**
 * Counts each name.
 *
 * @param expected names that are listed even if their count is 0
 */
function countNames(names: string[], expected: readonly string[] = []): Record<string, number> {
	const counts = new Map(expected.map((name) => [name, 0]));
	for (const name of names) counts.set(name, (counts.get(name) ?? 0) + 1);
	return Object.fromEntries(counts);
}

/**
 * Formats the totals of the account as one line: `In the last 7 days: 90 credits left; 3 offers
 * accepted, 2 links published. Exchanges now: 1 pending, 2 accepted, 1 live, 1 broken. Alerts: 1
 * critical`.
 *
 * @param undatedCount number of alerts without a timestamp
 */
function formatTotals(
	{ days, balance, accepted, published, ...counts }: Counts & { days: number; balance: number },
	undatedCount: number,
): string {
	const changes = joinParts(
		accepted !== undefined && `${pluralize(accepted, 'offer')} accepted`,
		published !== undefined && `${pluralize(published, 'link')} published`,
	);
	const undatedNote =
		undatedCount === 0 ? '' : ` (${undatedCount} without a time, which may be older)`;
	const period = days === 1 ? 'In the last day' : `In the last ${days} days`;
	return [
		`${period}: ${pluralize(balance, 'credit')} left${changes === '' ? '' : `; ${changes}`}`,
		`Exchanges now: ${formatCounts(counts.exchanges)}`,
		`Alerts: ${formatCounts(counts.alerts) || 'none'}${undatedNote}`,
	].join('. ');
}

/**
 * Formats one line per site with news, sites with alerts first.
 *
 * @returns no lines for an account with one site: its counts are the totals
 */
function formatSiteLines(sites: SiteCounts[]): string[] {
	if (sites.length < 2) return [];
	const countNews = ({ exchanges, published = 0, accepted = 0 }: SiteCounts) =>
		(exchanges.pending ?? 0) + published + accepted;
	const countAlerts = ({ alerts }: SiteCounts) =>
		Object.values(alerts).reduce((one, other) => one + other, 0);
	const sitesWithNews = sites
		.filter((site) => countAlerts(site) > 0 || countNews(site) > 0)
		.sort(
			(one, other) => countAlerts(other) - countAlerts(one) || countNews(other) - countNews(one),
		);
	const lines = sitesWithNews.slice(0, maxSitesInMessage).map((site) => {
		const alerts = formatCounts(site.alerts);
		const { accepted = 0, published = 0, exchanges } = site;
		const { pending = 0, broken = 0 } = exchanges;
		const facts = joinParts(
			alerts !== '' && `alerts: ${alerts}`,
			pending > 0 && `${pending} pending`,
			broken > 0 && `${broken} broken`,
			accepted > 0 && `${pluralize(accepted, 'offer')} accepted`,
			published > 0 && `${pluralize(published, 'link')} published`,
		);
		return `- ${site.site}: ${facts}`;
	});
	const remainingCount = sitesWithNews.length - lines.length;
	const quietCount = sites.length - sitesWithNews.length;
	const remainder = joinParts(
		remainingCount > 0 && `${remainingCount} more with news`,
		quietCount > 0 && `${quietCount} ${sitesWithNews.length === 0 ? 'sites' : 'more'} without news`,
	);
	return remainder === '' ? lines : [...lines, `- ${remainder}`];
}

/** Formats one line per alert, with the page if the service lists its exchange. */
function formatAlertLines(alerts: IDataObject[], exchangesById: ExchangesById): string[] {
	const lines = alerts.slice(0, maxAlertsInMessage).map((alert) => {
		const { record = alert } = getMostAdvanced(
			exchangesById.get(getId({ id: alert.exchange_id }) ?? '') ?? [],
		);
		return `- ${eventMessage('watchdog.alert', alert, { exchange: record })}`;
	});
	const remainingCount = alerts.length - lines.length;
	return remainingCount === 0
		? lines
		: [...lines, `- and ${pluralize(remainingCount, 'more alert')}`];
}

/** Formats counts, for example `1 pending, 2 accepted`. */
function formatCounts(counts: Record<string, number>): string {
	return joinParts(...Object.entries(counts).map(([name, number]) => `${number} ${name}`));
}
