import type { IDataObject, INodeProperties } from 'n8n-workflow';

import type { ParameterReader } from '../parameters/parameterReader';
import type { ExchangeEnds } from '../utils/direction';
import { isId } from '../utils/ids';
import {
	coversEnd,
	coversOwnEnd,
	getEndIdentities,
	getForm,
	parseSiteChoice,
	type SiteChoice,
} from '../utils/siteChoice';
import type { OwnSite } from '../utils/siteIdentity';
import { foldWords } from '../utils/text';
import { filtersField } from './collections';
import { siteOptions } from './siteOptions';

/** The possible severities aren't documented (service-api.md, "Watchdog event"). */
const severitiesField: INodeProperties = {
	displayName: 'Severities',
	name: 'severities',
	type: 'string',
	default: '',
	placeholder: 'e.g. critical, high',
	description:
		"Alerts with other severities don't start the workflow. Alerts without a severity and all other events still start it. Separate severities with commas.",
};

const excludedSeveritiesField: INodeProperties = {
	displayName: 'Excluded Severities',
	name: 'excludedSeverities',
	type: 'string',
	default: '',
	placeholder: 'e.g. info, low',
	description:
		"Alerts with these severities don't start the workflow, even if they are in 'Severities' too. Separate them with commas.",
};

const sitesField = siteOptions({
	displayName: 'Sites',
	name: 'sites',
	description:
		"Only events of these sites. An event also starts the workflow if the node can't tell its site",
});

/**
 * The filters of both triggers. Events that can't be compared pass, because nobody would notice a
 * lost one.
 */
export const eventFilters = filtersField('Which of the selected events start the workflow', [
	excludedSeveritiesField,
	severitiesField,
	sitesField,
]);

/**
 * Reads the filters of a trigger.
 *
 * @throws {NodeOperationError} for a filter that isn't valid
 */
export function getEventFilters(parameters: ParameterReader) {
	const filters = parameters.collection(eventFilters);
	return {
		/** The severities that pass; empty: all. */
		severities: filters.list(severitiesField).map(normalizeSeverity),
		excludedSeverities: filters.list(excludedSeveritiesField).map(normalizeSeverity),
		/** The sites that pass; empty: all. */
		sites: filters.aliasGroups(sitesField).map(parseSiteChoice),
	};
}

type EventFilters = ReturnType<typeof getEventFilters>;

/**
 * Returns whether the event passes the filters.
 *
 * @param exchange the record that shows the sites, if the event itself (such as an alert) doesn't
 * @param ends the ends of that record, if the account's sites are known
 */
export function passesFilters(
	event: string,
	data: IDataObject,
	filters: EventFilters,
	exchange: IDataObject = {},
	ends?: ExchangeEnds,
): boolean {
	if (event === 'watchdog.alert' && !passesSeverities(data, filters)) return false;
	return (
		filters.sites.length === 0 || !concernsOtherSites(getEnds(data, exchange, ends), filters.sites)
	);
}

/** An end of an exchange. */
interface End {
	/** As the event and its exchange contain it. */
	values: unknown[];
	/** The account's site that it belongs to, if the account's sites are known. */
	ownSite?: OwnSite;
}

function getEnds(data: IDataObject, exchange: IDataObject, ends?: ExchangeEnds): End[] {
	if (ends === undefined) {
		return ['from_site', 'to_site'].map((name) => ({ values: [data[name], exchange[name]] }));
	}
	return [{ values: [ends.site], ownSite: ends.ownSite }, { values: [ends.partner] }];
}

function passesSeverities(
	alert: IDataObject,
	{ severities, excludedSeverities }: EventFilters,
): boolean {
	if (!isId(alert.severity)) return true;
	const severity = normalizeSeverity(String(alert.severity));
	if (excludedSeverities.includes(severity)) return false;
	// The service doesn't document whether severities are words or numbers, which can't be compared
	// with each other.
	const isComparable = severities.some((entry) => isNumber(entry) === isNumber(severity));
	return !isComparable || severities.includes(severity);
}

function normalizeSeverity(text: string): string {
	return foldWords(text).trim();
}

/**
 * Returns whether an event definitely concerns other sites only: neither end belongs to one of
 * these, and both can be compared with each site, because they contain a form in which the site was
 * entered, too, such as a URL.
 */
function concernsOtherSites(ends: End[], sites: SiteChoice[]): boolean {
	if (sites.some((choice) => ends.some((end) => isOfSite(end, choice)))) return false;
	const formsOfEnds = ends.map(getForms);
	return sites.every((choice) =>
		formsOfEnds.every((forms) =>
			choice.some((entry) => entry.kind !== 'text' && forms.includes(getForm(entry))),
		),
	);
}

/** Returns whether an end is a chosen site, a page of it, or on a subdomain of it. */
function isOfSite({ values, ownSite }: End, choice: SiteChoice): boolean {
	const options = { includeSubdomains: true };
	return values.some((site) =>
		ownSite === undefined
			? coversEnd(choice, site, options)
			: coversOwnEnd(choice, { site, ownSite }, options),
	);
}

function getForms({ values, ownSite }: End): string[] {
	const own = ownSite === undefined ? [] : [ownSite.record.url, ownSite.record.id];
	return [...values, ...own].flatMap(getEndIdentities).map(getForm);
}

function isNumber(text: string): boolean {
	return /^\d+$/.test(text);
}
