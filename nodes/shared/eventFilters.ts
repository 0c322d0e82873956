import type { IDataObject, INodeProperties } from 'n8n-workflow';

import { isId } from './events';
import { isObject } from './response';
import type { Settings } from './settings';

/**
 * Which events start a workflow besides their kind: options of both triggers. What an event does not tell cannot leave it
 * out: it would be lost, and nobody would notice.
 */
export const severitiesField: INodeProperties = {
	displayName: 'Filter: Severities',
	name: 'severities',
	type: 'string',
	default: '',
	placeholder: 'e.g. critical, high',
	description:
		'Only alerts of these severities, separated by commas, start the workflow. Alerts without a severity, or with a number where you have entered words, and all other events start it too.',
};

export const severitiesModeField: INodeProperties = {
	displayName: 'Filter: Severities Mode',
	name: 'severitiesMode',
	type: 'options',
	options: [
		{ name: 'Only These', value: 'only', description: 'Alerts of these severities' },
		{ name: 'All but These', value: 'allBut', description: 'Alerts of any other severity' },
	],
	default: 'only',
	description: 'Which alerts the severities select',
};

export const sitesField: INodeProperties = {
	displayName: 'Filter: Sites',
	name: 'sites',
	type: 'string',
	default: '',
	placeholder: 'e.g. https://example.com, https://blog.example.com',
	description:
		'Only events of these sites, separated by commas, start the workflow: as URLs, or as IDs such as site_1a2b3c. An event starts it too if it does not name both of its sites, or names them in another form, such as an ID where you have entered a URL.',
};

export interface EventFilters {
	/** In lower case; empty for all. */
	severities: string[];
	/** Whether alerts of these severities pass, or all others. */
	severitiesMode: 'only' | 'allBut';
	/** As `bareSite` gives them; empty for all. */
	sites: string[];
}

export function readEventFilters(options: Settings): EventFilters {
	return {
		severities: listIn(options.text(severitiesField)).map((severity) => severity.toLowerCase()),
		severitiesMode: options.choice(severitiesModeField) === 'allBut' ? 'allBut' : 'only',
		sites: listIn(options.text(sitesField)).map(bareSite),
	};
}

/**
 * Whether the event passes the filters.
 * @param exchange where the event itself, such as an alert, does not name its sites: the record that does, if it is known
 */
export function passesFilters(
	event: string,
	data: IDataObject,
	{ severities, severitiesMode, sites }: EventFilters,
	exchange: IDataObject = {},
): boolean {
	if (event === 'watchdog.alert' && isId(data.severity)) {
		const severity = String(data.severity).trim().toLowerCase();
		// A number cannot be compared with words (which values there are is not documented).
		const isComparable = severities.some((each) => isNumber(each) === isNumber(severity));
		const isMeant = severities.includes(severity) === (severitiesMode === 'only');
		if (isComparable && !isMeant) return false;
	}
	if (sites.length === 0) return true;
	const ends = ['from_site', 'to_site'].map((end) => [data[end], exchange[end]]);
	if (
		ends
			.flat()
			.flatMap(siteNamesOf)
			.some((name) => sites.includes(name))
	) {
		return true;
	}
	// It is of none of these sites for certain only if each end is named in every form in which sites were entered.
	const forms = ends.map((end) => new Set(end.flatMap(identifiersOf).map(formOf)));
	return !sites.map(formOf).every((form) => form && forms.every((known) => known.has(form)));
}

/** The format of from_site and to_site is not documented: a text, or an object with a URL and an id. */
export function siteNamesOf(site: unknown): string[] {
	const name = isObject(site) ? [site.name].filter(isId).map(String) : [];
	return [...identifiersOf(site), ...name.map(bareSite)];
}

/** Two ways to write the same site become one: host, port and path, in lower case. */
export function bareSite(site: string): string {
	const text = site.trim().toLowerCase();
	const address = /^[a-z][a-z\d+.-]*:\/\//.test(text) ? text : `https://${text}`;
	if (!URL.canParse(address)) return text;
	const { hostname, port, pathname } = new URL(address);
	const host = hostname.replace(/\.$/, '').replace(/^www\./, '');
	return `${host}${port === '' ? '' : `:${port}`}${pathname.replace(/\/+$/, '')}`;
}

function identifiersOf(site: unknown): string[] {
	const identifiers = isObject(site) ? [site.url, site.id] : [site];
	return identifiers.filter(isId).map((identifier) => bareSite(String(identifier)));
}

/** IDs begin with "site_" (service-api.md, "Site"); undefined for what is neither that nor an address. */
function formOf(site: string): 'id' | 'address' | undefined {
	if (site.startsWith('site_')) return 'id';
	return /^[^/]+\.[a-z][^/]*/.test(site) ? 'address' : undefined;
}

function isNumber(text: string): boolean {
	return /^\d+$/.test(text);
}

function listIn(text: string): string[] {
	return text
		.split(/[,\n]/)
		.map((part) => part.trim())
		.filter((part) => part !== '');
}
