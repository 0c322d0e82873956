import type { IPollFunctions } from 'n8n-workflow';

import { formatError } from '../shared/errors';
import { log } from '../shared/logger';
import { monotonicNow } from '../shared/utils/time';
import { triggerInProcess } from './triggerState';

const minute = 60_000;
/** Milliseconds between two failed executions that tell of the same trouble; polls come not to the second. */
const reportIntervalMs = 59.5 * minute;
/** Ends each error of a poll: its own words are for somebody who has run a node, and would run it again. */
const goesOn =
	'Polls go on by themselves, and the first that succeeds finds what has happened meanwhile.';

/**
 * Tells why a poll could not find out what happened: by a failed execution when the trouble begins and once an hour while it
 * lasts, otherwise in n8n's log.
 * @param mayThrow whether a failed execution may tell of it at all
 * @throws the error, which then says since when, and that polls go on
 */
export function tellTrouble(context: IPollFunctions, error: Error, mayThrow: boolean): void {
	const now = monotonicNow();
	const trigger = triggerInProcess(context);
	const isFirst = trigger.trouble === undefined;
	trigger.trouble ??= { since: now, toldAt: -Infinity };
	const since = new Date(trigger.trouble.since).toISOString();
	if (!mayThrow || now - trigger.trouble.toldAt < reportIntervalMs) {
		log(context, `Trigger: no poll has succeeded since ${since}: ${formatError(error)}`);
		return;
	}
	trigger.trouble.toldAt = now;
	const editableError = error as { description?: string | null };
	const sinceWhen = isFirst ? '' : `No poll has succeeded since ${since}. `;
	editableError.description = `${sinceWhen}${editableError.description ?? ''} ${goesOn}`.trim();
	throw error;
}

/** Notes that a poll has found out what happened. */
export function endTrouble(context: IPollFunctions): void {
	const trigger = triggerInProcess(context);
	if (trigger.trouble === undefined) return;
	const since = new Date(trigger.trouble.since).toISOString();
	trigger.trouble = undefined;
	log(context, `Trigger: polls succeed again. None did since ${since}`);
}
