import type { IDataObject, INodeProperties } from 'n8n-workflow';

import { alertTimes } from '../../../shared/api/alert';
import { Exchange } from '../../../shared/api/exchange';
import { fetchBalance } from '../../../shared/api/fetchBalance';
import { fetchExchanges, getMissingStatuses } from '../../../shared/api/fetchExchanges';
import { fetchList } from '../../../shared/api/fetchList';
import type { ExchangeStatus } from '../../../shared/api/forms/exchangeStatus';
import { fetchOwnSites } from '../../../shared/api/ownSites';
import { formatEventMessage } from '../../../shared/events/eventItem';
import { toEventData } from '../../../shared/events/events';
import { newAlert } from '../../../shared/events/newAlert';
import { fitLines, getLength, maxLines, maxMessageLength } from '../../../shared/formatting/digest';
import {
	compactParts,
	formatList,
	formatSite,
	pluralize,
	sanitize,
} from '../../../shared/formatting/message';
import type { OwnSites } from '../../../shared/sites/ownSites';
import { recentMs } from '../../../shared/transport/requestCache';
import { getId, isId } from '../../../shared/utils/ids';
import { isOnOrAfter, subtractCalendarDays } from '../../../shared/utils/time';
import outputSchema from '../../__schema__/v1.0.0/account/getSummary.json';
import { truncatedHint } from '../../commonHints';
import type { Operation } from '../../operation.types';

/** Severities are free text, and the message lists no more than this. */
const maxSeverities = 10;

const days: INodeProperties = {
	displayName: 'Days',
	name: 'days',
	type: 'number',
	typeOptions: { minValue: 1, maxValue: 366, numberPrecision: 0 },
	default: 7,
	description:
		'Number of days to include, up to now. For example, 1 means since this time yesterday.',
};

/**
 * Combines GET /sites, /exchanges, /credits/balance and /watchdog/events (service-api.md,
 * "Endpoints") into one item for a report.
 */
export const getSummary: Operation<number> = {
	value: 'getSummary',
	name: 'Get Summary',
	action: 'Get account summary',
	description: 'Retrieve a summary of the account',
	outputSchema,
	usageHint:
		"To send a report on a schedule, connect Schedule Trigger → getSummary → Slack or an email node, with the text expr('{{ $json.message }}').",
	properties: [days],
	getParameters: (parameters) => parameters.number(days),
	createHandler: ({ context, client, hint }) => ({
		async executeItem(daysBack) {
			const ownSites = await fetchOwnSites(client, recentMs);
			const recent = client.maxAge(recentMs);
			const [list, credits, alerts, sites] = await Promise.all([
				fetchExchanges(client, { ...recent, extraStatuses: getMissingStatuses }),
				fetchBalance(client, recent),
				fetchList(client, 'watchdogEvents', recent),
				fetchList(client, 'sites', recent),
			]);
			const isTruncated = list.truncated || alerts.truncated || sites.truncated;
			if (isTruncated) hint('truncated', truncatedHint);
			// Use the service's clock: it wrote the timestamps that are compared.
			const since = subtractCalendarDays(client.now(), daysBack, context.getTimezone());
			const isRecent = isOnOrAfter(since, alertTimes);
			// Alerts without a timestamp count, so that none is left out.
			const recentAlerts = alerts.entries.filter((alert) => isRecent(alert) !== false);
			const undatedCount = recentAlerts.filter((alert) => isRecent(alert) === undefined).length;
			const exchanges = new Map(list.exchanges.map((exchange) => [exchange.id ?? '', exchange]));
			const { totals, siteCounts } = countRecords(
				{ exchanges: list.exchanges, alerts: recentAlerts },
				ownSites,
				since,
			);
			const summary = {
				days: daysBack,
				since: new Date(since).toISOString(),
				balance: credits.balance,
				...totals,
				sites: siteCounts,
			};
			const heading = [
				formatTotals(summary, undatedCount),
				...(isTruncated ? [truncatedHint] : []),
			];
			const sitesSection = formatSites(siteCounts);
			const alertsSection = {
				lines: formatAlerts(recentAlerts, exchanges),
				totalCount: recentAlerts.length,
			};
			const sections = fitSections(heading, sitesSection, alertsSection);
			const message = [...heading, ...sections].join('\n');
			return [{ message, ...summary }];
		},
	}),
};

/** Counts of the account or of one site. Counts that the service doesn't show are left out. */
interface Counts extends Record<ExchangeCountName, number> {
	acceptedInPeriod?: number;
	publishedInPeriod?: number;
	alerts: number;
	/** For example `2 critical, 1 warning`. */
	alertsBySeverity: string;
}

interface SiteCounts extends Counts {
	site: string;
}

/** Counts to which records are added. `undefined`: a record doesn't show whether it counts. */
interface Tally {
	exchanges: Record<ExchangeCountName, number>;
	accepted: number | undefined;
	published: number | undefined;
	alerts: Map<string, number>;
}

/** An undocumented status counts as closed, a missing one as unreadable. */
type ExchangeCountName =
	| 'pendingIncoming'
	| 'pendingOutgoing'
	| Exclude<ExchangeStatus, 'pending'>
	| 'closed'
	| 'unreadable';

