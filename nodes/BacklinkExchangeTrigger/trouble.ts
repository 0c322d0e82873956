import type { IPollFunctions } from 'n8n-workflow';

import { BoundedMap } from '../shared/boundedMap';
import { inOneText } from '../shared/words/explanation';
import { log } from '../shared/words/triggerLog';
import { triggerInProcess } from './triggerInProcess';

const minute = 60_000;
/** Milliseconds between two failed executions that tell of the same reason; polls come not to the second. */
const untilToldAgain = 59.5 * minute;
/** Ends each error of a poll: its own words are for somebody who has run a node, and would run it again. */
const goesOn =
	'Polls go on by themselves, and the first that succeeds finds what has happened meanwhile.';
/** Reasons that are distinguished; they are messages of this package, so there are not many. */
const mostReasons = 20;

/**
 * Notes why a poll could not find out what happened.
 * @param mayTell whether a failed execution may tell of it at all
 * @returns whether one is to tell of it, with the error: when the trouble begins, when its reason changes, and once an hour
 * while it lasts; the error then says since when. It also says that polls go on. Otherwise n8n's log has it.
 */
export function noteTrouble(context: IPollFunctions, error: Error, mayTell: boolean): boolean {
	const now = performance.now();
	const trigger = triggerInProcess(context);
	const isFirst = trigger.trouble === undefined;
	trigger.trouble ??= {
		since: new Date().toISOString(),
		begunAt: now,
		latestAt: now,
		told: new BoundedMap(mostReasons),
	};
	trigger.trouble.latestAt = now;
	const { since, told } = trigger.trouble;
	const wasJustTold = now - (told.get(error.message) ?? -Infinity) < untilToldAgain;
	if (!mayTell || wasJustTold) {
		log(context, `Polling Trigger: no poll has succeeded since ${since}: ${inOneText(error)}`);
		return false;
	}
	told.set(error.message, now);
	const said = error as { description?: string | null };
	const sinceWhen = isFirst ? '' : `No poll has succeeded since ${since}. `;
	said.description = `${sinceWhen}${said.description ?? ''} ${goesOn}`.trim();
	return true;
}

/** Whether the last poll has failed, and was not longer ago than polls that come each minute are from each other. */
export function hasJustFailed(context: IPollFunctions): boolean {
	const { latestAt = -Infinity } = triggerInProcess(context).trouble ?? {};
	return performance.now() - latestAt < 2 * minute;
}

/**
 * Notes that a poll has found out what happened.
 * @param begunAt when it began, by `performance.now()`: one that began before the trouble does not show that it is over
 */
export function noteSuccess(context: IPollFunctions, begunAt: number): void {
	const trigger = triggerInProcess(context);
	const { trouble } = trigger;
	if (trouble === undefined || begunAt < trouble.begunAt) return;
	trigger.trouble = undefined;
	const minutes = Math.max(1, Math.round((performance.now() - trouble.begunAt) / minute));
	const lasted = minutes === 1 ? 'a minute' : `${minutes} minutes`;
	log(
		context,
		`Polling Trigger: polls succeed again. None did since ${trouble.since}, for ${lasted}`,
	);
}
