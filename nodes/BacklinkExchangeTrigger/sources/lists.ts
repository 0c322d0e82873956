import type { IPollFunctions } from 'n8n-workflow';

import { errorMessages } from '../../shared/errorMessages';
import { toNodeOperationError } from '../../shared/errors';
import { warnThrottled } from '../../shared/logger';

/**
 * All triggers of an account share a cached list for this long.
 *
 * If they poll once a minute, an event is detected within two minutes, and a
 * trigger that is alone always fetches a new list.
 */
export const listCacheMs = 50_000;

/**
 * Logs a warning if a list is truncated.
 *
 * The editor shows nothing of a polling trigger but its executions, so only the log can show it.
 */
export function warnIfTruncated(context: IPollFunctions, truncated: boolean, noun: string): void {
	if (!truncated) return;
	warnThrottled(
		context,
		`Trigger: the service has more ${noun} than it returned, and the trigger can't fetch the others. It doesn't report their events`,
	);
}

/** @throws {NodeOperationError} if the account has more records than the trigger can track */
export function assertTrackable(
	context: IPollFunctions,
	{ noun, count, max }: { noun: string; count: number; max: number },
	alternative: string,
): void {
	if (count <= max) return;
	throw toNodeOperationError(context.getNode(), {
		message: errorMessages.tooManyRecords(noun),
		description: `This trigger can keep track of up to ${max.toLocaleString('en')} ${noun}. Use the webhook trigger for this account, or ${alternative} in 'Trigger On'.`,
	});
}
