import { toServiceError } from '../errors';
import { OwnSites } from '../sites/ownSites';
import { minTimeDifferenceMs } from '../transport/account';
import type { ApiClient } from '../transport/apiClient';
import { recentMs } from '../transport/requestCache';
import { monotonicNow } from '../utils/time';
import { fetchList } from './fetchList';

const defaultMaxAgeMs = 60 * 60_000;

/**
 * Returns the account's sites, which show the direction of its exchanges. They contain all sites
 * that this process has added.
 *
 * @returns the last known sites, however old, if `GET /sites` fails
 * @throws {ServiceError} if it fails and no sites are known
 */
export async function fetchOwnSites(
	client: ApiClient,
	maxAgeMs = defaultMaxAgeMs,
): Promise<OwnSites> {
	const { account } = client;
	const getNotBefore = (ageMs: number) =>
		Math.max(monotonicNow() - ageMs, account.sitesChangedAt + minTimeDifferenceMs);
	const known = account.ownSites;
	if (known && known.requestedAt >= getNotBefore(maxAgeMs)) return known;
	try {
		// Only usable responses count for longer, so that one that isn't doesn't last.
		const notBefore = getNotBefore(Math.min(maxAgeMs, recentMs));
		const { entries, ...list } = await fetchList(client, 'sites', { notBefore });
		account.ownSites = new OwnSites(entries, list);
	} catch (error) {
		const serviceError = toServiceError(error);
		if (account.ownSites === undefined) throw serviceError;
	}
	return account.ownSites;
}
