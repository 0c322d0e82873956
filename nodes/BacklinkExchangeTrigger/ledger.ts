import { randomBytes } from 'crypto';
import type { IDataObject } from 'n8n-workflow';
import { jsonParse } from 'n8n-workflow';

import { isObject } from '../shared/objects';
import { shorten } from '../shared/text';

/** An event on its way to the workflow, or with the output Digest all events of one poll. */
export interface Entry {
	/** An ID of the entry itself, because two events may have the same `eventKey`. */
	id: string;
	item: IDataObject;
	/** Executions that were started for it. */
	attempts: number;
	/** When the event was found, or its last execution was started; epoch milliseconds. */
	since: number;
}

/** The most events in the ledger, because n8n saves all of it with every change. */
export const mostEvents = 1000;
/** An event is shortened if its record, or that of its exchange, has more characters as JSON. */
const mostCharacters = 2500;
/** The most characters of a field in a record that is shortened. */
const mostOfAField = 300;

/** An entry for what was found at this moment. */
export function newEntry(item: IDataObject): Entry {
	return { id: randomBytes(9).toString('base64url'), item, attempts: 0, since: Date.now() };
}

/** For how many more events the ledger has room. */
export function roomIn(entries: readonly Entry[]): number {
	const events = entries.map(({ item }) => (item.count === undefined ? 1 : Number(item.count)));
	return Math.max(0, mostEvents - events.reduce((sum, count) => sum + count, 0));
}

/**
 * The event as the ledger keeps it and the workflow gets it: one that is too large takes no room from the others. Long
 * fields are cut, and fields are left out, those at the end first; `shortened` then says so.
 */
export function shortened(item: IDataObject): IDataObject {
	const large = Object.entries(item).filter(
		([, value]) => isObject(value) && JSON.stringify(value).length > mostCharacters,
	);
	const short = large.map(([name, value]) => [name, shortenedRecord(value as IDataObject)]);
	return large.length === 0 ? item : { ...item, ...Object.fromEntries(short), shortened: true };
}

/** The entries in what was written; none of anything else: another version may have written it, or somebody. */
export function readEntries(text: unknown, workflowId: string): Entry[] {
	const parts = [jsonParse<unknown>(String(text), { fallbackValue: [] })].flat();
	const entries = parts.filter(
		(part): part is Entry =>
			isObject(part) && isObject(part.item) && [part.attempts, part.since].every(Number.isFinite),
	);
	// A copied workflow has the entries of the first one: what succeeds in one of them has not succeeded in the other.
	const ownId = ({ id }: Entry) => `${workflowId} ${String(id).split(' ').at(-1)}`;
	return entries.map((entry) => ({ ...entry, id: ownId(entry) }));
}

function shortenedRecord(record: IDataObject): IDataObject {
	let length = 0;
	const fields = Object.entries(record).map(([name, value]) => {
		const text = typeof value === 'string' ? value : JSON.stringify(value);
		return [name, text.length > mostOfAField ? shorten(text, mostOfAField) : value];
	});
	return Object.fromEntries(
		fields.filter((field) => {
			const { length: more } = JSON.stringify(field);
			if (length + more > mostCharacters) return false;
			length += more;
			return true;
		}),
	) as IDataObject;
}
