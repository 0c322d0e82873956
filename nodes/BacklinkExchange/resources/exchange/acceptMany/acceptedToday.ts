import type { IDataObject } from 'n8n-workflow';

import { getStatus } from '../../../../shared/api/exchangeStatus';
import type { ListResult } from '../../../../shared/api/fetchList';
import { errorMessages } from '../../../../shared/errorMessages';
import { type ErrorResult, errorResult } from '../../../../shared/errors';
import type { ApiClient } from '../../../../shared/transport/apiClient';
import { getExchangeEnds } from '../../../../shared/utils/direction';
import { getId, hash } from '../../../../shared/utils/ids';
import type { OwnSites } from '../../../../shared/utils/siteIdentity';
import { isOnOrAfter } from '../../../../shared/utils/time';

const dayMs = 24 * 60 * 60_000;

const advice =
	"No offer was accepted. Remove 'Max per Day' to continue with the limits 'Max Accepts' and 'Minimum Balance'.";

const truncatedListError = errorResult({
	message: errorMessages.maxPerDayListIncomplete,
	description: `The service has more exchanges than it lists, and the node can't fetch the others. ${advice}`,
});

const noTimestampsError = errorResult({
	message: errorMessages.maxPerDayTimesMissing,
	description: `The service doesn't show when the exchanges were accepted ("accepted_at"). ${advice}`,
});

/**
 * Returns the keys of the incoming exchanges that were accepted within the last 24 hours, for Max
 * per Day. Outgoing ones were accepted by partners.
 *
 * An exchange without a readable `accepted_at` counts, unless it was published longer ago.
 */
export function getKeysAcceptedToday(
	client: ApiClient,
	{ entries, truncated }: ListResult,
	ownSites: OwnSites,
): Set<string> | ErrorResult {
	if (truncated) return truncatedListError;
	// Use the earlier of the two clocks, so that no accepted exchange is missed.
	const since = Math.min(Date.now(), client.now()) - dayMs;
	const isAcceptedSince = isOnOrAfter(since, ['accepted_at']);
	const isPublishedSince = isOnOrAfter(since, ['published_at']);
	const isIncoming = (entry: IDataObject) =>
		getExchangeEnds(entry, ownSites).direction === 'incoming';
	const accepted = entries.filter(
		(entry) => (getStatus(entry) ?? 'pending') !== 'pending' && isIncoming(entry),
	);
	const hasAcceptTime = (entry: IDataObject) => isAcceptedSince(entry) !== undefined;
	if (accepted.length > 0 && !accepted.some(hasAcceptTime)) return noTimestampsError;
	const counted = accepted.filter(
		(entry) => isAcceptedSince(entry) ?? isPublishedSince(entry) ?? true,
	);
	// An exchange without an ID counts, too, with a key that no offer has.
	return new Set(counted.map((entry) => client.scopedKey(getId(entry) ?? hash(entry))));
}
