import type { Exchange } from '../../../shared/api/exchange';
import type { ExchangeStatus } from '../../../shared/api/forms/exchangeStatus';
import type { EventData } from '../../../shared/events/event.types';
import { compactParts, formatSite, sanitize } from '../../../shared/formatting/message';
import type { OwnSite } from '../../../shared/sites/ownSites';

/** Severities are free text, and the message lists no more than this. */
const maxSeverities = 10;

/** Counts of the account or of one site. Counts that the service doesn't show are left out. */
export interface Counts extends Record<ExchangeCountName, number> {
	/** Accepted exchanges that aren't live after the number of days that the user allows. */
	overdue: number;
	acceptedInPeriod?: number;
	publishedInPeriod?: number;
	alerts: number;
	/** For example `2 critical, 1 warning`. */
	alertsBySeverity: string;
}

export interface SiteCounts extends Counts {
	site: string;
}

/** Counts to which records are added. `undefined`: a record doesn't show whether it counts. */
interface Tally {
	exchanges: Record<ExchangeCountName, number>;
	accepted: number | undefined;
	published: number | undefined;
	overdue: number;
	alerts: Map<string, number>;
}

/** An undocumented status counts as closed, a missing one as unreadable. */
type ExchangeCountName =
	| 'pendingIncoming'
	| 'pendingOutgoing'
	| Exclude<ExchangeStatus, 'pending'>
	| 'closed'
	| 'unreadable';

/** The records and sites of a report, and the start of its period. */
export interface ReportData {
	exchanges: readonly Exchange[];
	/** Of the period. */
	alerts: readonly EventData[];
	/** Your sites. */
	sites: readonly OwnSite[];
	/** Epoch milliseconds. */
	since: number;
	/** An accepted exchange is overdue if it was accepted before this time (epoch seconds). */
	overdueBefore: number;
}

/**
 * Counts exchanges and alerts, in total and of each site. An exchange counts for the sites that its
 * ends belong to. Every record is read once.
 */
export function countRecords(data: ReportData): { totals: Counts; siteCounts: SiteCounts[] } {
	const totals = createTally();
	const siteTallies = new Map(data.sites.map((site) => [site, createTally()]));
	const talliesById = new Map<string | undefined, Tally[]>();
	for (const exchange of data.exchanges) {
		const own = new Set([exchange.site.own, exchange.partner.own]);
		const tallies = [...own].flatMap((site) => (site && siteTallies.get(site)) ?? []);
		talliesById.set(exchange.id, tallies);
		for (const tally of [totals, ...tallies]) addExchange(tally, exchange, data);
	}
	for (const { alert } of data.alerts) {
		const tallies = alert?.exchangeId === undefined ? [] : talliesById.get(alert.exchangeId);
		const severity = sanitize(alert?.severity ?? '', 30) || 'without a severity';
		for (const tally of [totals, ...(tallies ?? [])]) increment(tally.alerts, severity);
	}
	const siteCounts = [...siteTallies].map(([{ record }, tally]) => ({
		site: formatSite(record) ?? 'a site without a name',
		...toCounts(tally),
	}));
	return { totals: toCounts(totals), siteCounts };
}

/** Returns whether an exchange was accepted too long ago, and isn't published. */
export function isOverdue(
	{ status, acceptedAt }: Exchange,
	{ overdueBefore }: Pick<ReportData, 'overdueBefore'>,
): boolean {
	return status === 'accepted' && acceptedAt !== undefined && acceptedAt < overdueBefore;
}

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
	return { exchanges, accepted: 0, published: 0, overdue: 0, alerts: new Map() };
}

function addExchange(tally: Tally, exchange: Exchange, data: ReportData): void {
	const { since } = data;
	const { status, direction, acceptedAt, publishedAt } = exchange;
	// Outgoing offers wait for the partner, not for the user.
	const pendingName = direction === 'outgoing' ? 'pendingOutgoing' : 'pendingIncoming';
	tally.exchanges[status === 'pending' ? pendingName : (status ?? 'unreadable')]++;
	if (isOverdue(exchange, data)) tally.overdue++;
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

function toCounts({ exchanges, accepted, published, overdue, alerts }: Tally): Counts {
	return {
		...exchanges,
		overdue,
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
