import type { IDataObject } from 'n8n-workflow';

import type { OwnSite, OwnSites } from './siteIdentity';

export type Direction = 'incoming' | 'outgoing';

/** The two sites of an exchange, from the account's point of view. */
export interface ExchangeEnds {
	direction: Direction;
	/** Your end as the service writes it; `to_site` if neither end is recognized. */
	site: unknown;
	/** The other end as the service writes it. */
	partner: unknown;
	/** The account's site that `site` belongs to; `undefined` if it isn't recognized. */
	ownSite: OwnSite | undefined;
}

/**
 * Returns the direction, your site and the partner of an exchange. The list "for the user's sites"
 * may hold offers in both directions, and only incoming ones are accepted (service-api.md,
 * "Endpoints"). An exchange is outgoing only if `from_site` is one of your sites and `to_site` is
 * not: then nothing that you may have to decide is hidden.
 */
export function getExchangeEnds(
	{ from_site: from, to_site: to }: IDataObject,
	ownSites: OwnSites,
): ExchangeEnds {
	const ownFrom = ownSites.find(from);
	const ownTo = ownSites.find(to);
	if (ownFrom !== undefined && ownTo === undefined) {
		const direction = ownSites.isForeign(to) ? 'outgoing' : 'incoming';
		return { direction, site: from, partner: to, ownSite: ownFrom };
	}
	return { direction: 'incoming', site: to, partner: from, ownSite: ownTo };
}

/** Returns whether the account's sites include one of the two ends. */
export function hasRecognizedEnd(
	{ from_site: from, to_site: to }: IDataObject,
	ownSites: OwnSites,
): boolean {
	return ownSites.find(to) !== undefined || ownSites.find(from) !== undefined;
}
