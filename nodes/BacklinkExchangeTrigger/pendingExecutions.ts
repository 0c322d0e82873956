import type { IDataObject, IPollFunctions, IRun } from 'n8n-workflow';
import { deepCopy } from 'n8n-workflow';

import { toNodeOperationError } from '../shared/errors';
import { pluralize } from '../shared/formatting/message';
import { monotonicNow } from '../shared/utils/time';
import { createDigest } from './items';
import type { PollingParameters } from './parameters';
import type { PendingExecution } from './trigger.types';
import { getOrCreateTriggerRuntime, loadState, saveState } from './triggerState';

const minute = 60_000;
const day = 24 * 60 * minute;

/** Milliseconds from the start of the first execution that failed to the next one, from that to the third, and so on. */
const retryDelaysMs = [1, 5, 15, 60, 180, 360].map((minutes) => minutes * minute);
const maxDelayMs = 360 * minute;

/** Polls come once a minute, and not to the second: one that comes a little early is as good. */
const pollJitterMs = minute / 2;

/** Executions that one poll starts: n8n runs all of them at once. */
const maxExecutionsPerPoll = 50;

/** An execution for each event, or one for all of them. */
export function createExecutions(
	items: IDataObject[],
	{ tryAgain, isDigest }: PollingParameters,
): PendingExecution[] {
	const lastStartedAt = monotonicNow();
	const groups = tryAgain && !isDigest ? items.map((item) => [item]) : [items];
	return groups
		.filter((group) => group.length > 0)
		.map((group) => ({ items: group, attempts: 0, lastStartedAt }));
}

/** Sorts executions into those that are to be started now, that stay for later, and that nothing succeeds for. */
export function partitionByDue(
	executions: PendingExecution[],
	{ tryAgain, headStartMs }: PollingParameters,
) {
	const now = monotonicNow();
	const isExpired = ({ attempts, firstStartedAt = now }: PendingExecution) =>
		attempts > 1 && now - firstStartedAt > day;
	const isDue = ({ attempts, lastStartedAt }: PendingExecution) => {
		const delayMs = attempts === 0 ? headStartMs : (retryDelaysMs[attempts - 1] ?? maxDelayMs);
		return now - lastStartedAt >= delayMs - pollJitterMs;
	};
	const givenUp = executions.filter(isExpired);
	const remaining = executions.filter((each) => !isExpired(each));
	const due = remaining.filter(isDue).slice(0, tryAgain ? maxExecutionsPerPoll : Infinity);
	return { due, pendingExecutions: remaining.filter((each) => !due.includes(each)), givenUp };
}

/** For how many events of a poll there is room beside those executions that are to be started anyway. */
export function getRemainingCapacity(
	executions: PendingExecution[],
	parameters: PollingParameters,
): number {
	if (!parameters.tryAgain || parameters.isDigest) return Infinity;
	return maxExecutionsPerPoll - partitionByDue(executions, parameters).due.length;
}

/** Starts the executions; without Try Again on Failure, one for the events of all of them. n8n saves the state with each. */
export function startExecutions(
	context: IPollFunctions,
	due: PendingExecution[],
	parameters: PollingParameters,
): void {
	if (parameters.tryAgain) {
		for (const execution of due) void startExecution(context, execution, parameters);
	} else if (due.length > 0) {
		const items = due.flatMap((execution) => execution.items);
		emit(context, items, 1, parameters);
	}
}

/** Saves what has failed and was not saved yet, by an execution without items: n8n offers no other way. */
export function saveFailures(context: IPollFunctions): void {
	const runtime = getOrCreateTriggerRuntime(context);
	if (!runtime.hasUnsavedFailure) return;
	runtime.hasUnsavedFailure = false;
	// Once more, because n8n takes no note of what changes while it saves an earlier state.
	saveState(context, loadState(context));
	context.__emit([[]]);
}

/** Records a failed execution that names the events. */
export function reportGivenUp(
	context: IPollFunctions,
	{ items, attempts }: PendingExecution,
): void {
	const [{ eventKey = '', message = '' } = {}] = items;
	const subject = items.length === 1 ? String(eventKey) : pluralize(items.length, 'event');
	const error = toNodeOperationError(context.getNode(), {
		message: `Gave up on ${subject}`,
		description: `${attempts} executions were started for it within a day, and none of them succeeded. It does not start the workflow again. ${String(message)}`,
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
	emit(context, execution.items, attempts + 1, parameters, done);
	const runtime = getOrCreateTriggerRuntime(context);
	runtime.running++;
	const run = await done.promise.catch(() => undefined);
	runtime.running--;
	// An execution that waits, for a person or a moment, has taken the events over.
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
	// n8n waits for executions when it stops, so the last one has to save what others have left.
	if (runtime.running === 0) saveFailures(context);
}

/** n8n drops what a poll returns too late, so executions are started in another way. */
function emit(
	context: IPollFunctions,
	items: IDataObject[],
	attempt: number,
	{ isDigest }: PollingParameters,
	done?: Parameters<IPollFunctions['__emit']>[2],
): void {
	const output = isDigest ? createDigest(items) : items;
	// A copy: a node that changes its items must not change what is compared at the next poll, or what comes again.
	const copies = output.map((item) => ({ json: deepCopy({ ...item, attempt }) }));
	context.__emit([copies], undefined, done);
	getOrCreateTriggerRuntime(context).hasUnsavedFailure = false;
}
