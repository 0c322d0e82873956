import type { IPollFunctions } from 'n8n-workflow';

import { fetchOwnSites } from '../shared/api/ownSites';
import { getKey } from '../shared/sites/siteUrl';
import { ApiClient } from '../shared/transport/apiClient';
import { hash } from '../shared/utils/ids';
import type { KnownState } from './triggerState';

const timeoutMs = 30_000;
const maxRateLimitWaitMs = 90_000;

/** Enough to tell the sites of an account from those of another one. */
const hashLength = 12;

/** The account that a trigger polls, as it's stored. */
export interface PolledAccount {
	/** Hash that identifies base URL and API key without revealing them. */
	key: string;
	/** Hashes that identify the account's sites, at this base URL. */
	sites: string[];
}

/**
 * Creates the client of a poll, without sending a request.
 *
 * @throws {NodeOperationError} if the credential isn't valid
 */
export async function createClient(context: IPollFunctions): Promise<ApiClient> {
	// Older versions of n8n have no `getPollBudgetMs`.
	const budget = (context.getPollBudgetMs as (() => number) | undefined)?.call(context) ?? Infinity;
	return await ApiClient.create(context, {
		maxRateLimitWaitMs: Math.min(maxRateLimitWaitMs, budget / 2),
		timeoutMs,
	});
}

/**
 * Identifies the account of a client by its sites, because the service has no ID of an account.
 *
 * @param known the account of the previous poll
 * @throws {ServiceError} if the sites can't be listed, and none are known
 */
export async function identifyAccount(
	client: ApiClient,
	known: KnownState,
): Promise<PolledAccount> {
	const { key } = client.account;
	// A publication after a failed one must not repeat its cached error.
	const isFirst = key !== known.key && client.account.ownSites === undefined;
	const maxAgeMs = isFirst ? -Infinity : undefined;
	const { all } = await fetchOwnSites(client, maxAgeMs);
	const sites = all.flatMap(({ id, url }) => {
		const name = id ?? (url && getKey(url));
		return name === undefined ? [] : hash([client.baseUrl, name]).slice(0, hashLength);
	});
	return { key, sites };
}

/**
 * Returns whether an account is the known one: one of its sites is known, also with another
 * credential. Without sites, the key decides.
 */
export function isSameAccount({ key, sites }: PolledAccount, known: KnownState): boolean {
	if (sites.length === 0 || !known.sites?.length) return key === known.key;
	const knownSites = new Set(known.sites);
	return sites.some((site) => knownSites.has(site));
}
