import type { IPollFunctions } from 'n8n-workflow';

import { formatError } from '../shared/errors';
import { warnThrottled } from '../shared/logger';
import { monotonicNow } from '../shared/utils/time';
import { getOrCreateTriggerRuntime } from './triggerState';

const minute = 60_000;
/** Milliseconds between two failed executions that tell of the same trouble; polls come not to the second. */
const reportIntervalMs = 59.5 * minute;
/** Ends each error of a poll: its own words are for somebody who has run a node, and would run it again. */
const pollingContinuesNote =
	'Polls go on by themselves, and the first that succeeds finds what has happened meanwhile.';

/**
 * Tells why a poll could not find out what happened: by a failed execution when the trouble begins and once an hour while it
 * lasts, otherwise in n8n's log.
 * @param mayThrow whether a failed execution may tell of it at all
 * @throws the error, which then says since when, and that polls go on
 */
export function reportFailure(context: IPollFunctions, error: Error, mayThrow: boolean): void {
	const now = monotonicNow();
	const runtime = getOrCreateTriggerRuntime(context);
	const isFirst = runtime.failure === undefined;
	runtime.failure ??= { startedAt: now, reportedAt: -Infinity };
	const since = new Date(runtime.failure.startedAt).toISOString();
	if (!mayThrow || now - runtime.failure.reportedAt < reportIntervalMs) {
		warnThrottled(context, `Trigger: no poll has succeeded since ${since}: ${formatError(error)}`);
		return;
	}
	runtime.failure.reportedAt = now;
	const editableError = error as { description?: string | null };
	const sinceSentence = isFirst ? '' : `No poll has succeeded since ${since}. `;
	editableError.description =
		`${sinceSentence}${editableError.description ?? ''} ${pollingContinuesNote}`.trim();
	throw error;
}

/** Notes that a poll has found out what happened. */
export function reportRecovery(context: IPollFunctions): void {
	const runtime = getOrCreateTriggerRuntime(context);
	if (runtime.failure === undefined) return;
	const since = new Date(runtime.failure.startedAt).toISOString();
	runtime.failure = undefined;
	warnThrottled(context, `Trigger: polls succeed again. None did since ${since}`);
}
