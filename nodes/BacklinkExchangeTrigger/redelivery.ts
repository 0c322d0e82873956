import type { IPollFunctions, IRun } from 'n8n-workflow';

import { BoundedMap } from '../shared/boundedMap';
import { operationError } from '../shared/words/explanation';
import { several } from '../shared/words/message';
import { log } from '../shared/words/triggerLog';
import type { Entry } from './ledger';
import { Store } from './store';
import type { LastPoll } from './triggerInProcess';

const minute = 60_000;

/**
 * Milliseconds to wait after the first execution that failed, the second, and so on. When the one after the last pause fails,
 * too, the event is given up.
 */
const pauses = [1, 5, 15, 60, 180, 360, 360, 360, 360].map((minutes) => minutes * minute);

/** Polls come once a minute, and not to the second: one that comes a little early is as good. */
const slack = minute / 2;

/** After this time without a sign of life an execution counts as vanished: n8n may not report that its start failed. */
const lease = 60 * minute;

/**
 * Executions of one trigger that run at the same time, as many as n8n's smallest cloud plan runs at once: n8n runs what waits
 * for its turn after a restart by itself, and the trigger cannot know. Those that have run for a minute do not hold up the
 * others.
 */
const mostAtOnce = 5;
const longRunning = minute;

/** Executions that are remembered; the oldest are forgotten first. */
const mostExecutions = 10_000;

/** An execution that has not failed. Times are by the clock of the process, which stands still while the machine sleeps. */
interface Execution {
	startedAt: number;
	/**
	 * When it started, or the last time that one ended which had been started before it: until then it may have waited for its
	 * turn in n8n.
	 */
	aliveAt: number;
	hasSucceeded: boolean;
	/**
	 * The name of the trigger, where the execution has succeeded and no other node ran in it. n8n runs the workflow that is
	 * published now: if the trigger has another name there, nothing follows it, and the event was not worked on.
	 */
	nothingBehind?: string;
}

/**
 * The last execution that this process has started for each entry, by the entry's ID. One that has succeeded stays here,
 * because n8n may lose what was written, and then has the entry again.
 */
const executions = new BoundedMap<string, Execution>(mostExecutions);

/**
 * Starts an execution for each entry of the ledger that is due, a few at a time, and with a later poll another where it has
 * failed, until one has succeeded. Each end makes room for the next one, and is saved, whether or not a poll is going on.
 * @throws what n8n throws where it does not start an execution; the entry then counts as one whose execution has failed
 */
export function redeliver(store: Store, headStart: number): void {
	startDue(store, beginPoll(store, headStart, true));
}

/** Takes what is due out of the ledger, for a trigger that does not redeliver. */
export function takeDue(store: Store, headStart: number): Entry[] {
	const { entries, due, givenUp } = review(store, beginPoll(store, headStart, false));
	store.writeLedger(entries.filter((entry) => !due.includes(entry)));
	return [...givenUp, ...due];
}

function beginPoll(store: Store, headStart: number, redelivers: boolean): LastPoll {
	const { context, trigger } = store;
	for (const { id } of store.readLedger()) judge(id, context.getNode().name);
	trigger.lastPoll = { context, at: Date.now(), headStart, redelivers };
	return trigger.lastPoll;
}

/** Counts an execution in which no other node ran as succeeded if the trigger still has its name, otherwise as failed. */
function judge(id: string, name: string): void {
	const execution = executions.get(id);
	if (execution?.nothingBehind === undefined) return;
	if (execution.nothingBehind === name) execution.hasSucceeded = true;
	else executions.delete(id);
	execution.nothingBehind = undefined;
}

function startDue(store: Store, poll: LastPoll): void {
	const { entries, due, givenUp } = review(store, poll);
	const running = entries.filter(({ id }) => timeSince('startedAt', id) < longRunning);
	const next = due.slice(0, Math.max(0, mostAtOnce - running.length));
	for (const entry of next) {
		entry.attempts++;
		entry.since = Date.now();
	}
	// Before an execution starts: whatever ends this process, the event is in the ledger or is found again.
	store.writeLedger(entries);
	for (const entry of givenUp) giveUp(store.context, entry);
	for (const entry of next) start(store, entry);
}

/**
 * Sorts what is in the ledger, the oldest first.
 * @returns the entries that stay in it, those of them for which an execution is due, and those that are given up
 */
