import type { IExecuteFunctions } from 'n8n-workflow';

import type { ApiClient } from '../../../../shared/transport/apiClient';
import { delay } from '../../../../shared/transport/delay';
import { hash } from '../../../../shared/utils/ids';
import type { Decision } from '../decision';

/** n8n keeps the newest keys of each node, up to this number. */
const maxDedupEntries = 10_000;
/** Keys per call: n8n blocks the event loop for some milliseconds with each batch. */
const batchSize = 250;

/**
 * Removes duplicates: returns the decisions that this node hasn't returned before.
 *
 * Their keys are in n8n's database, as are those of n8n's Remove Duplicates node. Unknown outcomes
 * are always returned. If n8n can't store keys, all decisions are returned.
 */
export async function filterUnreported(
	context: IExecuteFunctions,
	client: ApiClient,
	decisions: Decision[],
): Promise<Decision[]> {
	const decisionsByKey = new Map<string, Decision>();
	for (const decision of decisions) {
		const dedupKey = getDedupKey(decision);
		if (dedupKey !== undefined) decisionsByKey.set(client.scopedKey(dedupKey), decision);
	}
	const reported = new Set<Decision>();
	const dedupKeys = [...decisionsByKey.keys()];
	const options = { mode: 'entries', maxEntries: maxDedupEntries } as const;
	try {
		for (let index = 0; index < dedupKeys.length; index += batchSize) {
			const batch = dedupKeys.slice(index, index + batchSize);
			const { processed } = await context.helpers.checkProcessedAndRecord(batch, 'node', options);
			for (const entry of processed) reported.add(decisionsByKey.get(String(entry)) as Decision);
			await delay(0);
		}
	} catch {
		// A duplicate is better than a decision that nobody sees.
		return decisions;
	}
	return decisions.filter((decision) => !reported.has(decision));
}

/**
 * Returns a key that is equal for the same offer, outcome and reason.
 *
 * @returns `undefined` for a decision that is never a duplicate
 */
function getDedupKey({ exchangeId, outcome, reason = '', record }: Decision): string | undefined {
	if (outcome === 'unknown') return undefined;
	if (outcome === 'accepted') return JSON.stringify([outcome, exchangeId]);
	// Numbers and times in a reason change although the reason is the same.
	const comparableReason = reason.replaceAll(exchangeId, '').replace(/\d+/g, '#');
	return JSON.stringify([exchangeId || hash(record), outcome, comparableReason]);
}
