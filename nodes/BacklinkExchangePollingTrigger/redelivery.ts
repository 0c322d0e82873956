import type { IPollFunctions, IRun } from 'n8n-workflow';
import { sleep } from 'n8n-workflow';

import { operationError } from '../shared/explanation';
import type { Entry, Store } from './store';

const minute = 60_000;

/** How long to wait for the next execution after so many; after the last of them, the event is given up. */
const pauses = [1, 5, 15, 60, 180, 360, 360, 360, 360].map((minutes) => minutes * minute);

/** Polls come once a minute, and not to the second: one that comes a little early is as good. */
const slack = minute / 2;

/** After this time without a sign of life an execution counts as vanished: n8n may not report that its start failed. */
const lease = 60 * minute;

/** Executions of one trigger that run at the same time. Those that have run for a minute do not hold up the others. */
const mostAtOnce = 20;
const longRunning = minute;

/** Milliseconds between two reviews of the ledger while a poll waits for executions. */
const tick = 250;

/** Executions that are remembered; the oldest are forgotten first. */
const mostExecutions = 10_000;

/** An execution that has not failed. Times are by the clock of the process, which stands still while the machine sleeps. */
interface Execution {
	startedAt: number;
	/** When it, or one that had been started before it, ended last: until then it may have waited for its turn in n8n. */
	aliveAt: number;
	hasSucceeded: boolean;
}

/**
 * By entry: its last execution that this process has started. That one has succeeded is remembered, because what a poll
 * writes may get lost (n8n drops a durable cursor when the poll fails), and the entry is there again.
 */
const executions = new Map<string, Execution>();
/** Executions that have ended, for noticing that one has. */
let ended = 0;

/**
 * Starts an execution for each entry of the ledger that is due, and another when it has failed, until one has succeeded.
 * Waits for some of them to end, so that what has succeeded can be saved at once.
 * @param patience milliseconds to wait for executions at most
 * @throws what n8n throws where it does not start an execution; the entry then counts as one whose execution has failed
 */
export async function redeliver(
	context: IPollFunctions,
	store: Store,
	headStart: number,
	patience: number,
): Promise<void> {
	// One that fails meanwhile is none of this poll's.
	const now = Date.now();
	let ticks = Math.floor(patience / tick);
	for (;;) {
		const endedBefore = ended;
		const { entries, due, givenUp } = review(store, headStart, now);
		const isRecent = ({ id }: Entry) => timeSince('startedAt', id) < longRunning;
		const room = Math.max(0, mostAtOnce - entries.filter(isRecent).length);
		const next = new Set(due.slice(0, room));
		for (const entry of next) {
			entry.attempts++;
			entry.since = now;
		}
		// Before an execution starts: whatever ends this process, the event is in the ledger or is found again.
		store.writeLedger(entries);
		for (const entry of givenUp) giveUp(context, entry);
		for (const entry of next) start(context, store, entry);
		if (!entries.some(({ id }) => executions.has(id))) return;
		for (; ended === endedBefore; ticks--) {
			if (ticks <= 0) return;
			await sleep(tick);
		}
	}
}

/** Without redelivery: what is due leaves the ledger, all at once and only this once. */
export function takeDue(store: Store, headStart: number): Entry[] {
	const { entries, due, givenUp } = review(store, headStart, Date.now());
	store.writeLedger(entries.filter((entry) => !due.includes(entry)));
	return [...givenUp, ...due];
}

/**
 * Goes through the ledger: what has succeeded is removed, what has failed waits for its next execution. An execution that
 * this process does not know has failed, or has vanished: n8n was restarted, or another process started it.
 * @param headStart milliseconds for which an event is held back before its first execution
 * @returns all that stays in the ledger, those of them that are due, and those for which no execution has succeeded and
 * that are not tried again; the oldest first
 */
function review(store: Store, headStart: number, now: number) {
	const entries = store.readLedger().filter(({ id }) => executions.get(id)?.hasSucceeded !== true);
	const due = entries.filter((entry) => {
		// A moment that is still to come was written when the clock was ahead.
		entry.since = Math.min(entry.since, now);
		const pause = entry.attempts === 0 ? headStart : (pauses[entry.attempts - 1] ?? 0);
		return executions.has(entry.id)
			? timeSince('aliveAt', entry.id) >= lease - slack
			: now - entry.since >= pause - slack;
	});
	const isOver = ({ attempts }: Entry) => attempts > pauses.length;
	const givenUp = due.filter(isOver);
	return {
		entries: entries.filter((entry) => !givenUp.includes(entry)),
		due: due.filter((entry) => !isOver(entry)),
		givenUp,
	};
}

/** Milliseconds; infinite where this process knows of no execution. */
function timeSince(moment: 'startedAt' | 'aliveAt', id: string): number {
	return performance.now() - (executions.get(id)?.[moment] ?? -Infinity);
}

function start(
	context: IPollFunctions,
	store: Store,
	{ id, item, attempts: attempt }: Entry,
): void {
	const startedAt = performance.now();
	const execution: Execution = { startedAt, aliveAt: startedAt, hasSucceeded: false };
	const end = (run?: IRun) => {
		// n8n takes executions up in the order in which they were started.
		for (const each of executions.values()) {
			if (each.startedAt >= startedAt) each.aliveAt = performance.now();
		}
		// One that waits, for a person or a moment, has taken the event over. One that counted as vanished may have, too.
		execution.hasSucceeded = run?.status === 'success' || run?.status === 'waiting';
		if (execution.hasSucceeded) executions.set(id, execution);
		else if (executions.get(id) === execution) executions.delete(id);
		ended++;
	};
	const done = context.helpers.createDeferredPromise<IRun | undefined>();
	store.emit([{ ...item, attempt }], done);
	executions.delete(id);
	executions.set(id, execution);
	const [oldest = id] = executions.keys();
	if (executions.size > mostExecutions) executions.delete(oldest);
	done.promise.then(end, () => {
		end();
	});
}

function giveUp(context: IPollFunctions, { item, attempts }: Entry): void {
	// The key holds an ID that a stranger may have chosen.
	const key = String(item.eventKey)
		.replace(/[^\w.:#-]/g, '?')
		.slice(0, 120);
	const name = item.eventKey === undefined ? `a digest of ${String(item.count)} events` : key;
	const error = operationError(context.getNode(), {
		message: `Gave up on ${name}`,
		description: `${attempts} executions were started for it over more than a day, and none of them succeeded. It does not start the workflow again. ${String(item.message)}`,
	});
	context.__emitError(error);
}
