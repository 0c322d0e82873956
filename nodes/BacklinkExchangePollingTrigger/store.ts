import type { IPollFunctions } from 'n8n-workflow';

import { isObject } from '../shared/response';
import { type Entry, readEntries } from './ledger';
import { fromText, type Memory, toText } from './memory';

export type Store = ReturnType<typeof openStore>;

/** Nodes whose state has changed since n8n last saved it. */
const unsaved = new Set<string>();

/**
 * The state of the trigger: what it has seen, and the events on their way. n8n saves it with each execution that the
 * trigger starts. With durable poll cursors n8n keeps it by the node's id. Without, n8n keeps a node's static data by the
 * node's name and loses it when the node is renamed; so there it stands in the workflow's static data, under the node's id.
 */
export function openStore(context: IPollFunctions) {
	const own = context.getWorkflowStaticData('node');
	const shared = context.getWorkflowStaticData('global');
	const { id } = context.getNode();
	const nodeKey = `${context.getWorkflow().id ?? ''}/${id}`;
	const name = `backlinkExchange ${id}`;
	// n8n marks the objects that it watches for changes; a durable cursor is a plain one.
	const isDurable = !('__dataChanged' in own);
	const read = () => {
		const state = (isDurable && name in own ? own : shared)[name];
		return isObject(state) ? state : {};
	};
	const write = (part: 'seen' | 'ledger', text: string, mayWait = false) => {
		const before = read();
		if (before[part] === text) return;
		(isDurable ? own : shared)[name] = { ...before, [part]: text };
		if (!mayWait) unsaved.add(nodeKey);
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
		takesAnExecution: (isActivation: boolean, hasFailed: boolean): boolean =>
			unsaved.delete(nodeKey) && (hasFailed || isDurable === isActivation),
	};
}
