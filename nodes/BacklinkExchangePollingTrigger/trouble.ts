import type { IPollFunctions } from 'n8n-workflow';

import { inOneText } from '../shared/words/explanation';
import { log } from '../shared/words/triggerLog';

const minute = 60_000;
/** Milliseconds between two failed executions that tell of the same reason; polls come not to the second. */
const untilToldAgain = 59.5 * minute;
/** Reasons that are distinguished; they are messages of this package, so there are not many. */
const mostReasons = 20;

/** A time during which no poll of a trigger has found out what happened. */
interface Trouble {
	since: string;
	/** By the clock of the process, as all moments here. */
	begunAt: number;
	/** By reason: when a failed execution has told of it. */
	told: Map<string, number>;
}

/** By trigger, in this process. */
const troubles = new Map<string, Trouble>();

/**
 * Whether a failed execution is to tell why a poll could not find out what happened: when that begins, when the reason
 * changes, and once an hour while it lasts; the error then says since when. Otherwise n8n's log says so.
 * @param mayTell whether it may fail at all
 */
export function isToBeTold(context: IPollFunctions, error: Error, mayTell: boolean): boolean {
	const now = performance.now();
	const earlier = troubles.get(triggerOf(context));
	const trouble = earlier ?? { since: new Date().toISOString(), begunAt: now, told: new Map() };
	troubles.set(triggerOf(context), trouble);
	const { since, told } = trouble;
	if (!mayTell || now - (told.get(error.message) ?? -Infinity) < untilToldAgain) {
		log(context, `Polling Trigger: no poll has succeeded since ${since}: ${inOneText(error)}`);
		return false;
	}
	if (told.size >= mostReasons) told.clear();
	told.set(error.message, now);
	if (earlier !== undefined) {
		const said = error as { description?: string | null };
		said.description = `No poll has succeeded since ${since}. ${said.description ?? ''}`.trim();
	}
	return true;
}

/** Notes that a poll has found out what happened. */
export function noteSuccess(context: IPollFunctions): void {
	const trouble = troubles.get(triggerOf(context));
	if (trouble === undefined) return;
	troubles.delete(triggerOf(context));
	const minutes = Math.max(1, Math.round((performance.now() - trouble.begunAt) / minute));
	const lasted = minutes === 1 ? 'a minute' : `${minutes} minutes`;
	log(
		context,
		`Polling Trigger: polls succeed again. None did since ${trouble.since}, for ${lasted}`,
	);
}

function triggerOf(context: IPollFunctions): string {
	return `${context.getWorkflow().id ?? ''} ${context.getNode().id}`;
}
