import type { IDataObject } from 'n8n-workflow';

import { fetchList } from '../../../shared/api/fetchList';
import { ServiceError, toServiceError } from '../../../shared/errors';
import type { ApiClient } from '../../../shared/transport/apiClient';
import { getId, isId } from '../../../shared/utils/ids';
import { monotonicNow } from '../../../shared/utils/time';

/** Doubles after each check, up to `maxDelayMs`. */
const initialDelayMs = 1000;
const maxDelayMs = 15_000;
/** Causes of failures that are over after a while. */
const passingCauses: ReadonlyArray<string | undefined> = [
	'rate-limited',
	'temporarily-unavailable',
];

/**
 * Polls the list until the site is verified or the timeout is over.
 *
 * All sites of a run share the requests, because one response lists them all: thirty waiting sites
 * cost as many requests as one. Only `verified` is documented (service-api.md, "Site
 * verification").
 *
 * @returns the last known record of the site
 */
export async function waitForVerification(
	client: ApiClient,
	newSite: IDataObject,
	timeoutSeconds: number,
): Promise<IDataObject> {
	const deadline = monotonicNow() + timeoutSeconds * 1000;
	const isSameSite = (entry: IDataObject) => isId(newSite.id) && getId(entry) === getId(newSite);
	let site = newSite;
	for (let delayMs = initialDelayMs; site.verified !== true && monotonicNow() < deadline;) {
		await client.delay(Math.min(delayMs, deadline - monotonicNow()));
		// Accept a list that another item fetched in the second half of the delay, but not the one that
		// this item fetched before the delay. At the deadline, the delay was cut short, so half of the
		// initial delay counts.
		const notBefore = monotonicNow() - (monotonicNow() < deadline ? delayMs : initialDelayMs) / 2;
		const sites = await fetchList(client, 'sites', { notBefore }).catch(toServiceError);
		if (!(sites instanceof ServiceError)) site = sites.entries.find(isSameSite) ?? site;
		// The site was added, so a list that can't be fetched may end the wait, but never fails the
		// item. A rate limit that resets later doesn't end it.
		else if (!passingCauses.includes(sites.failure?.cause)) return site;
		delayMs = Math.min(delayMs * 2, maxDelayMs);
	}
	return site;
}
