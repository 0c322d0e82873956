import type { IExecuteFunctions } from 'n8n-workflow';

import type { ApiClient } from '../../../../shared/transport/apiClient';
import { delay } from '../../../../shared/transport/delay';
import { hash } from '../../../../shared/utils/ids';
import type { Decision } from '../decision';

/** How many names n8n keeps for each node, the newest ones. */
const maxDedupEntries = 10_000;
/** How many are written at once: n8n holds the event loop for some milliseconds with each part. */
const batchSize = 250;

/**
 * The decisions that this node has not shown before, by names that n8n keeps for the node in its database, as for its node
 * Remove Duplicates. What is unknown is always shown. Where n8n cannot keep names, everything is shown.
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
		// To show a decision twice is better than not at all.
		return decisions;
	}
	return decisions.filter((decision) => !reported.has(decision));
}

/** A name for the decision: the same for the same offer, outcome and reason. */
function getDedupKey({ id, outcome, reason = '', exchange }: Decision): string | undefined {
	if (outcome === 'unknown') return undefined;
	if (outcome === 'accepted') return JSON.stringify([outcome, id]);
	// A reason is the same whatever the figures and times in it are now.
	const comparableReason = reason.replaceAll(id, '').replace(/\d+/g, '#');
	return JSON.stringify([id || hash(exchange), outcome, comparableReason]);
}
