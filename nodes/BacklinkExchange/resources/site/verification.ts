import type { IDataObject } from 'n8n-workflow';

import type { ServiceConnection } from '../../../shared/connection';
import { isExplanation } from '../../../shared/explanation';
import { readWholeList } from '../../../shared/list';

/** First pause between two looks, in milliseconds; it doubles up to the longest. */
const firstPause = 1000;
const longestPause = 15_000;

/**
 * Looks at a new site until it is verified or rejected, or the time (seconds) is over, and returns the last record seen.
 * Only `verified` is documented (service-api.md, "Site verification"); a status that says "rejected" or "failed" ends the
 * wait as well.
 */
export async function waitUntilVerified(
	connection: ServiceConnection,
	site: IDataObject,
	timeout: number,
): Promise<IDataObject> {
	const deadline = Date.now() + timeout * 1000;
	let latest = site;
	for (let pause = firstPause; ; pause = Math.min(pause * 2, longestPause)) {
		const left = deadline - Date.now();
		if (latest.verified === true || wasRejected(latest) || left <= 0) return latest;
		await connection.pause(Math.min(pause, left));
		const result = await readWholeList(connection, {
			name: 'sites',
			path: ['sites'],
			action: 'list the sites',
			fresh: true,
		});
		// The site is there: that the list cannot be read just now must not hide it.
		if (isExplanation(result)) return latest;
		latest = result.entries.find((entry) => entry.id === site.id) ?? latest;
	}
}

function wasRejected(site: IDataObject): boolean {
	return [site.status, site.verification, site.verification_status].some(
		(value) => typeof value === 'string' && /reject|fail/i.test(value),
	);
}
