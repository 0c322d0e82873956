import { randomBytes } from 'crypto';
import type { IDataObject } from 'n8n-workflow';

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

/** What has become of the last execution of an entry, as far as this process knows. */
export type Outcome = 'running' | 'succeeded' | 'failed' | undefined;

const minute = 60_000;
const hour = 60 * minute;

/** How long to wait for the next execution after so many; after the last of them, the event is given up. */
const pauses = [1, 5, 15, 60, 180, 360, 360, 360, 360].map((minutes) => minutes * minute);

/** Polls come once a minute, and not to the second: one that comes a little early is as good. */
const slack = minute / 2;

/** After this time an execution that n8n has not ended counts as vanished: n8n may not report that its start failed. */
const lease = hour;

/** The ledger is full with so many entries, or so many characters. n8n saves all of it with every change. */
const mostEntries = 1000;
const mostCharacters = 1_000_000;

interface Review {
	/** All that stays in the ledger, `due` included. */
	entries: Entry[];
	/** Those to start an execution for, the oldest first. */
	due: Entry[];
	/** Those for which no execution has succeeded, and that are not tried again. */
	givenUp: Entry[];
}

/**
 * Goes through the ledger: what has succeeded is removed, what has failed waits for its next execution. An execution that
 * this process does not know (n8n was restarted, or another process started it) has vanished, and counts as failed at its
 * start.
 * @param headStart milliseconds for which an event is held back before its first execution
 */
export function review(
	entries: readonly Entry[],
	outcomeOf: (entry: Entry) => Outcome,
	now: number,
	headStart: number,
): Review {
	const result: Review = { entries: [], due: [], givenUp: [] };
	for (const entry of entries) {
		const outcome = outcomeOf(entry);
		if (outcome === 'succeeded') continue;
		// A moment that is still to come was written when the clock was ahead.
		const isRestamped = outcome === 'failed' || entry.since > now;
		const kept = isRestamped ? { ...entry, since: now } : entry;
		const isDue = now - kept.since >= waitFor(kept, outcome, headStart) - slack;
		if (isDue && kept.attempts > pauses.length) {
			result.givenUp.push(kept);
			continue;
		}
		result.entries.push(kept);
		if (isDue) result.due.push(kept);
	}
	return result;
}

/** A new entry, found at this moment. */
export function newEntry(item: IDataObject, now: number): Entry {
	return { id: randomBytes(9).toString('base64url'), item, attempts: 0, since: now };
}

/** How many of these items the ledger has room for, in their order. A single one always fits into an empty ledger. */
export function roomFor(entries: readonly Entry[], items: readonly IDataObject[]): number {
	let length = JSON.stringify(entries).length;
	const room = mostEntries - entries.length;
	const index = items.findIndex((item, number) => {
		length += JSON.stringify(item).length + 100;
		const isFull = number >= room || length > mostCharacters;
		return isFull && (number > 0 || entries.length > 0);
	});
	return index === -1 ? items.length : index;
}

/** The entries of a ledger as `JSON.stringify` wrote them; none where nothing was written yet. */
export function readEntries(text: unknown): Entry[] {
	return typeof text === 'string' ? (JSON.parse(text) as Entry[]) : [];
}

function waitFor({ attempts }: Entry, outcome: Outcome, headStart: number): number {
	if (attempts === 0) return headStart;
	return outcome === 'running' ? lease : (pauses[attempts - 1] ?? 0);
}
