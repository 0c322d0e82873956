import { randomBytes } from 'crypto';
import { type IDataObject, jsonParse } from 'n8n-workflow';

import { isObject } from '../shared/response';

/** What is on its way to the workflow: an event, or with `digest` all those of one poll. */
export interface Entry {
	/** Of its own, because two events may have the same `eventKey`. */
	id: string;
	item: IDataObject;
	/** Executions that were started for it. */
	attempts: number;
	/** When it was found, when the last execution was started, or when that was seen to fail; epoch milliseconds. */
	since: number;
}

/** The ledger is full with so many entries, or so many characters. n8n saves all of it with every change. */
const mostEntries = 1000;
const mostCharacters = 1_000_000;

/** A new entry, found at this moment. */
export function newEntry(item: IDataObject, now: number): Entry {
	return { id: randomBytes(9).toString('base64url'), item, attempts: 0, since: now };
}

/** The entries in what was written; none of anything else: another version may have written it, or somebody. */
export function readEntries(text: unknown): Entry[] {
	const parts = [jsonParse<unknown>(String(text), { fallbackValue: [] })].flat();
	return parts.filter(
		(part): part is Entry =>
			isObject(part) && isObject(part.item) && [part.attempts, part.since].every(Number.isFinite),
	);
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
