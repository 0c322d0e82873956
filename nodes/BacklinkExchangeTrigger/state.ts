import type { IDataObject, IPollFunctions } from 'n8n-workflow';
import { jsonParse } from 'n8n-workflow';

import { BoundedMap } from '../shared/boundedMap';
import { steadyNow } from '../shared/time';
import type { PackedExchange } from './exchanges';
import type { Execution } from './executions';

/** What a trigger remembers of the account. A part is left out while its events are not watched. */
export interface Seen {
	/** The base URL, and n8n's ID of the credential. */
	account?: string;
	/** A name for the API key, which it does not reveal. */
	key?: string;
	exchanges?: Record<string, PackedExchange>;
	/** As `compareAlerts` writes them. */
	alerts?: string[];
	credits?: 'low' | 'enough';
}

export interface State extends Seen {
	/** Executions that wait for their head start, or have failed. */
	later: Execution[];
}

/** A state as it is in n8n's static data: as a text, because n8n wraps every object there in a proxy. */
interface Kept extends IDataObject {
	/** When it was written, later than any state before it; epoch milliseconds. */
	at: number;
	text: string;
}

/** More than an n8n can poll: what is forgotten belongs to a workflow that was deactivated long ago. */
const mostWorkflows = 10_000;

/**
 * The states of the triggers of each workflow, as this process has last written them. n8n gives a trigger that is published
 * again a copy of the workflow's static data, and saves all of it: it would take the state of the others back.
 */
const copies = new BoundedMap<string, Record<string, Kept>>(mostWorkflows);

/** The state of a trigger; one that knows nothing where there is none. */
export function readState(context: IPollFunctions): State {
	const kept = staticDataOf(context)[nameOf(context)] as Kept | undefined;
	const state = jsonParse<Partial<State>>(kept?.text ?? '', { fallbackValue: {} });
	return { ...state, later: state.later ?? [] };
}

/** Writes the state of a trigger. n8n saves it when an execution is started, and after an activation. */
export function writeState(context: IPollFunctions, state: State): void {
	const staticData = staticDataOf(context);
	const name = nameOf(context);
	const before = staticData[name] as Kept | undefined;
	const at = Math.max(steadyNow(), (before?.at ?? 0) + 1);
	const kept = { at, text: JSON.stringify(state) };
	staticData[name] = kept;
	const { id = '' } = context.getWorkflow();
	copies.set(id, { ...copies.get(id), [name]: kept });
}

/**
 * The static data of the workflow, brought up to date with what this process has written for any of its triggers. That of the
 * node would be lost when the node is renamed.
 */
function staticDataOf(context: IPollFunctions): IDataObject {
	const staticData = context.getWorkflowStaticData('global');
	for (const [name, copy] of Object.entries(copies.get(context.getWorkflow().id ?? '') ?? {})) {
		const kept = staticData[name] as Kept | undefined;
		if (copy.at > (kept?.at ?? 0)) staticData[name] = copy;
	}
	return staticData;
}

function nameOf(context: IPollFunctions): string {
	return `backlinkExchange ${context.getNode().id}`;
}
