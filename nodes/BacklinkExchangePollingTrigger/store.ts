import type { IPollFunctions } from 'n8n-workflow';

import { type Entry, readEntries } from './ledger';
import { fromText, type Memory, toText } from './memory';

export type Store = ReturnType<typeof openStore>;

/** Nodes whose state has changed since n8n last saved it. */
const unsaved = new Set<string>();

/**
 * The state of the trigger: what it has seen, and the events on their way. n8n saves it with each execution that the
 * trigger starts. With durable poll cursors n8n keeps it by the node's id. Without, n8n keeps a node's static data by the
 * node's name and begins anew when it is renamed; so there it stands in the workflow's static data, under the node's id.
 */
export function openStore(context: IPollFunctions) {
	const own = context.getWorkflowStaticData('node');
	const shared = context.getWorkflowStaticData('global');
	const { id } = context.getNode();
	const nodeKey = `${context.getWorkflow().id ?? ''}/${id}`;
	const names = { seen: `backlinkExchange ${id} seen`, ledger: `backlinkExchange ${id} ledger` };
	// n8n marks the objects that it watches for changes; a durable cursor is a plain one.
	const isDurable = !('__dataChanged' in own);
	const read = (name: string) => {
		const isNewCursor = isDurable && !Object.values(names).some((each) => each in own);
		return (isDurable && !isNewCursor ? own : shared)[name];
	};
	const write = (changed: Record<string, string>, mayWait = false) => {
		const target = isDurable ? own : shared;
		// All of it, because what a new cursor lacks is not read from anywhere else any more.
		const values = Object.values(names).map((name) => [name, changed[name] ?? read(name)] as const);
		for (const [name, value] of values) {
			if (value === undefined || value === target[name]) continue;
			target[name] = value;
			if (!mayWait) unsaved.add(nodeKey);
		}
	};
	return {
		/** A name for the node on this n8n. */
		nodeKey,
		readSeen: (): Memory => fromText(read(names.seen)),
		/** @param mayWait whether n8n may forget it, because the next poll finds the same */
		writeSeen(seen: Memory, mayWait: boolean): void {
			write({ [names.seen]: toText(seen) }, mayWait);
		},
		/** Anew each time: polls may overlap. */
		readLedger: (): Entry[] => readEntries(read(names.ledger)),
		writeLedger(entries: readonly Entry[]): void {
			write({ [names.ledger]: JSON.stringify(entries) });
		},
		/** To be called when the trigger has started an execution. */
		isSaved(): void {
			unsaved.delete(nodeKey);
		},
		/**
		 * Whether it takes an execution without items to have n8n save what may not wait. To be called when the poll is over.
		 * n8n itself saves after an activation; with durable poll cursors after every poll but that one.
		 */
		takesAnExecution: (isActivation: boolean): boolean =>
			unsaved.delete(nodeKey) && isDurable === isActivation,
	};
}
