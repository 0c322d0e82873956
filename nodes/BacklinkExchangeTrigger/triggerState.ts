import type { IDataObject, IPollFunctions } from 'n8n-workflow';
import { jsonParse } from 'n8n-workflow';

import { BoundedMap } from '../shared/utils/boundedMap';
import { monotonicNow } from '../shared/utils/time';
import type { TriggerState } from './trigger.types';

/** A state as it is in n8n's static data: as a text, because n8n wraps every object there in a proxy. */
interface StoredState extends IDataObject {
	/** When it was written, later than any state before it; epoch milliseconds. */
	writtenAt: number;
	json: string;
}

/** What this process knows of one trigger. Times are by `steadyNow`. */
interface TriggerRuntime {
	/** Its state, as this process has last written it. */
	stored?: StoredState;
	/** Those of its polls so far: n8n makes one for each activation, and n8n's scheduler one for each poll. */
	contexts: WeakSet<IPollFunctions>;
	/** What was asked for before this moment, a poll has seen. */
	lastPolledAt?: number;
	/** Since when no poll has found out what happened, and when a failed execution last said so. */
	failure?: { startedAt: number; reportedAt: number };
	/** How many executions are under way that may be tried again. */
	running: number;
	/** Whether one has failed since n8n has last saved the state. */
	hasUnsavedFailure: boolean;
}

/** More than an n8n can poll: what is forgotten belongs to a workflow that was deactivated long ago. */
const maxWorkflows = 10_000;

/** The triggers of each workflow, by their names in its static data. */
const workflows = new BoundedMap<string, Record<string, TriggerRuntime>>(maxWorkflows);

/** The same object for all polls of a trigger, whichever context n8n gives them. */
export function getOrCreateTriggerRuntime(context: IPollFunctions): TriggerRuntime {
	const created = { contexts: new WeakSet<IPollFunctions>(), running: 0, hasUnsavedFailure: false };
	return (getOrCreateTriggerRuntimes(context)[getStaticDataKey(context)] ??= created);
}

/** The state of a trigger; one that knows nothing where there is none. */
export function loadState(context: IPollFunctions): TriggerState {
	const stored = syncStaticData(context)[getStaticDataKey(context)] as StoredState | undefined;
	const state = jsonParse<Partial<TriggerState>>(stored?.json ?? '', { fallbackValue: {} });
	return { ...state, pendingExecutions: state.pendingExecutions ?? [] };
}

/** Writes the state of a trigger. n8n saves it when an execution is started, and after an activation. */
export function saveState(context: IPollFunctions, state: TriggerState): void {
	const staticData = syncStaticData(context);
	const key = getStaticDataKey(context);
	const previous = staticData[key] as StoredState | undefined;
	const writtenAt = Math.max(monotonicNow(), (previous?.writtenAt ?? 0) + 1);
	const stored = { writtenAt, json: JSON.stringify(state) };
	staticData[key] = stored;
	getOrCreateTriggerRuntime(context).stored = stored;
}

/**
 * The static data of the workflow, brought up to date with what this process has written for any of its triggers: n8n gives a
 * trigger that is published again a copy of it, and saves all of that copy. The static data of the node would be lost when the
 * node is renamed.
 */
function syncStaticData(context: IPollFunctions): IDataObject {
	const staticData = context.getWorkflowStaticData('global');
	for (const [key, { stored: copy }] of Object.entries(getOrCreateTriggerRuntimes(context))) {
		const stored = staticData[key] as StoredState | undefined;
		if (copy && copy.writtenAt > (stored?.writtenAt ?? 0)) staticData[key] = copy;
	}
	return staticData;
}

function getOrCreateTriggerRuntimes(context: IPollFunctions): Record<string, TriggerRuntime> {
	const { id = '' } = context.getWorkflow();
	return workflows.getOrCreate(id, () => ({}));
}

function getStaticDataKey(context: IPollFunctions): string {
	return `backlinkExchange ${context.getNode().id}`;
}