function createTally(): Tally {
	const exchanges = {
		pendingIncoming: 0,
		pendingOutgoing: 0,
		accepted: 0,
		live: 0,
		broken: 0,
		closed: 0,
		unreadable: 0,
	};
	return { exchanges, accepted: 0, published: 0, alerts: new Map() };
}

/**
 * Counts the exchanges and alerts of the account and of each site. An exchange counts for the sites
 * that its ends belong to. Every record is read once, whatever the number of sites.
 */
function countRecords(
	{ exchanges, alerts }: { exchanges: Exchange[]; alerts: IDataObject[] },
	ownSites: OwnSites,
	since: number,
): { totals: Counts; siteCounts: SiteCounts[] } {
	const totals = createTally();
	const siteTallies = new Map(ownSites.all.map((site) => [site, createTally()]));
	const talliesById = new Map<string, Tally[]>();
	for (const exchange of exchanges) {
		const own = new Set([exchange.site.own, exchange.partner.own]);
		const tallies = [...own].flatMap((site) => (site && siteTallies.get(site)) ?? []);
		talliesById.set(exchange.id ?? '', tallies);
		for (const tally of [totals, ...tallies]) addExchange(tally, exchange, since);
	}
	for (const alert of alerts) {
		const tallies = talliesById.get(getId({ id: alert.exchange_id }) ?? '') ?? [];
		const severity = isId(alert.severity) && sanitize(String(alert.severity), 30);
		for (const tally of [totals, ...tallies]) {
			increment(tally.alerts, severity || 'without a severity');
		}
	}
	const siteCounts = [...siteTallies].map(([{ record }, tally]) => ({
		site: formatSite(record) ?? 'a site without a name',
		...toCounts(tally),
	}));
	return { totals: toCounts(totals), siteCounts };
}

function addExchange(tally: Tally, exchange: Exchange, since: number): void {
	const { status, direction, acceptedAt, publishedAt } = exchange;
	// Outgoing offers wait for the partner, not for the user.
	const pendingName = direction === 'outgoing' ? 'pendingOutgoing' : 'pendingIncoming';
	tally.exchanges[status === 'pending' ? pendingName : (status ?? 'unreadable')]++;
	// An exchange that has reached a status may have done so in the period, unless a time shows it.
	const isPublished = status === 'live' || status === 'broken';
	tally.accepted = add(tally.accepted, acceptedAt, since, exchange.wasAccepted);
	tally.published = add(tally.published, publishedAt, since, isPublished);
}

/**
 * Adds an event to a count. The count isn't known if the time of the event isn't.
 *
 * @param time epoch seconds
 * @param since epoch milliseconds
 */
function add(
	count: number | undefined,
	time: number | undefined,
	since: number,
	hasHappened: boolean,
): number | undefined {
	if (count === undefined || (time === undefined && hasHappened)) return undefined;
	// The service may give whole seconds.
	return time !== undefined && time * 1000 + 999 >= since ? count + 1 : count;
}

function increment(counts: Map<string, number>, name: string): void {
	counts.set(name, (counts.get(name) ?? 0) + 1);
}

function toCounts({ exchanges, accepted, published, alerts }: Tally): Counts {
	return {
		...exchanges,
		...(accepted !== undefined && { acceptedInPeriod: accepted }),
		...(published !== undefined && { publishedInPeriod: published }),
		alerts: [...alerts.values()].reduce((one, other) => one + other, 0),
		alertsBySeverity: formatSeverities(alerts),
	};
}

/** Formats the number of alerts by severity, for example `2 critical, 1 warning`. */
function formatSeverities(counts: ReadonlyMap<string, number>): string {
	const parts = [...counts].map(([severity, count]) => `${count} ${severity}`);
	const otherCount = parts.length - maxSeverities;
	const shown = compactParts(
		...parts.slice(0, maxSeverities),
		otherCount > 0 && `and ${otherCount} more severities`,
	);
	return shown.join(', ');
}

/**
 * Formats the totals of the account as one line: `In the last 7 days, 3 offers were accepted, 2
 * links were published, and there was 1 alert (1 critical). You have 90 credits left. Your
 * exchanges now: 1 pending, 2 accepted, 1 live, and 1 broken.`
 *
 * @param undatedCount number of alerts without a timestamp
 */
function formatTotals(
	{ days, balance, ...counts }: Counts & { days: number; balance: number },
	undatedCount: number,
): string {
	const { acceptedInPeriod: accepted, publishedInPeriod: published } = counts;
	const period = days === 1 ? 'In the last day' : `In the last ${days} days`;
	const severities = counts.alertsBySeverity === '' ? '' : ` (${counts.alertsBySeverity})`;
	const changes = formatList(
		accepted !== undefined && `${withVerb(accepted, 'offer')} accepted`,
		published !== undefined && `${withVerb(published, 'link')} published`,
		counts.alerts === 1
			? `there was 1 alert${severities}`
			: `there were ${counts.alerts === 0 ? 'no' : counts.alerts} alerts${severities}`,
	);
	return [
		`${period}, ${changes}.`,
		...(undatedCount > 0 ? [formatUndatedNote(undatedCount)] : []),
		`You have ${pluralize(balance, 'credit')} left.`,
		`Your exchanges now: ${formatExchangeCounts(counts)}.`,
	].join(' ');
}

