import type { IDataObject, INodeProperties } from 'n8n-workflow';

import type { ParameterReader } from '../parameters/parameterReader';
import { isId } from '../utils/ids';
import { getNormalizedSites, getSiteIdKind, normalizeSite } from '../utils/site';
import { filtersField } from './collections';
import { resourceLocatorList, severityLocator, siteLocator } from './resourceLocator';

const severitiesField = resourceLocatorList(
	{
		displayName: 'Severities',
		name: 'severities',
		description:
			'Which alerts start the workflow, by severity. Alerts that show no severity, or a number where you entered words, start it too. Other events are not filtered by it.',
		...severityLocator,
	},
	'Add Severity',
);

const severitiesModeField: INodeProperties = {
	displayName: 'Severities Mode',
	name: 'severitiesMode',
	type: 'options',
	options: [
		{ name: 'All but These', value: 'allBut', description: 'Alerts of any other severity' },
		{ name: 'Only These', value: 'only', description: 'Alerts of these severities' },
	],
	default: 'only',
	description: 'Whether alerts of these severities start the workflow, or all other alerts',
};

const sitesField = resourceLocatorList(
	{
		displayName: 'Sites',
		name: 'sites',
		description:
			'Only events of these sites. Events that do not name both of their sites, or name them in another form (an ID where you entered a URL), start the workflow too.',
		...siteLocator,
	},
	'Add Site',
);

/**
 * The filters of both triggers. Events that can't be compared pass, because nobody would notice a
 * lost one.
 */
export const eventFilters = filtersField('Which of the selected events start the workflow', [
	severitiesField,
	severitiesModeField,
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
		/** In lower case; empty: all. */
		severities: filters.list(severitiesField).map((severity) => severity.toLowerCase()),
		/** Whether only alerts of these severities pass; otherwise all others do. */
		isAllowlist: filters.option(severitiesModeField) === 'only',
		/** Normalized URL and ID of each site; empty: all. */
		sites: filters.aliasGroups(sitesField).map((names) => names.map(normalizeSite)),
	};
}

type EventFilters = ReturnType<typeof getEventFilters>;

/**
 * Returns whether the event passes the filters.
 *
 * @param exchange the record that shows the sites, if the event itself (such as an alert) doesn't
 */
export function passesFilters(
	event: string,
	data: IDataObject,
	filters: EventFilters,
	exchange: IDataObject = {},
): boolean {
	if (event === 'watchdog.alert' && !passesSeverities(data, filters)) return false;
	const ends = ['from_site', 'to_site'].map((end) => [data[end], exchange[end]]);
	return filters.sites.length === 0 || !concernsOtherSites(ends, filters.sites);
}

function passesSeverities(alert: IDataObject, { severities, isAllowlist }: EventFilters): boolean {
	if (!isId(alert.severity)) return true;
	const severity = String(alert.severity).trim().toLowerCase();
	// The service doesn't document whether severities are words or numbers, which can't be compared
	// with each other.
	const isComparable = severities.some((entry) => isNumber(entry) === isNumber(severity));
	return !isComparable || severities.includes(severity) === isAllowlist;
}

/**
 * Returns whether an event definitely concerns other sites only: both of its ends can be compared
 * with each of these sites, and no end matches.
 *
 * An end and a site can be compared if both show the same kind of name, such as a URL.
 *
 * @param ends values of the event and its exchange, for each end
 * @param sites URL and ID of each site
 */
function concernsOtherSites(ends: unknown[][], sites: string[][]): boolean {
	const names = ends.flat().flatMap(getNormalizedSites);
	if (sites.flat().some((name) => names.includes(name))) return false;
	const endKinds = ends.map((end) => end.flatMap(getNormalizedSites).map(getSiteIdKind));
	return sites.every((site) => {
		const siteKinds = site.map(getSiteIdKind).filter((kind) => kind !== undefined);
		return endKinds.every((kinds) => siteKinds.some((kind) => kinds.includes(kind)));
	});
}

function isNumber(text: string): boolean {
	return /^\d+$/.test(text);
}
