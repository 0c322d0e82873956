import type { IDataObject, IPollFunctions, IRun } from 'n8n-workflow';
import { deepCopy } from 'n8n-workflow';

import { errorMessages } from '../shared/errorMessages';
import { toNodeOperationError } from '../shared/errors';
import { pluralize } from '../shared/formatting/message';
import { monotonicNow } from '../shared/utils/time';
import { createDigest, withAttempt } from './items';
import type { PollingParameters } from './parameters';
import type { PendingExecution } from './trigger.types';
import { getOrCreateTriggerRuntime, loadState, saveState } from './triggerState';

const minute = 60_000;
const day = 24 * 60 * minute;

/** From the start of a failed execution to its retry: the first retry, the second, and so on. */
const retryDelaysMs = [1, 5, 15, 60, 180, 360].map((minutes) => minutes * minute);
const maxDelayMs = 360 * minute;

/** A retry may start slightly early, because poll times jitter. */
const pollJitterMs = minute / 2;

/** n8n 2.41: all executions that a poll starts run at the same time. */
const maxExecutionsPerPoll = 50;

/** Creates an execution for each event, or a single one if it's a digest or without retries. */
export function createExecutions(
	items: IDataObject[],
	{ retryFailedExecutions, isDigest }: PollingParameters,
): PendingExecution[] {
	const lastStartedAt = monotonicNow();
	const groups = retryFailedExecutions && !isDigest ? items.map((item) => [item]) : [items];
	return groups
		.filter((group) => group.length > 0)
		.map((group) => ({ items: group, attempts: 0, lastStartedAt }));
}

/** Partitions executions into those to start now, those that stay pending, and those to give up. */
export function partitionByDue(
	executions: PendingExecution[],
	{ retryFailedExecutions, eventDelayMs }: PollingParameters,
) {
	const now = monotonicNow();
	const isExpired = ({ attempts, firstStartedAt = now }: PendingExecution) =>
		attempts > 1 && now - firstStartedAt > day;
	const isDue = ({ attempts, lastStartedAt }: PendingExecution) => {
		const delayMs = attempts === 0 ? eventDelayMs : (retryDelaysMs[attempts - 1] ?? maxDelayMs);
		return now - lastStartedAt >= delayMs - pollJitterMs;
	};
	const givenUp = executions.filter(isExpired);
	const remaining = executions.filter((each) => !isExpired(each));
	const due = remaining
		.filter(isDue)
		.slice(0, retryFailedExecutions ? maxExecutionsPerPoll : Infinity);
	return { due, pendingExecutions: remaining.filter((each) => !due.includes(each)), givenUp };
}

/** Returns how many more events this poll can start executions for, besides the due executions. */
export function getRemainingCapacity(
	executions: PendingExecution[],
	parameters: PollingParameters,
): number {
	if (!parameters.retryFailedExecutions || parameters.isDigest) return Infinity;
	return maxExecutionsPerPoll - partitionByDue(executions, parameters).due.length;
}

/**
 * Starts executions; without retries, a single one with the events of all.
 *
 * n8n 2.41: each start saves the static data.
 */
export function startExecutions(
	context: IPollFunctions,
	due: PendingExecution[],
	parameters: PollingParameters,
): void {
	if (parameters.retryFailedExecutions) {
		for (const execution of due) void startExecution(context, execution, parameters);
	} else if (due.length > 0) {
		const items = due.flatMap((execution) => execution.items);
		emit(context, items, parameters);
	}
}

/**
 * Saves failed executions that are not in the database yet, by starting an execution without items.
 *
 * n8n 2.41: a poll has no other way to save static data.
 */
export function saveFailures(context: IPollFunctions): void {
	const runtime = getOrCreateTriggerRuntime(context);
	if (!runtime.hasUnsavedFailure) return;
	runtime.hasUnsavedFailure = false;
	// n8n 2.41: a change that is made while an earlier state is being saved isn't noticed, so this
	// writes the state again.
	saveState(context, loadState(context));
	context.__emit([[]]);
}

/** Reports that retries have ended, as a failed execution whose message has the event. */
export function reportGivenUp(
	context: IPollFunctions,
	{ items, attempts }: PendingExecution,
): void {
	const [{ eventKey = '', message = '' } = {}] = items;
	const subject = items.length === 1 ? String(eventKey) : pluralize(items.length, 'event');
	const error = toNodeOperationError(context.getNode(), {
		message: errorMessages.retriesEnded(subject),
		description: `All ${attempts} executions for it failed within a day, so the trigger doesn't start the workflow for it again. Fix the workflow, then process this event by hand. ${String(message)}`,
	});
	context.__emitError(error);
}

async function startExecution(
	context: IPollFunctions,
	execution: PendingExecution,
	parameters: PollingParameters,
): Promise<void> {
	const lastStartedAt = monotonicNow();
	const { attempts, firstStartedAt = lastStartedAt } = execution;
	const done = context.helpers.createDeferredPromise<IRun | undefined>();
	emit(context, execution.items, parameters, { attempt: attempts + 1, done });
	const runtime = getOrCreateTriggerRuntime(context);
	runtime.running++;
	const run = await done.promise.catch(() => undefined);
	runtime.running--;
	// A waiting execution, for example for an approval or in a Wait node, has taken over the events.
	if (run?.status !== 'success' && run?.status !== 'waiting') {
		const state = loadState(context);
		const failed = {
			...execution,
			attempts: attempts + 1,
			lastStartedAt,
			firstStartedAt,
		};
		saveState(context, { ...state, pendingExecutions: [...state.pendingExecutions, failed] });
		runtime.hasUnsavedFailure = true;
	}
	// n8n waits for running executions when it stops, so the last one saves the failures of all.
	// n8n 2.41 with SQLite: if a write of n8n itself is in progress then, n8n may exit before it has
	// saved the static data.
	if (runtime.running === 0) saveFailures(context);
}

/**
 * Starts an execution.
 *
 * n8n 2.41: items that a poll returns too late are dropped, so this uses `__emit` instead.
 */
function emit(
	context: IPollFunctions,
	items: IDataObject[],
	{ isDigest }: PollingParameters,
	retryable?: { attempt: number; done: Parameters<IPollFunctions['__emit']>[2] },
): void {
	const output = isDigest ? createDigest(items) : items;
	// Copies, because a node that changes its items must not change what the next poll compares, or
	// what a retry emits.
	const copies = output.map((item) => ({
		json: deepCopy(retryable === undefined ? item : withAttempt(item, retryable.attempt)),
	}));
	context.__emit([copies], undefined, retryable?.done);
	getOrCreateTriggerRuntime(context).hasUnsavedFailure = false;
}
