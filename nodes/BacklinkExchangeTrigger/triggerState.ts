import type { IDataObject, IPollFunctions } from 'n8n-workflow';
import { jsonParse } from 'n8n-workflow';

import type { SourceName } from '../shared/events/event.types';
import { BoundedMap } from '../shared/utils/boundedMap';
import { monotonicNow } from '../shared/utils/time';
import type { PolledAccount } from './connectAccount';

/** The last state of each source. Those whose events aren't selected are left out. */
export type Known = Partial<Record<SourceName, unknown>>;

/** The state that a poll compares the account with. Nothing is known before the first poll. */
export interface KnownState extends Partial<PolledAccount> {
	known?: Known;
}

/**
 * The data that a poll persists, in the workflow's static data under the node's ID: the known state
 * of the last snapshot (at most `maxTrackedExchanges` and `maxTrackedAlerts`).
 *
 * It's a JSON string, because n8n wraps every object there in a proxy.
 */
interface StoredState extends IDataObject {
	/** Epoch milliseconds, always later than those of the previous state. */
	writtenAt: number;
	json: string;
}

/** Data of one trigger in this process. Times are monotonic, see `monotonicNow`. */
interface TriggerRuntime {
	/** State as this process last saved it. */
	stored?: StoredState;
	/** Contexts that have polled. n8n creates one per activation, its scheduler one per poll. */
	contexts: WeakSet<IPollFunctions>;
	/** Responses to requests before this time have been compared. */
	lastPolledAt: number;
	/** Set while polls fail: since when, and when a failed execution last reported it. */
	failure?: { startedAt: number; reportedAt: number };
}

/** More than one n8n can poll: a dropped entry belongs to a workflow deactivated long ago. */
const maxWorkflows = 10_000;

/** Triggers of each workflow, by their key in its static data. */
const workflows = new BoundedMap<string, Record<string, TriggerRuntime>>(maxWorkflows);

/** Returns or creates the runtime data of a trigger, shared by all of its poll contexts. */
export function getOrCreateTriggerRuntime(context: IPollFunctions): TriggerRuntime {
	const created = { contexts: new WeakSet<IPollFunctions>(), lastPolledAt: -Infinity };
	return (getOrCreateTriggerRuntimes(context)[getStaticDataKey(context)] ??= created);
}

/** Returns when the state was saved, which changes with each successful poll. */
export function getWriteTime(context: IPollFunctions): number {
	const stored = syncStaticData(context)[getStaticDataKey(context)] as StoredState | undefined;
	return stored?.writtenAt ?? 0;
}

/** Loads the state of a trigger from the static data; without one, nothing is known. */
export function loadState(context: IPollFunctions): KnownState {
	const stored = syncStaticData(context)[getStaticDataKey(context)] as StoredState | undefined;
	return jsonParse<KnownState>(stored?.json ?? '', { fallbackValue: {} });
}

/**
 * Saves the state of a trigger to the static data.
 *
 * n8n 2.41: static data reaches the database when an execution starts, and after an activation.
 */
export function saveState(context: IPollFunctions, state: KnownState): void {
	const staticData = syncStaticData(context);
	const key = getStaticDataKey(context);
	const previous = staticData[key] as StoredState | undefined;
	const writtenAt = Math.max(monotonicNow(), (previous?.writtenAt ?? 0) + 1);
	const stored = { writtenAt, json: JSON.stringify(state) };
	staticData[key] = stored;
	getOrCreateTriggerRuntime(context).stored = stored;
}

/**
 * Returns the workflow's static data, after merging newer states that this process has saved for
 * any of its triggers.
 *
 * n8n 2.41: a trigger that is published again gets a copy of the static data, and n8n saves all of
 * that copy. The node's own static data would be lost when the node is renamed.
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
