import type { IDataObject, INodeExecutionData, IPollFunctions } from 'n8n-workflow';
import { deepCopy } from 'n8n-workflow';

import { ServiceError, toNodeApiError, withPublishHint } from '../shared/errors';
import type { AccountEvent } from '../shared/events/event.types';
import { createEventDigest, eventToItem } from '../shared/events/eventItem';
import { monotonicNow } from '../shared/utils/time';
import { createClient } from './connectAccount';
import { reportFailure, reportRecovery } from './failureReporting';
import { findAllEvents, findNewEvents } from './findEvents';
import { getParameters, type PollingParameters } from './parameters';
import { getOrCreateTriggerRuntime, getWriteTime, loadState, saveState } from './triggerState';

/** For polls that n8n's scheduler doesn't run. */
const defaultPollBudgetMs = 300_000;

type PollReason = 'start of n8n' | 'publication' | 'poll time';

/**
 * Polls the account and starts the workflow with the new events; the first poll of an account only
 * stores a baseline.
 *
 * n8n 2.41: a trigger whose first poll throws never polls again. So a poll at the start of n8n
 * doesn't throw, and a publication only throws what the user has to fix.
 *
 * @throws {NodeApiError | NodeOperationError} if the account can't be fetched: when failures begin,
 * and once an hour. The next poll retries
 */
export async function poll(context: IPollFunctions): Promise<INodeExecutionData[][] | null> {
	if (context.getMode() === 'manual') return [[{ json: await fetchTestEvent(context) }]];
	const reason = getPollReason(context);
	// So that its next polls don't count as an activation.
	getOrCreateTriggerRuntime(context).contexts.add(context);
	try {
		await pollAccount(context);
		reportRecovery(context);
	} catch (error) {
		await handleFailure(context, error as Error, reason);
	}
	return null;
}

/**
 * Finds the new events, and starts the workflow with them.
 *
 * @throws {NodeOperationError} if a parameter or the credential isn't valid, or the account has too
 * many records
 * @throws {ServiceError} if the account can't be fetched
 */
async function pollAccount(context: IPollFunctions): Promise<void> {
	const parameters = getParameters(context);
	const client = await createClient(context);
	const runtime = getOrCreateTriggerRuntime(context);
	const { lastPolledAt } = runtime;
	const writtenAt = getWriteTime(context);
	const request = { context, client, parameters, lastPolledAt };
	const { events, state } = await findNewEvents(request, loadState(context)).finally(() => {
		// The 1 ms ensures that no poll compares the same response twice.
		runtime.lastPolledAt = monotonicNow() + 1;
	});
	// Another poll has finished meanwhile: the next one finds what that one hasn't.
	if (getWriteTime(context) !== writtenAt) return;
	// Before the state is saved, so that an exception loses no event.
	const executions = createExecutions(context, events, parameters);
	saveState(context, state);
	// n8n 2.41: items that a poll returns too late are dropped, so this uses `__emit` instead. It
	// saves the static data.
	for (const items of executions) context.__emit([items.map((json) => ({ json }))]);
}

/** Fetches the item for Fetch Test Event: the newest selected event, or what would cause one. */
async function fetchTestEvent(context: IPollFunctions): Promise<IDataObject> {
	const parameters = getParameters(context);
	const client = await createClient(context);
	const request = { context, client, parameters, lastPolledAt: -Infinity };
	const events = await findAllEvents(request).catch((error: Error) => {
		throw toNodeError(context, error);
	});
	// Pending offers are preferred, because a workflow under test can't accept any others.
	const acceptable = events.filter(
		({ data }) => data.stage !== 'requested' || data.exchange?.status === 'pending',
	);
	const candidates = acceptable.length > 0 ? acceptable : events;
	const newest = candidates.sort((one, other) => getTime(one) - getTime(other)).at(-1);
	if (newest === undefined) return noEventItem;
	const [[item = {}] = []] = createExecutions(context, [newest], parameters);
	return item;
}

/** Returns the time of an event, or else of the last documented transition of its exchange. */
function getTime({ type, data }: AccountEvent): number {
	const { publishedAt, acceptedAt } = (data.stage && data.exchange) ?? {};
	return type.getTime(data) ?? publishedAt ?? acceptedAt ?? 0;
}

/**
 * Builds the items of each execution: by default, one execution with all events.
 *
 * The items are copies: a node that changes its items must not change what other polls read.
 */
function createExecutions(
	context: IPollFunctions,
	events: AccountEvent[],
	{ includesRecord, outputFormat }: PollingParameters,
): IDataObject[][] {
	const timeZone = context.getTimezone();
	const items = events.map((event) => deepCopy(eventToItem(event, { timeZone, includesRecord })));
	if (items.length === 0) return [];
	if (outputFormat === 'executions') return items.map((item) => [item]);
	return [outputFormat === 'digest' ? createEventDigest(items) : items];
}

/** Not an error, because nothing is wrong. It has no `event`, so no node takes it for one. */
const noEventItem = {
	message:
		'No matching event yet. You can publish the workflow now, and it starts with the next event.',
	title: 'No matching event yet',
};

/**
 * Reports a failed poll.
 *
 * @throws {Error} when failures begin and once an hour, or if the user has to fix it before
 * publishing
 */
async function handleFailure(
	context: IPollFunctions,
	error: Error,
	reason: PollReason,
): Promise<void> {
	const nodeError = toNodeError(context, error);
	const failure = error instanceof ServiceError ? error.failure : undefined;
	const isLimited = failure?.cause === 'rate-limited' || failure?.cause === 'quota-exhausted';
	const isTemporary = isLimited || failure?.cause === 'temporarily-unavailable';
	if (reason === 'publication' && !isTemporary) {
		const isKnown = error instanceof ServiceError && (await isKnownAccount(context));
		if (!isKnown) throw withPublishHint(nodeError);
	}
	// Until the known end of the rate limit, nothing can be done about it.
	const isWaiting = isLimited && failure.resetsAtEpochMs !== undefined;
	reportFailure(context, nodeError, reason === 'poll time' && !isWaiting);
}

/** Returns whether the trigger has read the account before, with the same key. */
async function isKnownAccount(context: IPollFunctions): Promise<boolean> {
	const { account } = await createClient(context);
	return account.key === loadState(context).key;
}

function toNodeError(context: IPollFunctions, error: Error): Error {
	if (!(error instanceof ServiceError)) return error;
	const nodeError = toNodeApiError(context.getNode(), error);
	// n8n-workflow before 2.37 drops `failure`, which shows that it was a rate limit.
	nodeError.failure = error.failure;
	return nodeError;
}

function getPollReason(context: IPollFunctions): PollReason {
	// A poll of n8n's scheduler has a context and a budget of its own. Older versions of n8n have no
	// `getPollBudgetMs`.
	const getBudget = context.getPollBudgetMs as (() => number) | undefined;
	const budget = getBudget?.call(context) ?? defaultPollBudgetMs;
	const { contexts } = getOrCreateTriggerRuntime(context);
	const isActivation = !contexts.has(context) && budget === defaultPollBudgetMs;
	if (!isActivation) return 'poll time';
	const isStart = ['init', 'leadershipChange'].includes(context.getActivationMode());
	return isStart ? 'start of n8n' : 'publication';
}