function review(store: Store, poll: LastPoll) {
	const all = pending(store);
	const due = all.filter((entry) => isDue(entry, poll));
	const givenUp = due.filter(({ attempts }) => attempts > pauses.length);
	const isLeft = (entry: Entry) => !givenUp.includes(entry);
	return { entries: all.filter(isLeft), due: due.filter(isLeft), givenUp };
}

/** What has not succeeded, as far as this process knows. */
function pending(store: Store): Entry[] {
	const entries = store.readLedger().filter(({ id }) => executions.get(id)?.hasSucceeded !== true);
	// A moment that is still to come was written when the clock was ahead.
	return entries.map((entry) => ({ ...entry, since: Math.min(entry.since, Date.now()) }));
}

/**
 * Whether the next execution was due at the poll. An execution that this process does not know has failed, or has vanished:
 * n8n was restarted, or another process started it.
 */
function isDue({ id, attempts, since }: Entry, { at, headStart }: LastPoll): boolean {
	if (executions.has(id)) return timeSince('aliveAt', id) >= lease - slack;
	const pause = attempts === 0 ? headStart : (pauses[attempts - 1] ?? 0);
	return at - since >= pause - slack;
}

/** Milliseconds since a moment of an entry's execution; infinite where this process knows of none. */
function timeSince(moment: 'startedAt' | 'aliveAt', id: string): number {
	return performance.now() - (executions.get(id)?.[moment] ?? -Infinity);
}

function start(store: Store, { id, item, attempts: attempt }: Entry): void {
	const startedAt = performance.now();
	const execution: Execution = { startedAt, aliveAt: startedAt, hasSucceeded: false };
	const done = store.context.helpers.createDeferredPromise<IRun | undefined>();
	store.emit([{ ...item, attempt }], done);
	executions.set(id, execution);
	done.promise
		.catch(() => undefined)
		.then((run) => {
			end(id, execution, run, store.context.getNode().name);
			return run !== undefined;
		})
		// A step of its own, so that ends of the same moment have all been noted, and are saved together.
		.then(async (hasRun) => await saveEnd(store, hasRun))
		.catch((error: Error) => {
			const what = 'Polling Trigger: the end of an execution was not saved';
			log(store.context, `${what}: ${error.message}`);
		});
}

/**
 * Notes how an execution ended.
 * @param run undefined where n8n did not start it, or does not say
 * @param name of the trigger when the execution was started
 */
function end(id: string, execution: Execution, run: IRun | undefined, name: string): void {
	// n8n takes executions up in the order in which they were started.
	for (const each of executions.values()) {
		if (each.startedAt >= execution.startedAt) each.aliveAt = performance.now();
	}
	// An execution that waits, for a person or a moment, has taken the event over. One that counted as vanished may still do so.
	const isOver = run?.status === 'success' || run?.status === 'waiting';
	const isAlone = isOver && run.data.resultData.lastNodeExecuted === name;
	// The next poll shows whether the trigger still has that name.
	if (isAlone) execution.nothingBehind = name;
	execution.hasSucceeded = isOver && !isAlone;
	if (isOver) executions.set(id, execution);
	else if (executions.get(id) === execution) executions.delete(id);
}

/**
 * Writes down what has succeeded and starts what had to wait for that, and saves both at once: whether n8n still runs
 * another execution, and so does not stop yet, cannot be known.
 * @param hasRun whether there was an execution: if n8n did not start it, it may not start others now, either
 */
async function saveEnd(own: Store, hasRun: boolean): Promise<void> {
	const { lastPoll } = own.trigger;
	if (lastPoll === undefined) return;
	const store = own.isDurable ? own : new Store(lastPoll.context, false);
	if (lastPoll.redelivers && hasRun) startDue(store, lastPoll);
	else store.writeLedger(pending(store));
	await store.save();
}

function giveUp(context: IPollFunctions, { item, attempts }: Entry): void {
	// The key holds an ID that a stranger may have chosen.
	const key = String(item.eventKey)
		.replace(/[^\w.:#-]/g, '?')
		.slice(0, 120);
	const name =
		item.eventKey === undefined ? `a digest of ${several(Number(item.count), 'event')}` : key;
	const error = operationError(context.getNode(), {
		message: `Gave up on ${name}`,
		description: `${attempts} executions were started for it over more than a day, and none of them succeeded. It does not start the workflow again. ${String(item.message)}`,
	});
	context.__emitError(error);
}
