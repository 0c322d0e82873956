import type { IPollFunctions } from 'n8n-workflow';

import { BoundedMap } from '../shared/boundedMap';
import type { Entry } from './ledger';

/** What this process knows of one trigger. What has to outlive the process is in the trigger's state (`Store`). */
export interface TriggerInProcess {
	/** Those of its polls so far: n8n makes one for each activation, and n8n's scheduler one for each poll. */
	contexts: WeakSet<IPollFunctions>;
	/** Whether something was written that n8n has to save, and has not saved yet. */
	isUnsaved: boolean;
	/** How many polls have written what they have seen. */
	polls: number;
	/** The trigger's ledger as it was last written, so that it need not be read for each execution that ends. */
	ledger?: { text: string; entries: readonly Entry[] };
	/** The last poll: until the next one, executions that end go by its settings. */
	lastPoll?: LastPoll;
	/** Since when no poll has found out what happened; undefined while polls do. */
	trouble?: Trouble;
}

export interface LastPoll {
	/** The context of that poll, which has the latest copy of the workflow's static data. */
	context: IPollFunctions;
	/** When the poll was, in epoch milliseconds: only what was due by then is started before the next one. */
	at: number;
	/** Milliseconds for which an event is held back before its first execution. */
	headStart: number;
	redelivers: boolean;
}

interface Trouble {
	since: string;
	/** When the trouble began, in milliseconds of the process's own clock. */
	begunAt: number;
	/** When the last poll failed, by the same clock. */
	latestAt: number;
	/** When a failed execution last said each reason, by the same clock. */
	told: Map<string, number>;
}

/** The most triggers that are remembered: more than an n8n can poll, so only one that was deactivated long ago is forgotten. */
const mostTriggers = 10_000;

const triggers = new BoundedMap<string, TriggerInProcess>(mostTriggers);

/** The same object for all polls of a trigger, whichever context n8n gives them. */
export function triggerInProcess(context: IPollFunctions): TriggerInProcess {
	const key = `${context.getWorkflow().id ?? ''} ${context.getNode().id}`;
	const known = triggers.get(key);
	const trigger = known ?? { contexts: new WeakSet(), isUnsaved: false, polls: 0 };
	triggers.set(key, trigger);
	return trigger;
}
