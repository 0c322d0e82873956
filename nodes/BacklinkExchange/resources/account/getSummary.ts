import { type IDataObject, type INodeProperties, tryToParseDateTime } from 'n8n-workflow';

import { fetchBalance } from '../../../shared/api/fetchBalance';
import { fetchExchanges, getMissingStatuses } from '../../../shared/api/fetchExchanges';
import { fetchList } from '../../../shared/api/fetchList';
import { fetchOwnSites } from '../../../shared/api/ownSites';
import { filtersField } from '../../../shared/descriptions/collections';
import { siteOptions } from '../../../shared/descriptions/siteOptions';
import { errorMessages } from '../../../shared/errorMessages';
import { ServiceError } from '../../../shared/errors';
import { formatSite } from '../../../shared/formatting/message';
import type { OwnSite, OwnSites } from '../../../shared/sites/ownSites';
import { isOfSite, type Site } from '../../../shared/sites/site';
import type { SiteName } from '../../../shared/sites/siteUrl';
import { recentMs } from '../../../shared/transport/requestCache';
import outputSchema from '../../__schema__/v1.0.0/account/getSummary.json';
import { truncatedHint } from '../../commonHints';
import { getOptionalNumber } from '../../commonOptions';
import { getMessageContext } from '../../getMany';
import type { Operation, OperationContext } from '../../operation.types';
import { toAlertData } from '../watchdogEvent/fetchAlerts';
import { countRecords } from './countRecords';
import { formatSummary, formatTitle, type Report } from './summaryMessage';

const daySeconds = 24 * 60 * 60;
const defaultOverdueAfter = 7;

const days: INodeProperties = {
	displayName: 'Days',
	name: 'days',
	type: 'number',
	typeOptions: { minValue: 1, maxValue: 366, numberPrecision: 0 },
	default: 7,
	description:
		'Number of days to include, up to now. For example, 1 means since this time yesterday.',
};

const sitesFilter = siteOptions({
	displayName: 'Sites',
	name: 'sites',
	description:
		'Only these sites, for a report to a client. The credits of the account are left out',
});

const filters = filtersField('Which of your sites the report is about', [sitesFilter]);

const overdueAfter: INodeProperties = {
	displayName: 'Overdue After (Days)',
	name: 'overdueAfter',
	type: 'number',
	typeOptions: { minValue: 1, maxValue: 366, numberPrecision: 0 },
	default: defaultOverdueAfter,
	description: "Number of days after which an accepted offer that isn't published counts as late",
};

interface Input {
	days: number;
	/** Empty: the whole account. */
	sites: SiteName[];
	chosen: string[];
	overdueAfter: number;
}

/**
 * Combines GET /sites, /exchanges, /credits/balance and /watchdog/events (service-api.md,
 * "Endpoints") into one item for a report.
 */
export const getSummary: Operation<Input> = {
	value: 'getSummary',
	name: 'Get Summary',
	action: 'Get account summary',
	description: 'Retrieve a summary of the account, or of some of your sites',
	outputSchema,
	usageHint:
		"To send a report on a schedule, connect Schedule Trigger → getSummary → Slack or an email node, with the text expr('{{ $json.message }}'). For one report per client, give it one item per client, and set filters { sites: expr('{{ $json.sites }}') }.",
	properties: [days, filters],
	options: [overdueAfter],
	getParameters(parameters) {
		// A report for a client must not become one for all.
		const filterParameters = parameters.collection(filters, { ignoreBlank: false });
		return {
			days: parameters.number(days),
			sites: filterParameters.sites(sitesFilter),
			chosen: filterParameters.list(sitesFilter),
			overdueAfter: getOptionalNumber(parameters.collection(), overdueAfter, defaultOverdueAfter),
		};
	},
	createHandler: (run) => ({
		async executeItem(input) {
			const report = await fetchReport(run, input);
			const { totals, siteCounts, balance, since, unverified } = report;
			const item: IDataObject = {
				message: formatSummary(report, getMessageContext(run.context, run.client)),
				title: formatTitle(report),
				days: input.days,
				since: new Date(since).toISOString(),
				...(balance !== undefined && { balance }),
				...totals,
				unverified: unverified.length,
				sites: siteCounts,
			};
			return [item];
		},
	}),
};

