import type { IDataObject, INodeExecutionData, IPollFunctions } from 'n8n-workflow';

import { BoundedMap } from '../shared/boundedMap';
import { isObject } from '../shared/objects';
import { type Entry, readEntries } from './ledger';
import { fromText, type Memory, toText } from './memory';
import { triggerInProcess } from './triggerInProcess';

export type Store = ReturnType<typeof openStore>;

/** More than an n8n can poll: what is forgotten belongs to a workflow that was deactivated long ago. */
const mostWorkflows = 10_000;

/**
 * By workflow: the states of its triggers, as this process has last written them. n8n 2 gives a trigger that is published
 * later than another, or again while it polls, a copy of the static data, and saves the whole copy with each execution. With
 * durable cursors each poll has a copy, and with n8n's scheduler it begins with what is saved.
 */
const written = new BoundedMap<string, Record<string, IDataObject>>(mostWorkflows);

/**
 * The state of the trigger, for one poll and the executions that it starts: what it has seen, and the events on their way.
 * With durable poll cursors n8n keeps it by the node's id. Without, n8n keeps a node's static data by the node's name and
 * loses it when the node is renamed; so there it stands in the workflow's static data, under the node's id.
 */
export function openStore(context: IPollFunctions) {
	const own = context.getWorkflowStaticData('node');
	const shared = context.getWorkflowStaticData('global');
	const workflowId = context.getWorkflow().id ?? '';
	const name = `backlinkExchange ${context.getNode().id}`;
	const trigger = triggerInProcess(context);
	// n8n marks the objects that it watches for changes; a durable cursor is a plain one.
	const isDurable = !('__dataChanged' in own);
	const kept = isDurable ? own : shared;
	// With it, the states of the others are saved, too: their latest.
	const read = () => {
		for (const [each, state] of Object.entries(written.get(workflowId) ?? {})) {
			if (isDurable && each !== name) continue;
			if (Number(state.version) > Number(stateIn(kept, each).version ?? 0)) kept[each] = state;
		}
		return stateIn(name in kept ? kept : shared, name);
	};
	const write = (part: 'seen' | 'ledger', text: string, mayWait = false) => {
		const before = read();
		if (before[part] === text) return;
		// The time, because two processes may have gone on from the same state: one that was the leader may be so again.
		const version = Math.max(Number(before.version ?? 0) + 1, Date.now());
		kept[name] = { ...before, [part]: text, version };
		written.set(workflowId, { ...written.get(workflowId), [name]: kept[name] as IDataObject });
		if (!mayWait) trigger.isUnsaved = true;
	};
	const emit = (
		items: IDataObject[],
		done?: Parameters<IPollFunctions['__emit']>[2],
	): INodeExecutionData[][] | null => {
		trigger.isUnsaved = false;
		// Again, because n8n takes no note of a change that is made while it saves an earlier one.
		kept[name] = { ...read() };
		const output = [items.map((json) => ({ json }))];
		if (!mayEmit(context)) return output;
		context.__emit(output, undefined, done);
		return null;
	};
	return {
		/** What this process knows of the trigger. */
		trigger,
		context,
		/** Whether it can be saved only from within the poll that it was opened for, and the executions that it started. */
		isDurable,
		/** What was seen, and whether that is still so: no poll that began later has been faster. */
		readSeen(): { seen: Memory; isStillSo: () => boolean } {
			const { polls } = trigger;
			return { seen: fromText(read().seen), isStillSo: () => trigger.polls === polls };
		},
		/** @param mayWait whether n8n may forget it, because a later poll finds the same */
		writeSeen(seen: Memory, mayWait: boolean): void {
			trigger.polls++;
			write('seen', toText(seen), mayWait);
		},
		/** Read again each time, because polls may overlap. */
		readLedger(): Entry[] {
			const { ledger: text } = read();
			const known = trigger.ledger;
			const entries = known?.text === text ? known?.entries : readEntries(text, workflowId);
			return (entries ?? []).map((entry) => ({ ...entry }));
		},
		writeLedger(entries: readonly Entry[]): void {
			const text = JSON.stringify(entries);
			trigger.ledger = { text, entries };
			write('ledger', text);
		},
		/**
		 * Starts an execution, at once: n8n drops what a poll returns too late, or when its workflow has been published again
		 * meanwhile. n8n saves the state with it. Returns what is left for the poll to return.
		 */
		emit,
		/**
		 * Saves what may not wait, if something does: a durable cursor as it is, otherwise by an execution without items, for
		 * which n8n offers no other way. Returns what is left for the poll to return.
		 */
		async save(): Promise<INodeExecutionData[][] | null> {
			if (!trigger.isUnsaved) return null;
			if (!isDurable || context.__commitCursor === undefined) return emit([]);
			trigger.isUnsaved = false;
			kept[name] = { ...read() };
			await context.__commitCursor();
			return null;
		},
		/** n8n saves it itself, after an activation. */
		leaveToN8n(): void {
			if (!isDurable) trigger.isUnsaved = false;
		},
	};
}

/** Whether n8n lets polls start executions of their own. */
export function mayEmit({ __emit: emit }: { __emit?: unknown }): boolean {
	return typeof emit === 'function';
}

function stateIn(staticData: IDataObject, name: string): IDataObject {
	const state = staticData[name];
	return isObject(state) ? state : {};
}
