import type { IExecuteFunctions } from 'n8n-workflow';

import type { ApiClient } from '../../../../shared/transport/apiClient';
import { hash } from '../../../../shared/utils/ids';
import type { Decision } from '../decision';

/** n8n keeps the newest keys of each node, up to this number. */
const maxDedupEntries = 10_000;

/**
 * Removes duplicates: returns the decisions that this node hasn't returned before.
 *
 * Their keys are in n8n's database, as are those of n8n's Remove Duplicates node. Unknown outcomes
 * are always returned. If n8n can't store keys, all decisions are returned.
 */
export async function filterUnreported(
	context: IExecuteFunctions,
	{ account }: ApiClient,
	decisions: Decision[],
): Promise<Decision[]> {
	const decisionsByKey = new Map<string, Decision>();
	for (const decision of decisions) {
		const dedupKey = getDedupKey(decision);
		if (dedupKey !== undefined) decisionsByKey.set(hash([account.key, dedupKey]), decision);
	}
	const options = { mode: 'entries', maxEntries: maxDedupEntries } as const;
	try {
		const { processed } = await context.helpers.checkProcessedAndRecord(
			[...decisionsByKey.keys()],
			'node',
			options,
		);
		const reported = new Set(processed.map((entry) => decisionsByKey.get(String(entry))));
		return decisions.filter((decision) => !reported.has(decision));
	} catch {
		// A duplicate is better than a decision that nobody sees.
		return decisions;
	}
}

/**
 * Returns a key that is equal for the same offer, outcome and reason.
 *
 * @returns `undefined` for a decision that is never a duplicate
 */
function getDedupKey(decision: Decision): string | undefined {
	const { exchangeId, outcome, reason = '', partner, site, anchor } = decision;
	if (outcome === 'unknown') return undefined;
	if (outcome === 'accepted') return JSON.stringify([outcome, exchangeId]);
	// Numbers and times in a reason change although the reason is the same.
	const comparableReason = reason.replaceAll(exchangeId, '').replace(/-?\d+(?:\.\d+)?/g, '#');
	const offer = exchangeId === '' ? [partner, site, anchor] : exchangeId;
	return JSON.stringify([offer, outcome, comparableReason]);
}
