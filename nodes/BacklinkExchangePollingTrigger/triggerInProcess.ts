import type { IPollFunctions } from 'n8n-workflow';

import { BoundedMap } from '../shared/boundedMap';
import type { Entry } from './ledger';

/** What this process knows of one trigger. What has to outlive the process is in the trigger's state (`openStore`). */
export interface TriggerInProcess {
	/** Something was written that may not wait, and is not saved. */
	isUnsaved: boolean;
	/** How many polls have written what they have seen. */
	polls: number;
	/** Its ledger as it was last written, so that it need not be read for each execution that ends. */
	ledger?: { text: string; entries: readonly Entry[] };
	/** By which the ends of executions go until the next poll. */
	lastPoll?: LastPoll;
	/** Since when no poll has found out what happened; undefined while polls do. */
	trouble?: Trouble;
}

export interface LastPoll {
	context: IPollFunctions;
	/** What was due then is; epoch milliseconds. */
	at: number;
	/** Milliseconds for which an event is held back before its first execution. */
	headStart: number;
	redelivers: boolean;
}

interface Trouble {
	since: string;
	/** By the clock of the process. */
	begunAt: number;
	/** By reason: when a failed execution has told of it, by the same clock. */
	told: Map<string, number>;
}

/** More than an n8n can poll: what is forgotten belongs to a trigger that was deactivated long ago. */
const mostTriggers = 10_000;

const triggers = new BoundedMap<string, TriggerInProcess>(mostTriggers);

/** The same object for all polls of a trigger, whichever context n8n gives them. */
export function triggerInProcess(context: IPollFunctions): TriggerInProcess {
	const key = `${context.getWorkflow().id ?? ''} ${context.getNode().id}`;
	const trigger = triggers.get(key) ?? { isUnsaved: false, polls: 0 };
	triggers.set(key, trigger);
	return trigger;
}
