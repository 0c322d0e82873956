import type { IDataObject, IPollFunctions } from 'n8n-workflow';

import { isObject } from '../shared/response';
import { type Entry, readEntries } from './ledger';
import { fromText, type Memory, toText } from './memory';

export type Store = ReturnType<typeof openStore>;

/** Nodes whose state has changed since n8n last saved it. */
const unsaved = new Set<string>();

/**
 * By workflow: the states of its triggers, as this process has last written them. n8n 2 gives a trigger that is published
 * later than another, or again while it polls, a copy of the static data, and saves the whole copy with each execution.
 */
const written = new Map<string, Record<string, IDataObject>>();

/**
 * The state of the trigger: what it has seen, and the events on their way. n8n saves it with each execution that the
 * trigger starts. With durable poll cursors n8n keeps it by the node's id. Without, n8n keeps a node's static data by the
 * node's name and loses it when the node is renamed; so there it stands in the workflow's static data, under the node's id.
 */
export function openStore(context: IPollFunctions) {
	const own = context.getWorkflowStaticData('node');
	const shared = context.getWorkflowStaticData('global');
	const { id } = context.getNode();
	const workflowId = context.getWorkflow().id ?? '';
	const nodeKey = `${workflowId}/${id}`;
	const name = `backlinkExchange ${id}`;
	// n8n marks the objects that it watches for changes; a durable cursor is a plain one.
	const isDurable = !('__dataChanged' in own);
	const read = () => {
		const states = isDurable ? {} : written.get(workflowId);
		for (const [each, state] of Object.entries(states ?? {})) {
			if (Number(state.version) > Number(stateIn(shared, each).version ?? 0)) shared[each] = state;
		}
		return stateIn(isDurable && name in own ? own : shared, name);
	};
	const write = (part: 'seen' | 'ledger', text: string, mayWait = false) => {
		const before = read();
		if (before[part] === text) return;
		const version = Number(before.version ?? 0) + (mayWait ? 0 : 1);
		const state = { ...before, [part]: text, version };
		(isDurable ? own : shared)[name] = state;
		if (mayWait) return;
		unsaved.add(nodeKey);
		written.set(workflowId, { ...written.get(workflowId), [name]: state });
	};
	return {
		/** A name for the node on this n8n. */
		nodeKey,
		readSeen: (): Memory => fromText(read().seen),
		/** @param mayWait whether n8n may forget it, because the next poll finds the same */
		writeSeen(seen: Memory, mayWait: boolean): void {
			write('seen', toText(seen), mayWait);
		},
		/** Read again each time, because polls may overlap. */
		readLedger: (): Entry[] => readEntries(read().ledger),
		writeLedger(entries: readonly Entry[]): void {
			write('ledger', JSON.stringify(entries));
		},
		/** To be called when the trigger has started an execution. */
		isSaved(): void {
			unsaved.delete(nodeKey);
		},
		/**
		 * Whether it takes an execution without items to have n8n save what may not wait. To be called when the poll is over.
		 * n8n itself saves after an activation; with durable poll cursors after every poll but that one; never after one that
		 * has failed.
		 */
		takesAnExecution(isActivation: boolean, hasFailed: boolean): boolean {
			// n8n saves the states of the others, too: their latest.
			read();
			return unsaved.delete(nodeKey) && (hasFailed || isDurable === isActivation);
		},
	};
}

function stateIn(staticData: IDataObject, name: string): IDataObject {
	const state = staticData[name];
	return isObject(state) ? state : {};
}
