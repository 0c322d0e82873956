import type { IPollFunctions } from 'n8n-workflow';

import { siteOptions } from '../shared/descriptions/siteOptions';
import type { AccountEvent } from '../shared/events/event.types';
import { getEventKey } from '../shared/events/events';
import { warnThrottled } from '../shared/logger';
import { isOfSite } from '../shared/sites/site';
import type { SiteName } from '../shared/sites/siteUrl';

export const sitesField = siteOptions({
	displayName: 'Sites',
	name: 'sites',
	description:
		"Only events of these sites, and Low Credits. Events whose site isn't known are only logged",
});

/**
 * Returns the events of these sites. An event whose site isn't known leaves a log line, because
 * nobody would notice a lost event.
 *
 * @param sites empty: all events pass
 */
export function filterBySites(
	context: IPollFunctions,
	events: AccountEvent[],
	sites: SiteName[],
): AccountEvent[] {
	if (sites.length === 0) return events;
	return events.filter((event) => {
		const isIncluded = isOfSites(event, sites);
		if (!isIncluded && event.data.exchange?.hasOwnSite === false) {
			warnThrottled(
				context,
				`Trigger: an event was left out, because its site isn't known, and 'Sites' lets only events of these sites pass: ${getEventKey(event)}`,
			);
		}
		return isIncluded;
	});
}

/**
 * Returns whether one of the two sites of an event is one of these, a page of it, or on a subdomain
 * of it. An event that isn't about an exchange passes.
 */
export function isOfSites({ data: { exchange } }: AccountEvent, sites: SiteName[]): boolean {
	if (exchange === undefined) return true;
	const ends = [exchange.site, exchange.partner];
	return sites.some((entry) =>
		ends.some((end) => isOfSite(entry, end, { includeSubdomains: true })),
	);
}
