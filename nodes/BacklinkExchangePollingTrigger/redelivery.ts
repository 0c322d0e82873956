import type { INodeExecutionData, IPollFunctions, IRun } from 'n8n-workflow';
import { sleep } from 'n8n-workflow';

import { operationError } from '../shared/explanation';
import type { Entry } from './ledger';
import type { Store } from './store';

const minute = 60_000;

/** How long to wait for the next execution after so many; after the last of them, the event is given up. */
const pauses = [1, 5, 15, 60, 180, 360, 360, 360, 360].map((minutes) => minutes * minute);

/** Polls come once a minute, and not to the second: one that comes a little early is as good. */
const slack = minute / 2;

/** After this time an execution that n8n has not ended counts as vanished: n8n may not report that its start failed. */
const lease = 60 * minute;

/** Executions of one trigger that run at the same time. Those that have run for a minute do not hold up the others. */
const mostAtOnce = 20;
const longRunning = minute;

/** Milliseconds between two reviews of the ledger while a poll waits for executions. */
const tick = 250;

/** Executions that are remembered; only those that have succeeded are forgotten when there are more. */
const mostExecutions = 10_000;

interface Execution {
	attempt: number;
	outcome: 'running' | 'succeeded' | 'failed';
	/** By the clock of the process, which stands still while the machine sleeps. */
	startedAt: number;
}

/** By entry: its last execution that this process has started, in the order in which the entries came. */
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
	let ticks = Math.floor(patience / tick);
	for (;;) {
		const endedBefore = ended;
		const now = Date.now();
		const { entries, due, givenUp } = review(store.readLedger(), now, headStart);
		const isRecent = ({ id }: Entry) => (runningFor(id) ?? Infinity) < longRunning;
		const room = Math.max(0, mostAtOnce - entries.filter(isRecent).length);
		const next = new Map(
			due
				.slice(0, room)
				.map((entry) => [entry.id, { ...entry, attempts: entry.attempts + 1, since: now }]),
		);
		// Before an execution starts: whatever ends this process, the event is in the ledger or is found again.
		store.writeLedger(entries.map((entry) => next.get(entry.id) ?? entry));
		forgetExecutions();
		for (const entry of givenUp) giveUp(context, entry);
		for (const entry of next.values()) {
			start(context, entry);
			store.isSaved();
		}
		if (!entries.some(({ id }) => executions.has(id))) return;
		for (; ended === endedBefore; ticks--) {
			if (ticks <= 0) return;
			await sleep(tick);
		}
	}
}

/** Without redelivery: what is due, all at once and only this once. */
export function takeDue(store: Store, headStart: number): INodeExecutionData[] {
	const { entries, due, givenUp } = review(store.readLedger(), Date.now(), headStart);
	const taken = new Set([...givenUp, ...due]);
	store.writeLedger(entries.filter((entry) => !taken.has(entry)));
	if (taken.size > 0) store.isSaved();
	return [...taken].map(({ item, attempts }) => ({ json: { ...item, attempt: attempts + 1 } }));
}

/** @throws NodeOperationError where n8n lets no poll start executions of its own */
export function requireEmit(context: IPollFunctions): void {
	if (typeof (context.__emit as unknown) === 'function') return;
	throw operationError(context.getNode(), {
		message: 'This version of n8n cannot redeliver events',
		description:
			'It offers no way to find out whether an execution has succeeded. Turn off the option Redeliver: all events of a poll then start one execution, once. Nothing is lost: the next poll finds what happened meanwhile.',
	});
}

/**
 * Goes through the ledger: what has succeeded is removed, what has failed waits for its next execution. An execution that
 * this process does not know (n8n was restarted, or another process started it) has vanished, and counts as failed at its
 * start.
 * @param headStart milliseconds for which an event is held back before its first execution
 * @returns all that stays in the ledger, those of them that are due, and those for which no execution has succeeded and
 * that are not tried again; the oldest first
 */
function review(ledger: readonly Entry[], now: number, headStart: number) {
	const entries: Entry[] = [];
	const due: Entry[] = [];
	const givenUp: Entry[] = [];
	for (const entry of ledger) {
		const execution = executions.get(entry.id);
		if (execution?.outcome === 'succeeded') continue;
		const hasFailed = execution?.outcome === 'failed';
		// From now on the ledger says so.
		if (hasFailed) executions.delete(entry.id);
		const isLast = execution?.attempt === entry.attempts;
		// A moment that is still to come was written when the clock was ahead.
		const isRestamped = (hasFailed && isLast) || entry.since > now;
		const kept = isRestamped ? { ...entry, since: now } : entry;
		const running = isLast ? runningFor(entry.id) : undefined;
		const pause = kept.attempts === 0 ? headStart : (pauses[kept.attempts - 1] ?? 0);
		const isDue =
			running === undefined ? now - kept.since >= pause - slack : running >= lease - slack;
		if (isDue && kept.attempts > pauses.length) {
			givenUp.push(kept);
			continue;
		}
		entries.push(kept);
		if (isDue) due.push(kept);
	}
	return { entries, due, givenUp };
}

/**
 * That one has succeeded is remembered: what this poll writes may get lost (n8n drops a durable cursor when the poll
 * fails), and the entry is there again.
 */
function forgetExecutions(): void {
	for (const id of executions.keys()) {
		if (executions.size <= mostExecutions) return;
		if (runningFor(id) === undefined) executions.delete(id);
	}
}

/** Milliseconds; undefined where no execution of the entry runs. */
function runningFor(id: string): number | undefined {
	const execution = executions.get(id);
	return execution?.outcome === 'running' ? performance.now() - execution.startedAt : undefined;
}

function start(context: IPollFunctions, { id, item, attempts: attempt }: Entry): void {
	const startedAt = performance.now();
	const end = (run?: IRun) => {
		// One that waits, for a person or a moment, has taken the event over.
		const hasSucceeded = run?.status === 'success' || run?.status === 'waiting';
		// Of an execution that counted as vanished only its success still matters.
		if (executions.get(id)?.attempt !== attempt && !hasSucceeded) return;
		executions.set(id, { attempt, outcome: hasSucceeded ? 'succeeded' : 'failed', startedAt });
		ended++;
	};
	const done = context.helpers.createDeferredPromise<IRun | undefined>();
	context.__emit([[{ json: { ...item, attempt } }]], undefined, done);
	executions.set(id, { attempt, outcome: 'running', startedAt });
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
