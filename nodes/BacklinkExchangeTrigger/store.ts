import type { IDataObject, INodeExecutionData, IPollFunctions } from 'n8n-workflow';
import { deepCopy } from 'n8n-workflow';

import { BoundedMap } from '../shared/boundedMap';
import { isObject } from '../shared/objects';
import { type Entry, readEntries } from './ledger';
import { fromText, type Memory, toText } from './memory';
import { type TriggerInProcess, triggerInProcess } from './triggerInProcess';

/** More than an n8n can poll: what is forgotten belongs to a workflow that was deactivated long ago. */
const mostWorkflows = 10_000;

/**
 * The states of the triggers of each workflow, as this process has last written them. n8n 2 gives a trigger that is published
 * later than another, or again while it polls, a copy of the static data, and saves the whole copy with each execution. With
 * durable cursors each poll has a copy, and with n8n's scheduler it begins with what is saved.
 */
const written = new BoundedMap<string, Record<string, IDataObject>>(mostWorkflows);

/**
 * The state of a trigger, for one poll and the executions that it starts: what it has seen, and the events on their way.
 * With durable poll cursors, n8n keeps the state by the node's id. Without them, n8n keeps a node's static data by the node's
 * name and loses it when the node is renamed; so there the state is in the workflow's static data, under the node's id.
 */
export class Store {
	readonly context: IPollFunctions;

	/** What this process knows of the trigger. */
	readonly trigger: TriggerInProcess;

	/** Whether the state is a durable cursor: then only the poll that it was opened for, and its executions, can save it. */
	readonly isDurable: boolean;

	readonly #workflowId: string;

	readonly #name: string;

	/** The static data of the workflow. */
	readonly #shared: IDataObject;

	/** Where this n8n keeps the state. */
	readonly #kept: IDataObject;

	/** @param isDurable has to be given outside of a poll: n8n then does not let a node read its own static data */
	constructor(context: IPollFunctions, isDurable = hasDurableCursor(context)) {
		this.context = context;
		this.isDurable = isDurable;
		this.#shared = context.getWorkflowStaticData('global');
		this.#kept = isDurable ? context.getWorkflowStaticData('node') : this.#shared;
		this.#workflowId = context.getWorkflow().id ?? '';
		this.#name = `backlinkExchange ${context.getNode().id}`;
		this.trigger = triggerInProcess(context);
	}

	/** What was seen, and a function that tells whether that still holds: no other poll has written what it has seen since. */
	readSeen(): { seen: Memory; isStillSo: () => boolean } {
		const { polls } = this.trigger;
		return { seen: fromText(this.#read().seen), isStillSo: () => this.trigger.polls === polls };
	}

	/** Writes what was seen. @param mayWait whether it need not be saved at once, because a later poll finds the same */
	writeSeen(seen: Memory, mayWait: boolean): void {
		this.trigger.polls++;
		this.#write('seen', toText(seen), mayWait);
	}

	/** The ledger, read again each time, because polls may overlap. */
	readLedger(): readonly Entry[] {
		const { ledger: text } = this.#read();
		const known = this.trigger.ledger;
		return known?.text === text ? (known?.entries ?? []) : readEntries(text, this.#workflowId);
	}

	writeLedger(entries: readonly Entry[]): void {
		const text = JSON.stringify(entries);
		this.trigger.ledger = { text, entries };
		this.#write('ledger', text);
	}

	/**
	 * Starts an execution, at once: n8n drops what a poll returns too late, or when its workflow has been published again
	 * meanwhile. n8n saves the state with it.
	 * @returns what is left for the poll to return
	 */
	emit(
		items: IDataObject[],
		done?: Parameters<IPollFunctions['__emit']>[2],
	): INodeExecutionData[][] | null {
		this.#prepareSaving();
		// A copy: a node that changes its items must not change what all triggers of the account compare, or what comes again.
		const output = [items.map((json) => ({ json: deepCopy(json) }))];
		if (!mayEmit(this.context)) return output;
		this.context.__emit(output, undefined, done);
		return null;
	}

	/**
	 * Saves what may not wait, if something does: a durable cursor as it is, otherwise by an execution without items, for
	 * which n8n offers no other way.
	 * @returns what is left for the poll to return
	 */
	async save(): Promise<INodeExecutionData[][] | null> {
		if (!this.trigger.isUnsaved) return null;
		if (!this.isDurable || this.context.__commitCursor === undefined) return this.emit([]);
		this.#prepareSaving();
		await this.context.__commitCursor();
		return null;
	}

	/** Leaves saving to n8n, which does it by itself after an activation. */
	leaveToN8n(): void {
		if (!this.isDurable) this.trigger.isUnsaved = false;
	}

	/** The state. Those of the workflow's other triggers are brought up to date with it, because n8n saves them, too. */
	#read(): IDataObject {
		const kept = this.#kept;
		for (const [name, state] of Object.entries(written.get(this.#workflowId) ?? {})) {
			if (this.isDurable && name !== this.#name) continue;
			if (Number(state.version) > Number(stateIn(kept, name).version ?? 0)) kept[name] = state;
		}
		return stateIn(this.#name in kept ? kept : this.#shared, this.#name);
	}

	#write(part: 'seen' | 'ledger', text: string, mayWait = false): void {
		const before = this.#read();
		if (before[part] === text) return;
		// The time, because two processes may have gone on from the same state: one that was the leader may be so again.
		const version = Math.max(Number(before.version ?? 0) + 1, Date.now());
		const state = { ...before, [part]: text, version };
		this.#kept[this.#name] = state;
		written.set(this.#workflowId, { ...written.get(this.#workflowId), [this.#name]: state });
		if (!mayWait) this.trigger.isUnsaved = true;
	}

	/** Sets the state again, because n8n takes no note of a change that is made while it saves an earlier one. */
	#prepareSaving(): void {
		this.#kept[this.#name] = { ...this.#read() };
		this.trigger.isUnsaved = false;
	}
}

/** Whether n8n lets polls start executions of their own. */
export function mayEmit({ __emit: emit }: { __emit?: unknown }): boolean {
	return typeof emit === 'function';
}

/** n8n marks the objects that it watches for changes; a durable cursor is a plain one. */
function hasDurableCursor(context: IPollFunctions): boolean {
	return !('__dataChanged' in context.getWorkflowStaticData('node'));
}

function stateIn(staticData: IDataObject, name: string): IDataObject {
	const state = staticData[name];
	return isObject(state) ? state : {};
}
