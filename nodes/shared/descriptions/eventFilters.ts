import type { IDataObject, INodeProperties } from 'n8n-workflow';

import { Exchange } from '../api/exchange';
import type { ParameterReader } from '../parameters/parameterReader';
import { OwnSites } from '../sites/ownSites';
import { isOfSite, type Site } from '../sites/site';
import { isId } from '../utils/ids';
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
		sites: filters.sites(sitesField),
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
	ends: { site: Site; partner: Site } = Exchange.parse(
		[{ ...exchange, ...data }],
		new OwnSites([]),
	),
): boolean {
	if (event === 'watchdog.alert' && !passesSeverities(data, filters)) return false;
	return (
		filters.sites.length === 0 ||
		filters.sites.some((entry) =>
			[ends.site, ends.partner].some((site) => isOfSite(entry, site, { includeSubdomains: true })),
		)
	);
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

function isNumber(text: string): boolean {
	return /^\d+$/.test(text);
}
