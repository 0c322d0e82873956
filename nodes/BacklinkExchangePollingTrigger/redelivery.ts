import type { IPollFunctions, IRun } from 'n8n-workflow';
import { sleep } from 'n8n-workflow';

import { operationError } from '../shared/explanation';
import { type Entry, type Outcome, review } from './ledger';
import type { Store } from './store';

/** Executions of one trigger that run at the same time. Those that have run for a minute do not hold up the others. */
const mostAtOnce = 20;
const longRunning = 60_000;

/** Milliseconds between two reviews of the ledger while a poll waits for executions. */
const tick = 250;

/** Executions that are remembered; only those that have succeeded are forgotten when there are more. */
const mostExecutions = 10_000;

/** By entry: its last execution that this process has started, in the order in which the entries came. */
const executions = new Map<string, { attempt: number; outcome: Outcome }>();
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
		const known = store.readLedger();
		const { entries, due, givenUp } = review(known, outcomeOf, now, headStart);
		const isRecent = ({ id, since }: Entry) => isRunning(id) && now - since < longRunning;
		const room = Math.max(0, mostAtOnce - entries.filter(isRecent).length);
		const next = new Map(
			due
				.slice(0, room)
				.map((entry) => [entry.id, { ...entry, attempts: entry.attempts + 1, since: now }]),
		);
		// Before an execution starts: whatever ends this process, the event is in the ledger or is found again.
		store.writeLedger(entries.map((entry) => next.get(entry.id) ?? entry));
		forgetExecutions(known);
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

/** @throws NodeOperationError where n8n lets no poll start executions of its own */
export function requireEmit(context: IPollFunctions): void {
	if (typeof (context.__emit as unknown) === 'function') return;
	throw operationError(context.getNode(), {
		message: 'This version of n8n cannot redeliver events',
		description:
			'It offers no way to find out whether an execution has succeeded. Turn off the option Redeliver: all events of a poll then start one execution, once. Nothing is lost: the next poll finds what happened meanwhile.',
	});
}

function outcomeOf({ id, attempts }: Entry): Outcome {
	const execution = executions.get(id);
	const isLast = execution?.attempt === attempts || execution?.outcome === 'succeeded';
	return isLast ? execution?.outcome : undefined;
}

/**
 * That one has failed is in the ledger from now on. That one has succeeded is remembered: what this poll writes may get
 * lost (n8n drops a durable cursor when the poll fails), and the entry is there again.
 */
function forgetExecutions(known: readonly Entry[]): void {
	for (const { id } of known) if (executions.get(id)?.outcome === 'failed') executions.delete(id);
	for (const id of executions.keys()) {
		if (executions.size <= mostExecutions) return;
		if (!isRunning(id)) executions.delete(id);
	}
}

function isRunning(id: string): boolean {
	return executions.get(id)?.outcome === 'running';
}

function start(context: IPollFunctions, { id, item, attempts: attempt }: Entry): void {
	const end = (run?: IRun) => {
		// One that waits, for a person or a moment, has taken the event over.
		const hasSucceeded = run?.status === 'success' || run?.status === 'waiting';
		// Of an execution that counted as vanished only its success still matters.
		if (executions.get(id)?.attempt !== attempt && !hasSucceeded) return;
		executions.set(id, { attempt, outcome: hasSucceeded ? 'succeeded' : 'failed' });
		ended++;
	};
	const done = context.helpers.createDeferredPromise<IRun | undefined>();
	context.__emit([[{ json: { ...item, attempt } }]], undefined, done);
	executions.set(id, { attempt, outcome: 'running' });
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
