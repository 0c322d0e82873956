import type { IDataObject } from 'n8n-workflow';

import { quoteValue } from '../formatting/message';
import { isWord } from '../utils/ids';

/** The states of an exchange (service-api.md, "States and transitions"), in the order of its life. */
export const states = ['pending', 'accepted', 'live', 'broken'] as const;

export type State = (typeof states)[number];

/**
 * The state that a record names in `status`, in upper or lower case; undefined when it names none of the documented ones. Lists,
 * answers and polls have no other reader of states.
 */
export function stateOf({ status }: IDataObject): State | undefined {
	const word = typeof status === 'string' ? status.trim().toLowerCase() : undefined;
	return states.find((state) => state === word);
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

/** What a record has in the place of a state that can be read, for messages about it. */
export function describeState({ status }: IDataObject): string {
	return isWord(status) ? `"status": ${quoteValue(status)}` : 'no readable "status"';
}

/** The states of an offer that has been accepted, and paid for. */
export const paidStates: readonly State[] = ['accepted', 'live'];

export function isPaid(state: State | undefined): boolean {
	return state !== undefined && paidStates.includes(state);
}
