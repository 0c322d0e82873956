import type { IDataObject } from 'n8n-workflow';

import { fetchList } from '../../../shared/api/fetchList';
import { isErrorResult } from '../../../shared/errors';
import type { ApiClient } from '../../../shared/transport/apiClient';
import { getId, isId } from '../../../shared/utils/ids';
import { monotonicNow } from '../../../shared/utils/time';

/** First pause between two checks, in milliseconds; it doubles up to the longest. */
const initialDelayMs = 1000;
const maxDelayMs = 15_000;

/**
 * Checks a new site until it is verified, or so many seconds are over, and returns the last record that was seen of it. All
 * sites of a run share the checks, because the service lists them in one answer: thirty sites that wait cost as many requests
 * as one. Only `verified` is documented (service-api.md, "Site verification").
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
		// A list that another item has read during the second half of the pause is new enough; the one that this item has read
		// before it is not. At the deadline, where the pause was cut short, half of the shortest pause counts.
		const notBefore = monotonicNow() - (monotonicNow() < deadline ? delayMs : initialDelayMs) / 2;
		const sites = await fetchList(client, 'sites', { notBefore });
		if (!isErrorResult(sites)) site = sites.entries.find(isSameSite) ?? site;
		// The site was added, so a list that cannot be read ends the wait at most, and is no error of the item.
		else if (sites.failure?.cause !== 'temporarily-unavailable') return site;
		delayMs = Math.min(delayMs * 2, maxDelayMs);
	}
	return site;
}
