import type { IPollFunctions } from 'n8n-workflow';

import { formatError } from '../shared/errors';
import { formatTime } from '../shared/formatting/time';
import { warnThrottled } from '../shared/logger';
import { monotonicNow } from '../shared/utils/time';
import { getOrCreateTriggerRuntime } from './triggerState';

const minute = 60_000;
/** Slightly less than an hour, because poll times jitter. */
const reportIntervalMs = 59.5 * minute;
/** Replaces the advice to run the workflow again, which is for errors of the action node. */
const pollingContinuesNote =
	'Polling continues automatically. The next successful poll picks up everything that happened in between.';

const retryAdvice = /^(Run|Then run) the workflow again/;

/**
 * Reports a failed poll: as a failed execution when failures begin and once an hour while they
 * last, otherwise in n8n's log.
 *
 * @param mayThrow whether a failed execution is allowed
 * @throws {Error} `error`, whose description then states since when polls have failed, and that
 * polling continues
 */
export function reportFailure(context: IPollFunctions, error: Error, mayThrow: boolean): void {
	const now = monotonicNow();
	const runtime = getOrCreateTriggerRuntime(context);
	const isFirst = runtime.failure === undefined;
	runtime.failure ??= { startedAt: now, reportedAt: -Infinity };
	const { startedAt } = runtime.failure;
	if (!mayThrow || now - runtime.failure.reportedAt < reportIntervalMs) {
		const since = new Date(startedAt).toISOString();
		const text = withoutRetryAdvice(formatError(error));
		warnThrottled(context, `Trigger: polls have failed since ${since}. ${text}`);
		return;
	}
	runtime.failure.reportedAt = now;
	const editableError = error as { description?: string | null };
	const since = formatTime(startedAt / 1000, context.getTimezone());
	const sinceSentence = isFirst ? '' : `Polls have failed since ${since}. `;
	editableError.description =
		`${sinceSentence}${withoutRetryAdvice(editableError.description ?? '')} ${pollingContinuesNote}`.trim();
	throw error;
}

/** Ends the current failure, if there is one, and logs that polls succeed again. */
export function reportRecovery(context: IPollFunctions): void {
	const runtime = getOrCreateTriggerRuntime(context);
	if (runtime.failure === undefined) return;
	const since = new Date(runtime.failure.startedAt).toISOString();
	runtime.failure = undefined;
	warnThrottled(context, `Trigger: polls succeed again after failing since ${since}`);
}

/** Removes the sentences that begin with this advice. */
function withoutRetryAdvice(text: string): string {
	const sentences = text.split(/(?<=\.) /);
	return sentences.filter((sentence) => !retryAdvice.test(sentence)).join(' ');
}
