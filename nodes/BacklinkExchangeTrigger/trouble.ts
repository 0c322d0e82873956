import type { IPollFunctions } from 'n8n-workflow';

import { BoundedMap } from '../shared/boundedMap';
import { steadyNow } from '../shared/time';
import { inOneText } from '../shared/words/explanation';
import { log } from '../shared/words/triggerLog';

const minute = 60_000;
/** Milliseconds between two failed executions that tell of the same trouble; polls come not to the second. */
const untilToldAgain = 59.5 * minute;
/** Ends each error of a poll: its own words are for somebody who has run a node, and would run it again. */
const goesOn =
	'Polls go on by themselves, and the first that succeeds finds what has happened meanwhile.';

/** What this process knows of a trigger's polls. Times are by `steadyNow`. */
interface Polls {
	/** n8n makes a context for each activation, and its scheduler one for each poll. */
	contexts: WeakSet<IPollFunctions>;
	/** What was asked for before this moment has been seen. */
	newsSince?: number;
	/** Since when no poll has found out what happened, and when a failed execution last said so. */
	trouble?: { since: number; toldAt: number };
}

/** More than an n8n can poll: one that is forgotten was deactivated long ago. */
const mostTriggers = 10_000;
const triggers = new BoundedMap<string, Polls>(mostTriggers);

/** The same object for all polls of a trigger, whichever context n8n gives them. */
export function pollsOf(context: IPollFunctions): Polls {
	const key = `${context.getWorkflow().id ?? ''} ${context.getNode().id}`;
	const polls = triggers.get(key) ?? { contexts: new WeakSet() };
	triggers.set(key, polls);
	return polls;
}

/**
 * Tells why a poll could not find out what happened: by a failed execution when the trouble begins and once an hour while it
 * lasts, otherwise in n8n's log.
 * @param mayThrow whether a failed execution may tell of it at all
 * @throws the error, which then says since when, and that polls go on
 */
export function tellTrouble(context: IPollFunctions, error: Error, mayThrow: boolean): void {
	const now = steadyNow();
	const polls = pollsOf(context);
	const isFirst = polls.trouble === undefined;
	polls.trouble ??= { since: now, toldAt: -Infinity };
	const since = new Date(polls.trouble.since).toISOString();
	if (!mayThrow || now - polls.trouble.toldAt < untilToldAgain) {
		log(context, `Trigger: no poll has succeeded since ${since}: ${inOneText(error)}`);
		return;
	}
	polls.trouble.toldAt = now;
	const said = error as { description?: string | null };
	const sinceWhen = isFirst ? '' : `No poll has succeeded since ${since}. `;
	said.description = `${sinceWhen}${said.description ?? ''} ${goesOn}`.trim();
	throw error;
}

/** Notes that a poll has found out what happened. */
export function endTrouble(context: IPollFunctions): void {
	const polls = pollsOf(context);
	if (polls.trouble === undefined) return;
	const since = new Date(polls.trouble.since).toISOString();
	polls.trouble = undefined;
	log(context, `Trigger: polls succeed again. None did since ${since}`);
}