function formatUndatedNote(count: number): string {
	return count === 1
		? '1 of these alerts has no time and may be older.'
		: `${count} of these alerts have no time and may be older.`;
}

/** Formats a count as the subject of a sentence in the past: `1 offer was`, `2 offers were`. */
function withVerb(count: number, singular: string): string {
	return `${pluralize(count, singular)} ${count === 1 ? 'was' : 'were'}`;
}

/** Lines of the sites with news, and a last line that counts the others, if there are any. */
interface SitesSection {
	lines: string[];
	closing: string[];
}

/**
 * Fits the lines of sites and alerts into the message. Each of the two gets half of the space, and
 * what the other one leaves.
 */
function fitSections(
	heading: readonly string[],
	{ lines, closing }: SitesSection,
	alerts: { lines: string[]; totalCount: number },
): string[] {
	const fixed = [...heading, ...closing];
	const lineCount = maxLines - fixed.length;
	const length = maxMessageLength - getLength(fixed);
	const fittingAlerts = fitLines(alerts.lines, {
		maxLines: Math.max(Math.floor(lineCount / 2), lineCount - lines.length),
		maxLength: Math.max(length / 2, length - getLength(lines)),
		noun: 'alerts',
		totalCount: alerts.totalCount,
	});
	const fittingSites = fitLines(lines, {
		maxLines: lineCount - fittingAlerts.length,
		maxLength: length - getLength(fittingAlerts),
		noun: 'sites with changes',
	});
	return [...fittingSites, ...closing, ...fittingAlerts];
}

/**
 * Formats one line per site with news, sites with alerts first.
 *
 * @returns no lines for an account with one site: its counts are the totals
 */
function formatSites(sites: SiteCounts[]): SitesSection {
	if (sites.length < 2) return { lines: [], closing: [] };
	const countNews = ({
		pendingIncoming,
		publishedInPeriod = 0,
		acceptedInPeriod = 0,
	}: SiteCounts) => pendingIncoming + publishedInPeriod + acceptedInPeriod;
	const sitesWithNews = sites
		.filter((site) => site.alerts > 0 || countNews(site) > 0)
		.sort((one, other) => other.alerts - one.alerts || countNews(other) - countNews(one));
	const quietCount = sites.length - sitesWithNews.length;
	const noun = sitesWithNews.length === 0 ? 'sites' : 'more';
	return {
		lines: sitesWithNews.map(formatSiteLine),
		closing: quietCount === 0 ? [] : [`- ${quietCount} ${noun} without changes`],
	};
}

function formatSiteLine(site: SiteCounts): string {
	const { acceptedInPeriod: accepted = 0, publishedInPeriod: published = 0 } = site;
	const { alertsBySeverity: alerts, pendingIncoming, pendingOutgoing, broken } = site;
	const facts = formatList(
		alerts !== '' && `${pluralize(site.alerts, 'alert')} (${alerts})`,
		pendingIncoming > 0 && pluralize(pendingIncoming, 'pending offer'),
		pendingOutgoing > 0 && `${pluralize(pendingOutgoing, 'offer')} waiting for partners`,
		broken > 0 && pluralize(broken, 'broken link'),
		accepted > 0 && `${pluralize(accepted, 'offer')} accepted`,
		published > 0 && `${pluralize(published, 'link')} published`,
	);
	return `- ${site.site}: ${facts}`;
}

/** Formats a line for each of the first alerts, with the page if the service lists its exchange. */
function formatAlerts(alerts: IDataObject[], exchanges: ReadonlyMap<string, Exchange>): string[] {
	// No more than this fits, and formatting thousands takes long.
	return alerts.slice(0, maxLines).map((record) => {
		const { alert, exchange: shown } = toEventData(record, 'alerts');
		const listed = exchanges.get(alert?.exchangeId ?? '');
		// Without its direction and the time of the alert, so that more lines fit.
		const exchange = listed ? Exchange.parse([listed.record]).withPayload(record) : shown;
		const data = { record, exchange, alert: alert && { ...alert, raisedAt: undefined } };
		return `- ${formatEventMessage({ type: newAlert, data })}`;
	});
}

/** Formats counts of exchanges, for example `1 pending, 3 waiting for partners, and 2 accepted`. */
function formatExchangeCounts({
	pendingIncoming,
	pendingOutgoing,
	accepted,
	live,
	broken,
	closed,
	unreadable,
}: Counts): string {
	return formatList(
		`${pendingIncoming} pending`,
		pendingOutgoing > 0 && `${pendingOutgoing} waiting for partners`,
		`${accepted} accepted`,
		`${live} live`,
		`${broken} broken`,
		closed > 0 && `${closed} closed`,
		unreadable > 0 && `${unreadable} with a status that can't be read`,
	);
}
