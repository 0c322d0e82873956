import type { Exchange } from '../../../shared/api/exchange';
import type { EventData } from '../../../shared/events/event.types';
import { formatEventMessage } from '../../../shared/events/eventItem';
import { newAlert } from '../../../shared/events/newAlert';
import { fitLines, getLength, maxMessageLength } from '../../../shared/formatting/digest';
import {
	compactParts,
	formatList,
	formatRoute,
	formatSite,
	joinWords,
	pluralize,
	quote,
	sanitizeTitle,
	withLabel,
} from '../../../shared/formatting/message';
import { formatDaysAgo, type MessageContext } from '../exchange/exchangeMessage';
import { type Counts, isOverdue, type ReportData, type SiteCounts } from './countRecords';

/** Of late links, and of sites that aren't verified. */
const maxListed = 10;

/** Everything that a report contains. */
export interface Report extends ReportData {
	days: number;
	overdueAfter: number;
	/** `undefined` in a report for some of your sites: the balance is that of the account. */
	balance: number | undefined;
	totals: Counts;
	siteCounts: SiteCounts[];
	/** Names of the sites that aren't verified. */
	unverified: string[];
	/** Names of the sites that the user chose. */
	chosen: string[];
	/** Whether the service has more than it lists, described for the message. */
	truncatedHint: string | undefined;
}

/** Formats the counts for the subject of an email, with at most 80 characters. */
export function formatTitle({ days, chosen, sites, totals }: Report): string {
	const { acceptedInPeriod: accepted, publishedInPeriod: published } = totals;
	const counts = compactParts(
		accepted !== undefined && `${accepted} accepted`,
		published !== undefined && `${published} published`,
		pluralize(totals.alerts, 'alert'),
		totals.overdue > 0 && `${totals.overdue} late`,
	);
	const period = days === 1 ? 'Last day' : `Last ${days} days`;
	// A client doesn't know the ID of their site.
	const only = sites.length === 1 ? sites[0]?.record : chosen[0];
	const site = chosen.length === 1 ? formatSite(only) : undefined;
	return sanitizeTitle(`${joinWords(period, withLabel('for', site))}: ${counts.join(', ')}`);
}

/**
 * Formats the report: what happened in the period, then Credits, Offers, Links, and Alerts.
 */
export function formatSummary(report: Report, context: MessageContext): string {
	const { balance, truncatedHint, unverified } = report;
	const heading = compactParts(
		formatPeriod(report),
		truncatedHint,
		balance !== undefined && `Credits: you have ${balance} left.`,
		formatOffers(report),
		...formatOverdue(report, context),
		`Links: ${report.totals.live} live and ${report.totals.broken} broken.`,
		unverified.length > 0 && formatUnverified(unverified),
	);
	return [...heading, ...fitSections(heading, formatSites(report.siteCounts), report.alerts)].join(
		'\n',
	);
}

/**
 * Formats what happened: `In the last 7 days, 3 offers were accepted, 2 links were published, and
 * there was 1 alert (1 critical).`
 */
