import type { IDataObject, INodeExecutionData, IPollFunctions } from 'n8n-workflow';
import { NodeApiError } from 'n8n-workflow';

import { getStatus } from '../shared/api/exchangeStatus';
import { passesFilters } from '../shared/descriptions/eventFilters';
import { offerTimes } from '../shared/descriptions/events';
import { toNodeOperationError, withPublishHint } from '../shared/errors';
import { warnThrottled } from '../shared/logger';
import { firstTimestamp, monotonicNow } from '../shared/utils/time';
import { diffSnapshot, emptyState, isSameAccount } from './diff';
import { maxTrackedAlerts } from './diffAlerts';
import { maxTrackedExchanges } from './diffExchanges';
import { reportFailure, reportRecovery } from './failureReporting';
import { createDigest, createNoEventItem, eventToItem, findExchangeOfAlert } from './items';
import { getParameters, type PollingParameters } from './parameters';
import {
	createExecutions,
	getRemainingCapacity,
	partitionByDue,
	reportGivenUp,
	saveFailures,
	startExecutions,
} from './pendingExecutions';
import { connectAccount, fetchSnapshot } from './snapshot';
import type {
	AccountIdentity,
	AccountSnapshot,
	DetectedEvent,
	KnownState,
	TriggerState,
} from './trigger.types';
import { getOrCreateTriggerRuntime, loadState, saveState } from './triggerState';

/** Milliseconds that n8n allows for a poll that its scheduler does not run. */
const defaultPollBudgetMs = 300_000;

/** Why n8n polls. */
type PollReason = 'start of n8n' | 'publication' | 'poll time';

/** Why a poll has not found out what happened. */
interface PollFailure {
	error: Error;
	/** Whether a person who publishes has to see it: a setting, or a credential with which the account was never read. */
	needsUserAction: boolean;
	/** Whether the limit is reached and resets at a moment that is known: until then nobody can do anything about it. */
	isRateLimited: boolean;
}

/**
 * Reads the account and starts the workflow with what has happened since the last poll; the first poll of an account starts
 * nothing.
 * @throws NodeApiError or NodeOperationError when the account cannot be read, which the next poll tries again: when that
 * begins and once an hour. Never when n8n starts, and at a publication only if a person has to fix something: n8n would never
 * poll again.
 */
export async function poll(context: IPollFunctions): Promise<INodeExecutionData[][] | null> {
	if (context.getMode() === 'manual') return [[{ json: await fetchTestEvent(context) }]];
	const reason = getPollReason(context);
	registerContext(context);
	const failure = await pollAccount(context, reason).catch((error: Error): PollFailure => ({
		error,
		needsUserAction: true,
		isRateLimited: false,
	}));
	if (failure === undefined) reportRecovery(context);
	else if (reason === 'publication' && failure.needsUserAction) {
		throw withPublishHint(failure.error);
	} else reportFailure(context, failure.error, reason === 'poll time' && !failure.isRateLimited);
	return null;
}

/** @throws NodeOperationError when a setting or the credential cannot be used, or the account has too much in it */
async function pollAccount(
	context: IPollFunctions,
	reason: PollReason,
): Promise<PollFailure | undefined> {
	const parameters = getParameters(context);
	assertAlwaysOutputDataOff(context, parameters);
	const runtime = getOrCreateTriggerRuntime(context);
	const account = await connectAccount(context);
	let snapshot: AccountSnapshot | undefined;
	let failure: PollFailure | undefined;
	try {
		const lastKnown = loadState(context);
		snapshot = await fetchSnapshot(context, account, parameters, lastKnown, runtime.lastPolledAt);
	} catch (error) {
		if (!(error instanceof NodeApiError)) throw error;
		failure = toPollFailure(error, account, loadState(context));
	}
	// Never the same answer twice.
	runtime.lastPolledAt = monotonicNow() + 1;
	// From here on nothing waits, so polls that overlap cannot come between each other.
	let state = loadState(context);
	if (reason === 'publication' && failure?.needsUserAction) return failure;
	if (snapshot !== undefined) state = applySnapshot(context, snapshot, state, parameters);
	// What failed before, or waits for its head start, does not depend on the service.
	const { due, pendingExecutions, givenUp } = partitionByDue(state.pendingExecutions, parameters);
	saveState(context, { ...state, pendingExecutions });
	for (const execution of givenUp) reportGivenUp(context, execution);
	startExecutions(context, due, parameters);
	saveFailures(context);
	return failure;
}

/**
 * Compares a snapshot with the known state.
 *
 * @returns the next state, with pending executions for the events that are new
 * @throws {NodeOperationError} if the account has more records than the trigger can track
 */
function applySnapshot(
	context: IPollFunctions,
	snapshot: AccountSnapshot,
	state: TriggerState,
	parameters: PollingParameters,
): TriggerState {
	assertCapacity(context, snapshot);
	const previous = resolveKnownState(context, snapshot, state, parameters);
	const detected = detectSelectedEvents(snapshot, previous, parameters);
	const { selected } = detected;
	// What is too much for one poll, the next one finds again: n8n saves all of the state with each execution.
	const included = new Set(
		selected
			.slice(0, getRemainingCapacity(state.pendingExecutions, parameters))
			.map(({ data }) => data),
	);
	const deferred = new Set(selected.map(({ data }) => data).filter((data) => !included.has(data)));
	const items = selected
		.filter(({ data }) => included.has(data))
		.map((detectedEvent) => eventToItem(detectedEvent, snapshot, parameters));
	const { known } =
		deferred.size === 0
			? detected
			: detectSelectedEvents(omitRecords(snapshot, deferred), previous, parameters);
	return {
		...known,
		pendingExecutions: [...state.pendingExecutions, ...createExecutions(items, parameters)],
	};
}

