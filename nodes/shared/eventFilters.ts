import type { IDataObject, INodeProperties } from 'n8n-workflow';

import { isId } from './events';
import { isObject } from './response';
import type { Settings } from './settings';

/**
 * Which events start a workflow besides their kind: options of both triggers. What an event does not tell cannot leave it
 * out: it would be lost, and nobody would notice.
 */
export const severityField: INodeProperties = {
	displayName: 'Severity',
	name: 'severity',
	type: 'string',
	default: '',
	placeholder: 'e.g. critical, high',
	description:
		'Only alerts of these severities, separated by commas, start the workflow. Alerts without a severity and all other events start it too.',
};

export const sitesField: INodeProperties = {
	displayName: 'Sites',
	name: 'sites',
	type: 'string',
	default: '',
	placeholder: 'e.g. https://example.com, https://blog.example.com',
	description:
		'Only events of these sites, separated by commas, start the workflow: as URLs or IDs, in the form in which the service names the sites of an offer. Events that do not name a site start it too.',
};

export interface EventFilters {
	/** In lower case; empty for all. */
	severities: string[];
	/** As the service may write them: without scheme, "www." and slash at the end; empty for all. */
	sites: string[];
}

export function readEventFilters(options: Settings): EventFilters {
	return {
		severities: listIn(options.text(severityField)).map((severity) => severity.toLowerCase()),
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
	{ severities, sites }: EventFilters,
	exchange: IDataObject = {},
): boolean {
	if (event === 'watchdog.alert' && severities.length > 0 && isId(data.severity)) {
		if (!severities.includes(String(data.severity).trim().toLowerCase())) return false;
	}
	if (sites.length === 0) return true;
	const names = [data, exchange].flatMap(({ from_site, to_site }) =>
		[from_site, to_site].flatMap(siteNamesOf),
	);
	return names.length === 0 || names.some((name) => sites.includes(name));
}

/** The format of from_site and to_site is not documented: a text, or an object with a URL and an id. */
export function siteNamesOf(site: unknown): string[] {
	const names = isObject(site) ? [site.url, site.id, site.name] : [site];
	return names.filter(isId).map((name) => bareSite(String(name)));
}

/** Two ways to write the same site become one. */
export function bareSite(site: string): string {
	return site
		.trim()
		.toLowerCase()
		.replace(/^https?:\/\//, '')
		.replace(/^www\./, '')
		.replace(/\/+$/, '');
}

function listIn(text: string): string[] {
	return text
		.split(/[,\n]/)
		.map((part) => part.trim())
		.filter((part) => part !== '');
}
