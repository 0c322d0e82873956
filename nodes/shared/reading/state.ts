import type { IDataObject } from 'n8n-workflow';

import { isObject } from '../objects';
import { quoteValue } from '../words/message';

/** The states of an exchange (service-api.md, "States and transitions"), in the order of its life. */
export const states = ['pending', 'accepted', 'live', 'broken'] as const;

export type State = (typeof states)[number];

/** The fields in which a record may name its state; only the first is documented. */
const fields = ['status', 'state'] as const;

/**
 * The state that a record names, in upper or lower case, as a text or as an object with a name. Undefined when it names
 * none of the documented ones, or two that differ. Lists, answers and polls have no other reader of states.
 */
export function stateOf(record: IDataObject): State | undefined {
	const named = namedIn(record).map((field) => read(record[field]));
	return named.every((state) => state === named[0]) ? named[0] : undefined;
}

/**
 * The entry of the furthest state among several of one exchange; among those that are as far, the last one, which was read
 * last. The state is undefined where it cannot be read, or there is no entry.
 */
export function furthest(entries: IDataObject[]): { state?: State; record?: IDataObject } {
	const read = entries.map(stateOf);
	const known = states.filter((state) => read.includes(state)).at(-1);
	// An entry that cannot be read may be further than one that is pending.
	const state = known === 'pending' && read.includes(undefined) ? undefined : known;
	return { state, record: entries[read.lastIndexOf(state)] };
}

/** Whether a record names any state at all. */
export function namesState(record: IDataObject): boolean {
	return namedIn(record).length > 0;
}

/** What a record has in the place of a state that can be read, for messages about it. */
export function describeState(record: IDataObject): string {
	const written = namedIn(record).map((field) => `"${field}": ${quoteValue(record[field])}`);
	return written.join(' and ') || 'no "status"';
}

/** The states of an offer that has been accepted, and paid for. */
export const paidStates: readonly State[] = ['accepted', 'live'];

export function isPaid(state: State | undefined): boolean {
	return state !== undefined && paidStates.includes(state);
}

function namedIn(record: IDataObject) {
	return fields.filter((field) => (record[field] ?? '') !== '');
}

function read(value: unknown): State | undefined {
	const name = isObject(value) ? value.name : value;
	const word = typeof name === 'string' ? name.trim().toLowerCase() : undefined;
	return states.find((state) => state === word);
}