function formatPeriod({ days, totals, alerts }: Report): string {
	const { acceptedInPeriod: accepted, publishedInPeriod: published } = totals;
	const period = days === 1 ? 'In the last day' : `In the last ${days} days`;
	const severities = totals.alertsBySeverity === '' ? '' : ` (${totals.alertsBySeverity})`;
	const changes = formatList(
		accepted !== undefined && `${withVerb(accepted, 'offer')} accepted`,
		published !== undefined && `${withVerb(published, 'link')} published`,
		totals.alerts === 1
			? `there was 1 alert${severities}`
			: `there were ${totals.alerts === 0 ? 'no' : totals.alerts} alerts${severities}`,
	);
	const undatedCount = alerts.filter(({ alert }) => alert?.raisedAt === undefined).length;
	return joinWords(
		`${period}, ${changes}.`,
		undatedCount > 0 ? formatUndatedNote(undatedCount) : undefined,
	);
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

/** Formats the exchanges that aren't published yet. */
function formatOffers({ totals }: Report): string {
	const { pendingIncoming, pendingOutgoing, accepted, closed, unreadable } = totals;
	const counts = formatList(
		`${pendingIncoming} pending from partners`,
		pendingOutgoing > 0 && `${pendingOutgoing} waiting for partners`,
		`${accepted} accepted that ${accepted === 1 ? "isn't" : "aren't"} published yet`,
		closed > 0 && `${closed} closed`,
		unreadable > 0 && `${unreadable} with a status that can't be read`,
	);
	return `Offers: ${counts}.`;
}

/** Lists the oldest exchanges that were accepted too long ago, and aren't published. */
function formatOverdue(report: Report, context: MessageContext): string[] {
	const { totals, overdueAfter } = report;
	if (totals.overdue === 0) return [];
	const overdue = report.exchanges
		.filter((exchange) => isOverdue(exchange, report))
		.sort((one, other) => (one.acceptedAt ?? 0) - (other.acceptedAt ?? 0));
	const lines = overdue.slice(0, maxListed).map((exchange) => formatLateLink(exchange, context));
	const otherCount = overdue.length - lines.length;
	return [
		`Late: ${withVerb(overdue.length, 'offer')} accepted more than ${pluralize(overdueAfter, 'day')} ago, and the link isn't published. The oldest first:`,
		...lines,
		...(otherCount > 0 ? [`- and ${otherCount} more`] : []),
	];
}

function formatLateLink(exchange: Exchange, context: MessageContext): string {
	const { direction, route, acceptedAt = 0 } = exchange;
	const subject = formatRoute(...route) ?? withLabel('the exchange', quote(exchange.id)) ?? '';
	const from = direction === 'outgoing' ? 'your own offer' : 'an offer from a partner';
	return `- ${subject}, ${from}, accepted ${formatDaysAgo(acceptedAt, context)}`;
}

function formatUnverified(names: readonly string[]): string {
	const otherCount = names.length - maxListed;
	const listed = names.slice(0, maxListed);
	const list = formatList(...listed, otherCount > 0 && `${otherCount} more`);
	return `Not verified yet: ${list}.`;
}

/** Lines of the sites with news, and a last line that counts the others, if there are any. */
interface SitesSection {
	lines: string[];
	closing: string[];
}

/** Fits the lines of sites and alerts into the message, at most ten of each. */
function fitSections(
	heading: readonly string[],
	{ lines, closing }: SitesSection,
	alerts: readonly EventData[],
): string[] {
	const headlines = { sites: 'Your sites:', alerts: 'Alerts, the newest first:' };
	const length =
		maxMessageLength - getLength([...heading, ...closing, ...Object.values(headlines)]);
	const siteLines = fitLines(lines, {
		maxLines: maxListed + 1,
		maxLength: length / 2,
		noun: 'sites with changes',
	});
	const groups = groupByLink(alerts);
	const alertLines = fitLines(groups.slice(0, maxListed).map(formatAlertLine), {
		maxLines: maxListed + 1,
		maxLength: length - getLength(siteLines),
		totalCount: groups.length,
		noun: 'links with alerts',
	});
	const allSiteLines = [...siteLines, ...closing];
	return [
		...(allSiteLines.length === 0 ? [] : [headlines.sites, ...allSiteLines]),
		...(alertLines.length === 0 ? [] : [headlines.alerts, ...alertLines]),
	];
}

/**
 * Formats one line per site with news, sites with alerts first.
 *
 * @returns no lines for one site: its counts are the totals
 */
function formatSites(sites: SiteCounts[]): SitesSection {
	if (sites.length < 2) return { lines: [], closing: [] };
	const countNews = ({
		pendingIncoming,
		publishedInPeriod = 0,
		acceptedInPeriod = 0,
	}: SiteCounts) => pendingIncoming + publishedInPeriod + acceptedInPeriod;
	const sitesWithNews = sites
		.filter((site) => site.alerts > 0 || site.overdue > 0 || countNews(site) > 0)
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
	const { alertsBySeverity: alerts, pendingIncoming, pendingOutgoing, broken, overdue } = site;
	const facts = formatList(
		alerts !== '' && `${pluralize(site.alerts, 'alert')} (${alerts})`,
		pendingIncoming > 0 && pluralize(pendingIncoming, 'pending offer'),
		pendingOutgoing > 0 && `${pluralize(pendingOutgoing, 'offer')} waiting for partners`,
		overdue > 0 && pluralize(overdue, 'late link'),
		broken > 0 && pluralize(broken, 'broken link'),
		accepted > 0 && `${pluralize(accepted, 'offer')} accepted`,
		published > 0 && `${pluralize(published, 'link')} published`,
	);
	return `- ${site.site}: ${facts}`;
}

/** Groups the alerts of each link, the newest first. */
function groupByLink(alerts: readonly EventData[]): EventData[][] {
	const groups = new Map<unknown, EventData[]>();
	const newestFirst = [...alerts].sort(
		(one, other) => (other.alert?.raisedAt ?? 0) - (one.alert?.raisedAt ?? 0),
	);
	for (const data of newestFirst) {
		const key = data.alert?.exchangeId ?? data;
		const group = groups.get(key);
		if (group === undefined) groups.set(key, [data]);
		else group.push(data);
	}
	return [...groups.values()];
}

/** Formats the newest alert of a link, and how many more there are. */
function formatAlertLine([data = { record: {} }, ...others]: EventData[]): string {
	const more = others.length === 0 ? '' : `(and ${pluralize(others.length, 'more alert')})`;
	return joinWords(`- ${formatEventMessage({ type: newAlert, data: withoutTime(data) })}`, more);
}

/** More lines fit without the time of each alert. */
function withoutTime({ alert, ...data }: EventData): EventData {
	return { ...data, alert: alert && { ...alert, raisedAt: undefined } };
}
