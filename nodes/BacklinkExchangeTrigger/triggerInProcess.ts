import type { IPollFunctions } from 'n8n-workflow';

import { BoundedMap } from '../shared/boundedMap';

/** What this process knows of one trigger. Times are by `steadyNow`. */
interface TriggerInProcess {
	/** Those of its polls so far: n8n makes one for each activation, and n8n's scheduler one for each poll. */
	contexts: WeakSet<IPollFunctions>;
	/** What was asked for before this moment, a poll has seen. */
	newsSince?: number;
	/** Since when no poll has found out what happened, and when a failed execution last said so. */
	trouble?: { since: number; toldAt: number };
	/** How many executions are under way that may be tried again. */
	running: number;
	/** Whether one has failed since n8n has last saved the state. */
	hasUnsavedFailure: boolean;
}

/** More than an n8n can poll: one that is forgotten was deactivated long ago. */
const mostTriggers = 10_000;

const triggers = new BoundedMap<string, TriggerInProcess>(mostTriggers);

/** The same object for all polls of a trigger, whichever context n8n gives them. */
export function triggerInProcess(context: IPollFunctions): TriggerInProcess {
	const key = `${context.getWorkflow().id ?? ''} ${context.getNode().id}`;
	const known = triggers.get(key);
	const trigger = known ?? { contexts: new WeakSet(), running: 0, hasUnsavedFailure: false };
	triggers.set(key, trigger);
	return trigger;
}