/** Fetches everything that the report needs, and keeps what concerns the chosen sites. */
async function fetchReport(
	{ context, client, hint }: OperationContext,
	{ days, sites, chosen, overdueAfter }: Input,
): Promise<Report> {
	let ownSites = await fetchOwnSites(client, recentMs);
	// A new site isn't in an earlier response.
	const isComplete = sites.every((name) => hasSite(ownSites, name));
	if (!isComplete) ownSites = await fetchOwnSites(client, 0);
	const recent = client.maxAge(recentMs);
	const [list, credits, alerts] = await Promise.all([
		fetchExchanges(client, { ...recent, extraStatuses: getMissingStatuses }),
		sites.length === 0 ? fetchBalance(client, recent) : undefined,
		fetchList(client, 'watchdogEvents', recent),
	]);
	const isTruncated = list.truncated || alerts.truncated || ownSites.truncated;
	if (isTruncated) hint('truncated', truncatedHint);
	if (!ownSites.truncated) assertOwnSites(ownSites, { sites, chosen });
	const isChosen = (site: Site) =>
		sites.length === 0 || sites.some((name) => isOfSite(name, site, { includeSubdomains: true }));
	// Use the service's clock: it wrote the timestamps that are compared.
	const now = tryToParseDateTime(new Date(client.now()).toISOString());
	const since = now.setZone(context.getTimezone()).minus({ days }).toMillis();
	const exchanges = list.exchanges.filter(
		({ site, partner }) => isChosen(site) || isChosen(partner),
	);
	const byId = new Map(exchanges.map((exchange) => [exchange.id, exchange]));
	const isAbout = (id: string | undefined) => id !== undefined && byId.has(id);
	const data = {
		exchanges,
		// Alerts without a timestamp count, so that none is left out.
		alerts: alerts.entries
			.map((alert) => toAlertData(alert, byId))
			.filter(({ alert }) => (alert?.raisedAt ?? Infinity) * 1000 + 999 >= since)
			.filter(({ alert }) => sites.length === 0 || isAbout(alert?.exchangeId)),
		sites: ownSites.all.filter((own) => isChosen({ id: own.id, url: own.url, own })),
		since,
		overdueBefore: Math.floor(client.now() / 1000) - overdueAfter * daySeconds,
	};
	return {
		...data,
		...countRecords(data),
		...{ days, overdueAfter, chosen, balance: credits?.balance },
		unverified: data.sites.flatMap(getUnverifiedName),
		truncatedHint: isTruncated ? truncatedHint : undefined,
	};
}

/**
 * Checks that each chosen site is one of the account's sites, a page or subdomain of one, or above
 * one. With a typo, a client would get a report without any news.
 *
 * @throws {ServiceError} for the first one that isn't
 */
function assertOwnSites(ownSites: OwnSites, { sites, chosen }: Pick<Input, 'sites' | 'chosen'>) {
	const index = sites.findIndex((name) => !hasSite(ownSites, name));
	if (index === -1) return;
	throw new ServiceError({
		message: errorMessages.siteNotListed(formatSite(chosen[index]) ?? ''),
		description: "Check the spelling in 'Sites', or add the site to your account.",
	});
}

function hasSite(ownSites: OwnSites, name: SiteName): boolean {
	return (
		ownSites.find(name) !== undefined ||
		ownSites.all.some((own) =>
			isOfSite(name, { id: own.id, url: own.url, own }, { includeSubdomains: true }),
		)
	);
}

/** Returns the name of a site that isn't verified. */
function getUnverifiedName({ record }: OwnSite): string[] {
	return record.verified === false ? [formatSite(record) ?? 'a site without a name'] : [];
}
