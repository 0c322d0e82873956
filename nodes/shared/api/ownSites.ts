import type { IDataObject } from 'n8n-workflow';

import { type ErrorResult, isErrorResult } from '../errors';
import type { ApiClient } from '../transport/apiClient';
import { sharedFor10s } from '../transport/requestCache';
import { BoundedMap } from '../utils/boundedMap';
import { hasRecognizedEnd } from '../utils/direction';
import { getId } from '../utils/ids';
import { OwnSites } from '../utils/siteIdentity';
import { monotonicNow } from '../utils/time';
import { fetchList } from './fetchList';

const maxAgeMs = 60 * 60_000;
const minRefetchIntervalMs = 10 * 60_000;

/** The cached sites of an account. All times are monotonic. */
interface CacheEntry {
	ownSites?: OwnSites;
	fetchedAt: number;
	requestedAt: number;
	/** When the sites were last requested for an exchange without a recognized end. */
	lookupRequestedAt: number;
	inFlightCount: number;
	/** The result of the last request, if it failed. */
	error?: ErrorResult;
	/** The exchanges without a recognized end for which the sites were fetched. */
	lookedUp: BoundedMap<string, true>;
}

const cache = new BoundedMap<string, CacheEntry>(1000);

/**
 * Returns the account's sites, which show the direction of its exchanges. They are cached for an
 * hour. In between, they are fetched again at most once in ten minutes, for an exchange whose ends
 * aren't recognized and that hasn't been looked up before: its site may have been added meanwhile.
 *
 * @param exchanges the records whose direction is needed
 * @param maxErrorAgeMs without known sites, how long the error of a request is returned again
 * @returns the last known sites, however old, if `GET /sites` fails; the error if there are none
 */
export async function fetchOwnSites(
	client: ApiClient,
	exchanges: readonly IDataObject[],
	{ maxErrorAgeMs = 0 } = {},
): Promise<OwnSites | ErrorResult> {
	const entry = cache.getOrCreate(client.scopedKey('own sites'), () => ({
		fetchedAt: -Infinity,
		requestedAt: -Infinity,
		lookupRequestedAt: -Infinity,
		inFlightCount: 0,
		lookedUp: new BoundedMap<string, true>(10_000),
	}));
	const { ownSites: known } = entry;
	if (known !== undefined) {
		const isUnlisted = exchanges.some((record) => isUnknown(entry, known, record));
		const isLookup = isUnlisted && isRefetchAllowed(entry, entry.lookupRequestedAt);
		const isStale = monotonicNow() - entry.fetchedAt >= maxAgeMs;
		const isRefresh = isStale && isRefetchAllowed(entry, entry.requestedAt);
		if (!isLookup && !isRefresh) return known;
		if (isLookup) entry.lookupRequestedAt = monotonicNow();
	} else if (entry.error && monotonicNow() - entry.requestedAt < maxErrorAgeMs) {
		return entry.error;
	}
	entry.requestedAt = monotonicNow();
	entry.inFlightCount++;
	const list = await fetchList(client, 'sites', sharedFor10s).finally(() => entry.inFlightCount--);
	entry.error = isErrorResult(list) ? list : undefined;
	if (isErrorResult(list)) return entry.ownSites ?? list;
	entry.fetchedAt = monotonicNow();
	const ownSites = new OwnSites(list.entries);
	entry.ownSites = ownSites;
	for (const record of exchanges) {
		if (isUnknown(entry, ownSites, record)) entry.lookedUp.set(getLookupKey(record), true);
	}
	return ownSites;
}

/** Has the next call fetch the sites again, because this process has added one. */
export function invalidateOwnSites(client: ApiClient): void {
	const entry = cache.get(client.scopedKey('own sites'));
	if (entry !== undefined) Object.assign(entry, { fetchedAt: -Infinity, requestedAt: -Infinity });
}

/**
 * Returns whether ten minutes have passed, or a request is in flight that the caller would share.
 */
function isRefetchAllowed({ inFlightCount }: CacheEntry, requestedAt: number): boolean {
	return inFlightCount > 0 || monotonicNow() - requestedAt >= minRefetchIntervalMs;
}

function isUnknown(entry: CacheEntry, ownSites: OwnSites, record: IDataObject): boolean {
	return !hasRecognizedEnd(record, ownSites) && !entry.lookedUp.has(getLookupKey(record));
}

function getLookupKey(record: IDataObject): string {
	return getId(record) ?? '';
}
