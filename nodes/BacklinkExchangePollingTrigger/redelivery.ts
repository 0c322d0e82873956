import type { IPollFunctions, IRun } from 'n8n-workflow';
import { sleep } from 'n8n-workflow';

import { BoundedMap } from '../shared/boundedMap';
import { operationError } from '../shared/words/explanation';
import { log } from '../shared/words/triggerLog';
import type { Entry } from './ledger';
import { openStore, type Store } from './store';
import type { LastPoll } from './triggerInProcess';

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

/** Milliseconds for which an end waits for others before it is saved. n8n does not stop while one of them runs. */
const untilSaved = 2000;

/** Executions that are remembered; the oldest are forgotten first. */
const mostExecutions = 10_000;

/** An execution that has not failed. Times are by the clock of the process, which stands still while the machine sleeps. */
interface Execution {
	startedAt: number;
	/** When it, or one that had been started before it, ended last: until then it may have waited for its turn in n8n. */
	aliveAt: number;
	hasSucceeded: boolean;
}

/** What a poll and the ends of the executions after it go by. */
type Poll = Pick<LastPoll, 'at' | 'headStart'> & { store: Store };

/**
 * By entry: its last execution that this process has started. That one has succeeded is remembered, because what is written
 * may get lost, and the entry is there again.
 */
const executions = new BoundedMap<string, Execution>(mostExecutions);

/**
 * Starts an execution for each entry of the ledger that is due, a few at a time, and with a later poll another where it has
 * failed, until one has succeeded. Each end makes room for the next one, and is saved, whether or not a poll is going on.
 * @throws what n8n throws where it does not start an execution; the entry then counts as one whose execution has failed
 */
export function redeliver(store: Store, headStart: number): void {
	startDue(beginPoll(store, headStart, true));
}

/** Without redelivery: what is due leaves the ledger, all at once and only this once. */
export function takeDue(store: Store, headStart: number): Entry[] {
	const { entries, due, givenUp } = review(beginPoll(store, headStart, false));
	store.writeLedger(entries.filter((entry) => !due.includes(entry)));
	return [...givenUp, ...due];
}

function beginPoll(store: Store, headStart: number, redelivers: boolean): Poll {
	const at = Date.now();
	store.trigger.lastPoll = { context: store.context, at, headStart, redelivers };
	return { store, at, headStart };
}

function startDue(poll: Poll): void {
	const { store } = poll;
	const { entries, due, givenUp } = review(poll);
	const isRecent = ({ id }: Entry) => timeSince('startedAt', id) < longRunning;
	const room = Math.max(0, mostAtOnce - entries.filter(isRecent).length);
	const next = due.slice(0, room);
	for (const entry of next) {
		entry.attempts++;
		entry.since = Date.now();
	}
	// Before an execution starts: whatever ends this process, the event is in the ledger or is found again.
	store.writeLedger(entries);
	for (const entry of givenUp) giveUp(store.context, entry);
	for (const entry of next) start(store, entry);
}

/** What has not succeeded, as far as this process knows. */
function pending(store: Store): Entry[] {
	return store.readLedger().filter(({ id }) => executions.get(id)?.hasSucceeded !== true);
}

/**
 * Goes through the ledger: what has succeeded is removed, what has failed waits for its next execution. An execution that
 * this process does not know has failed, or has vanished: n8n was restarted, or another process started it.
 * @returns all that stays in the ledger, those of them that were due at the poll, and those for which no execution has
 * succeeded and that are not tried again; the oldest first
 */
function review({ store, at, headStart }: Poll) {
	const entries = pending(store);
	const due = entries.filter((entry) => {
		if (executions.has(entry.id)) return timeSince('aliveAt', entry.id) >= lease - slack;
		// A moment that is still to come was written when the clock was ahead.
		entry.since = Math.min(entry.since, Date.now());
		const pause = entry.attempts === 0 ? headStart : (pauses[entry.attempts - 1] ?? 0);
		return at - entry.since >= pause - slack;
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

function start(store: Store, { id, item, attempts: attempt }: Entry): void {
	const startedAt = performance.now();
	const execution: Execution = { startedAt, aliveAt: startedAt, hasSucceeded: false };
	const end = (run: IRun | undefined) => {
		// n8n takes executions up in the order in which they were started.
		for (const each of executions.values()) {
			if (each.startedAt >= startedAt) each.aliveAt = performance.now();
		}
		// One that waits, for a person or a moment, has taken the event over. One that counted as vanished may have, too.
		execution.hasSucceeded = run?.status === 'success' || run?.status === 'waiting';
		if (execution.hasSucceeded) executions.set(id, execution);
		else if (executions.get(id) === execution) executions.delete(id);
	};
	const done = store.context.helpers.createDeferredPromise<IRun | undefined>();
	store.emit([{ ...item, attempt }], done);
	executions.set(id, execution);
	const ended = done.promise
		.catch(() => undefined)
		.then(async (run) => {
			end(run);
			await noteEnd(store, run !== undefined);
		});
	ended.catch((error: Error) => {
		log(store.context, `Polling Trigger: the end of an execution was not saved: ${error.message}`);
	});
}

/**
 * Writes down what has succeeded, starts what had to wait for that, and saves it: at once, unless others still run.
 * @param hasRun whether there was an execution: if n8n did not start it, it may not start others now, either
 */
async function noteEnd(own: Store, hasRun: boolean): Promise<void> {
	const { lastPoll } = own.trigger;
	if (lastPoll === undefined) return;
	// The last poll has the latest copy of the workflow's static data.
	const store = own.isDurable ? own : openStore(lastPoll.context);
	if (lastPoll.redelivers && hasRun) startDue({ ...lastPoll, store });
	else store.writeLedger(pending(store));
	const isRunning = ({ id }: Entry) => executions.has(id);
	if (pending(store).some(isRunning)) await sleep(untilSaved);
	await store.save();
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
