import { randomBytes } from 'crypto';
import type { IDataObject, INodeExecutionData, IPollFunctions } from 'n8n-workflow';
import { jsonParse } from 'n8n-workflow';

import { isObject } from '../shared/response';
import { fromText, type Memory, toText } from './memory';

/** In the ledger, on its way to the workflow: an event, or with `digest` all those of one poll. */
export interface Entry {
	/** Of its own, because two events may have the same `eventKey`. */
	id: string;
	item: IDataObject;
	/** Executions that were started for it. */
	attempts: number;
	/** When it was found, or the last execution was started; epoch milliseconds. */
	since: number;
}

/** The ledger is full with so many entries, or so many characters. n8n saves all of it with every change. */
const mostEntries = 1000;
const mostCharacters = 1_000_000;

export type Store = ReturnType<typeof openStore>;

/**
 * By workflow: the states of its triggers, as this process has last written them. n8n 2 gives a trigger that is published
 * later than another, or again while it polls, a copy of the static data, and saves the whole copy with each execution. With
 * durable cursors each poll has a copy.
 */
const written = new Map<string, Record<string, IDataObject>>();

/**
 * The state of the trigger, for one poll: what it has seen, and the events on their way. n8n saves it with each execution
 * that the trigger starts. With durable poll cursors n8n keeps it by the node's id. Without, n8n keeps a node's static data
 * by the node's name and loses it when the node is renamed; so there it stands in the workflow's static data, under the
 * node's id.
 */
export function openStore(context: IPollFunctions) {
	const own = context.getWorkflowStaticData('node');
	const shared = context.getWorkflowStaticData('global');
	const workflowId = context.getWorkflow().id ?? '';
	const name = `backlinkExchange ${context.getNode().id}`;
	// n8n marks the objects that it watches for changes; a durable cursor is a plain one.
	const isDurable = !('__dataChanged' in own);
	const kept = isDurable ? own : shared;
	let isSaved = true;
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
		const version = Number(before.version ?? 0);
		// The time, because two processes may have gone on from the same state: one that was the leader may be so again.
		const next = Math.max(version + 1, Date.now());
		const state = { ...before, [part]: text, version: mayWait ? version : next };
		kept[name] = state;
		if (mayWait) return;
		isSaved = false;
		written.set(workflowId, { ...written.get(workflowId), [name]: state });
	};
	const emit = (
		items: IDataObject[],
		done?: Parameters<IPollFunctions['__emit']>[2],
	): INodeExecutionData[][] | null => {
		isSaved = true;
		const output = [items.map((json) => ({ json }))];
		if (!mayEmit(context)) return output;
		context.__emit(output, undefined, done);
		return null;
	};
	return {
		readSeen: (): Memory => fromText(read().seen),
		/** @param mayWait whether n8n may forget it, because the next poll finds the same */
		writeSeen(seen: Memory, mayWait: boolean): void {
			write('seen', toText(seen), mayWait);
		},
		/** Read again each time, because polls may overlap. */
		readLedger: (): Entry[] => readEntries(read().ledger, workflowId),
		writeLedger(entries: readonly Entry[]): void {
			write('ledger', JSON.stringify(entries));
		},
		/**
		 * Starts an execution, at once: n8n drops what a poll returns too late, or when its workflow has been published again
		 * meanwhile. Returns what is left for the poll to return.
		 */
		emit,
		/**
		 * Starts an execution without items where only that has n8n save what may not wait; to be called when the poll is over.
		 * n8n itself saves after an activation; with durable poll cursors after every poll but that one; never after one that
		 * has failed.
		 */
		save(isActivation: boolean, hasFailed: boolean): INodeExecutionData[][] | null {
			// Again, because n8n takes no note of a change that is made while it saves an earlier one.
			kept[name] = { ...read() };
			return isSaved || (!hasFailed && isDurable !== isActivation) ? null : emit([]);
		},
	};
}

/** Whether n8n lets polls start executions of their own. */
export function mayEmit({ __emit: emit }: { __emit?: unknown }): boolean {
	return typeof emit === 'function';
}

/** An entry for what was found at this moment. */
export function newEntry(item: IDataObject): Entry {
	return { id: randomBytes(9).toString('base64url'), item, attempts: 0, since: Date.now() };
}

/** How many of these items the ledger has room for, in their order. */
export function roomFor(entries: readonly Entry[], items: readonly IDataObject[]): number {
	let length = JSON.stringify(entries).length;
	const room = mostEntries - entries.length;
	const index = items.findIndex((item, number) => {
		length += JSON.stringify(item).length + 100;
		return number >= room || length > mostCharacters;
	});
	return index === -1 ? items.length : index;
}

function stateIn(staticData: IDataObject, name: string): IDataObject {
	const state = staticData[name];
	return isObject(state) ? state : {};
}

/** The entries in what was written; none of anything else: another version may have written it, or somebody. */
function readEntries(text: unknown, workflowId: string): Entry[] {
	const parts = [jsonParse<unknown>(String(text), { fallbackValue: [] })].flat();
	const entries = parts.filter(
		(part): part is Entry =>
			isObject(part) && isObject(part.item) && [part.attempts, part.since].every(Number.isFinite),
	);
	// What succeeds in a copy of a workflow has not succeeded in the other.
	const ownId = ({ id }: Entry) => `${workflowId} ${String(id).split(' ').at(-1)}`;
	return entries.map((entry) => ({ ...entry, id: ownId(entry) }));
}
