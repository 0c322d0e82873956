import type { IDataObject, INodeProperties } from 'n8n-workflow';

import { isId } from './identity';
import { filtersField, type Settings } from './settings';
import { formOf, siteIdentifiersOf, siteName, siteNamesOf } from './site';

const severitiesField: INodeProperties = {
	displayName: 'Severities',
	name: 'severities',
	type: 'string',
	default: '',
	placeholder: 'e.g. critical, high',
	description:
		'Severities of alerts, separated by commas. All other events start the workflow too, and so do alerts that show no severity, or a number where you entered words.',
};

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

const sitesField: INodeProperties = {
	displayName: 'Sites',
	name: 'sites',
	type: 'string',
	default: '',
	placeholder: 'e.g. https://example.com, https://blog.example.com',
	description:
		'Only events of these sites, separated by commas: URLs, or IDs such as site_1a2b3c. Events that do not name both of their sites, or name them in another form (an ID where you entered a URL), start the workflow too.',
};

/** Of both triggers. What an event does not show cannot leave it out: it would be lost, and nobody would notice. */
export const eventFilters = filtersField('Which of the selected events start the workflow', [
	severitiesField,
	severitiesModeField,
	sitesField,
]);

/** @throws NodeOperationError that names the filter which cannot be read */
export function readEventFilters(settings: Settings) {
	const filters = settings.collection(eventFilters);
	return {
		/** In lower case; empty for all. */
		severities: filters.words(severitiesField).map((severity) => severity.toLowerCase()),
		/** Whether alerts of these severities pass, or all others. */
		isOnlyThese: filters.choice(severitiesModeField) === 'only',
		/** As `siteName` writes them; empty for all. */
		sites: filters.words(sitesField).map(siteName),
	};
}

/**
 * Whether the event passes the filters.
 * @param exchange where the event itself, such as an alert, does not name its sites: the record that does, if it is known
 */
export function passesFilters(
	event: string,
	data: IDataObject,
	{ severities, isOnlyThese, sites }: ReturnType<typeof readEventFilters>,
	exchange: IDataObject = {},
): boolean {
	if (event === 'watchdog.alert' && isId(data.severity)) {
		const severity = String(data.severity).trim().toLowerCase();
		// A number cannot be compared with words (which values there are is not documented).
		const isComparable = severities.some((each) => isNumber(each) === isNumber(severity));
		const isMeant = severities.includes(severity) === isOnlyThese;
		if (isComparable && !isMeant) return false;
	}
	if (sites.length === 0) return true;
	const ends = ['from_site', 'to_site'].map((end) => [data[end], exchange[end]]);
	const names = ends.flat().flatMap(siteNamesOf);
	if (names.some((name) => sites.includes(name))) return true;
	// It is of none of these sites for certain only if each end is named in every form in which sites were entered.
	const forms = ends.map(
		(end) => new Set(end.flatMap((site) => siteIdentifiersOf(site)).map(formOf)),
	);
	return !sites.map(formOf).every((form) => form && forms.every((known) => known.has(form)));
}

function isNumber(text: string): boolean {
	return /^\d+$/.test(text);
}