/** What "Fetch Test Event" shows: the newest selected event in the account, or what would make one. */
async function fetchTestEvent(context: IPollFunctions): Promise<IDataObject> {
	const parameters = getParameters(context);
	const snapshot = await fetchSnapshot(context, await connectAccount(context), parameters);
	const { selected } = detectSelectedEvents(snapshot, emptyState, parameters);
	// Somebody tries out what accepts offers: one that is not pending any more cannot be accepted.
	const isAcceptable = ({ event, data }: DetectedEvent) =>
		event !== 'exchange.requested' || getStatus(data) === 'pending';
	const candidates = selected.some(isAcceptable) ? selected.filter(isAcceptable) : selected;
	const getTime = ({ time, data }: DetectedEvent) =>
		time || (firstTimestamp(data, offerTimes) ?? 0);
	const newest = candidates.sort((one, other) => getTime(one) - getTime(other)).at(-1);
	if (newest === undefined) return createNoEventItem(snapshot, parameters);
	const items = [eventToItem(newest, snapshot, parameters)];
	const [item] = parameters.isDigest ? createDigest(items) : items;
	return { ...item, attempt: 1 };
}

function getPollReason(context: IPollFunctions): PollReason {
	// A poll that n8n's scheduler runs has a context and a budget of its own; older versions of n8n do not say the budget.
	const getBudget = context.getPollBudgetMs as (() => number) | undefined;
	const budget = getBudget?.call(context) ?? defaultPollBudgetMs;
	const { contexts } = getOrCreateTriggerRuntime(context);
	const isActivation = !contexts.has(context) && budget === defaultPollBudgetMs;
	if (!isActivation) return 'poll time';
	const isStart = ['init', 'leadershipChange'].includes(context.getActivationMode());
	return isStart ? 'start of n8n' : 'publication';
}

/** Records that this context has polled, so that its further polls don't count as an activation. */
function registerContext(context: IPollFunctions): void {
	getOrCreateTriggerRuntime(context).contexts.add(context);
}

function toPollFailure(
	error: NodeApiError,
	account: AccountIdentity,
	known: KnownState,
): PollFailure {
	const { failure } = error;
	const isRateLimited = failure?.cause === 'rate-limited' || failure?.cause === 'quota-exhausted';
	const isTemporary = isRateLimited || failure?.cause === 'temporarily-unavailable';
	return {
		error,
		needsUserAction:
			!isTemporary && (account.accountName !== known.accountName || account.key !== known.key),
		isRateLimited: isRateLimited && failure.resetsAtEpochMs !== undefined,
	};
}

/** What was seen of this account before. Where it was another one, only whether the credits were low counts. */
function resolveKnownState(
	context: IPollFunctions,
	snapshot: AccountSnapshot,
	previous: TriggerState,
	{ emitExisting }: PollingParameters,
): KnownState {
	const isSame = isSameAccount(snapshot, previous);
	if (!isSame && previous.accountName !== undefined) {
		warnThrottled(
			context,
			'Trigger: with this credential it does not recognize the account. It goes on from what is there now; what happened between the last poll and this one was not compared',
		);
	}
	const known = isSame ? previous : { credits: previous.credits };
	return emitExisting ? { ...emptyState, ...known } : known;
}

/** What has happened that the user wants to know of, and what has been seen. */
function detectSelectedEvents(
	snapshot: AccountSnapshot,
	previous: KnownState,
	parameters: PollingParameters,
) {
	const { events, filters, creditsLowBelow } = parameters;
	const { events: detected, known } = diffSnapshot(snapshot, previous, creditsLowBelow);
	const selected = detected.filter((detectedEvent) => {
		const { event, data } = detectedEvent;
		const exchange = findExchangeOfAlert(detectedEvent, snapshot);
		return events.includes(event) && passesFilters(event, data, filters, exchange);
	});
	return { selected, known };
}

/** The account as if the service had not shown these records yet. */
function omitRecords(
	snapshot: AccountSnapshot,
	deferred: ReadonlySet<IDataObject>,
): AccountSnapshot {
	const { exchanges, alerts, credits } = snapshot;
	return {
		...snapshot,
		exchanges: exchanges && new Map([...exchanges].filter(([, record]) => !deferred.has(record))),
		alerts: alerts?.filter((alert) => !deferred.has(alert)),
		credits: credits && !deferred.has(credits) ? credits : undefined,
	};
}

function assertCapacity(context: IPollFunctions, { exchanges, alerts }: AccountSnapshot): void {
	const fail = (noun: string, max: number): never => {
		throw toNodeOperationError(context.getNode(), {
			message: `The account has too many ${noun} to watch`,
			description: `This trigger can keep track of up to ${max.toLocaleString('en')}. Use the webhook trigger for this account, or select only the other events.`,
		});
	};
	if ((exchanges?.size ?? 0) > maxTrackedExchanges) fail('exchanges', maxTrackedExchanges);
	if ((alerts?.length ?? 0) > maxTrackedAlerts) fail('alerts', maxTrackedAlerts);
}

function assertAlwaysOutputDataOff(context: IPollFunctions, { tryAgain }: PollingParameters): void {
	if (!tryAgain || context.getNode().alwaysOutputData !== true) return;
	throw toNodeOperationError(context.getNode(), {
		message: 'Always Output Data has to be off for this node',
		description:
			'When the trigger saves what is to be tried again, n8n would run the workflow with an empty item. Turn it off in the settings of the node.',
	});
}
