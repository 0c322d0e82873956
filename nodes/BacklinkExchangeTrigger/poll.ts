import type { IDataObject, INodeExecutionData, IPollFunctions } from 'n8n-workflow';
import { deepCopy, NodeApiError } from 'n8n-workflow';

import { Exchange } from '../shared/api/exchange';
import { getStatus } from '../shared/api/forms/exchangeStatus';
import { passesFilters } from '../shared/descriptions/eventFilters';
import { offerTimes } from '../shared/descriptions/events';
import { errorMessages } from '../shared/errorMessages';
import { toNodeOperationError, withPublishHint } from '../shared/errors';
import { warnThrottled } from '../shared/logger';
import { firstTimestamp, monotonicNow } from '../shared/utils/time';
import { diffSnapshot, emptyState, isSameAccount } from './diff';
import { maxTrackedAlerts } from './diffAlerts';
import { maxTrackedExchanges } from './diffExchanges';
import { reportFailure, reportRecovery } from './failureReporting';
import { createDigest, createNoEventItem, detectedEventToItem, findAlertExchange } from './items';
import { getParameters, type PollingParameters } from './parameters';
import { connectAccount, fetchSnapshot } from './snapshot';
import type { AccountIdentity, AccountSnapshot, DetectedEvent, KnownState } from './trigger.types';
import { getOrCreateTriggerRuntime, loadState, saveState } from './triggerState';

/** For polls that n8n's scheduler doesn't run. */
const defaultPollBudgetMs = 300_000;

type PollReason = 'start of n8n' | 'publication' | 'poll time';

/** Failure to fetch the account or to compare it. */
interface PollFailure {
	error: Error;
	/** To fix before publishing: an invalid parameter, or a credential that has never worked. */
	needsUserAction: boolean;
	/** The rate limit is exceeded, and until its known reset nothing can be done about it. */
	isRateLimited: boolean;
}

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
	registerContext(context);
	const failure = await pollAccount(context).catch((error: Error): PollFailure => ({
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

/**
 * Fetches a snapshot, compares it, and starts an execution with the new events.
 *
 * @returns the failure of the fetch, or `undefined`
 * @throws {NodeOperationError} if a parameter or the credential isn't valid, or the account has too
 * many records
 */
async function pollAccount(context: IPollFunctions): Promise<PollFailure | undefined> {
	const parameters = getParameters(context);
	const runtime = getOrCreateTriggerRuntime(context);
	const account = await connectAccount(context);
	let snapshot: AccountSnapshot | undefined;
	let failure: PollFailure | undefined;
	try {
		const lastKnown = loadState(context);
		snapshot = await fetchSnapshot(context, account, parameters, lastKnown, runtime.lastPolledAt);
	} catch (error) {
		assertApiError(error);
		failure = toPollFailure(error, account, loadState(context));
	}
	// The 1 ms ensures that no poll compares the same response twice.
	runtime.lastPolledAt = monotonicNow() + 1;
	// There is no `await` from here on, so overlapping polls can't interleave.
	if (snapshot === undefined) return failure;
	const { items, known } = applySnapshot(context, snapshot, loadState(context), parameters);
	saveState(context, known);
	startExecutions(context, items, parameters);
	return undefined;
}

/**
 * Starts executions with the items: by default a single one.
 *
 * n8n 2.41: items that a poll returns too late are dropped, so this uses `__emit` instead. It saves
 * the static data.
 */
function startExecutions(
	context: IPollFunctions,
	items: IDataObject[],
	{ outputFormat }: PollingParameters,
): void {
	const groups = outputFormat === 'executions' ? items.map((item) => [item]) : [items];
	for (const group of groups.filter(({ length }) => length > 0)) {
		const output = outputFormat === 'digest' ? createDigest(group) : group;
		// Copies, because a node that changes its items must not change what the next poll compares.
		context.__emit([output.map((item) => ({ json: deepCopy(item) }))]);
	}
}

/** @throws whatever isn't an error of the service or the network */
function assertApiError(error: unknown): asserts error is NodeApiError {
	if (!(error instanceof NodeApiError)) throw error;
}

/**
 * Compares a snapshot with the known state.
 *
 * @returns the items of the new events, and the next known state
 * @throws {NodeOperationError} if the account has more records than the trigger can track
 */
function applySnapshot(
	context: IPollFunctions,
	snapshot: AccountSnapshot,
	state: KnownState,
	parameters: PollingParameters,
): { items: IDataObject[]; known: KnownState } {
	assertCapacity(context, snapshot);
	const previous = resolveKnownState(context, snapshot, state);
	const { selected, known } = detectSelectedEvents(snapshot, previous, parameters);
	const items = selected.map((detectedEvent) =>
		detectedEventToItem(detectedEvent, snapshot, parameters, context.getTimezone()),
	);
	return { items, known };
}

/** Fetches the item for Fetch Test Event: the newest selected event, or what would cause one. */
async function fetchTestEvent(context: IPollFunctions): Promise<IDataObject> {
	const parameters = getParameters(context);
	const snapshot = await fetchSnapshot(context, await connectAccount(context), parameters);
	const { selected } = detectSelectedEvents(snapshot, emptyState, parameters);
	// Pending offers are preferred, because a workflow under test can't accept any others.
	const isAcceptable = ({ event, data }: DetectedEvent) =>
		event !== 'exchange.requested' || getStatus(data) === 'pending';
	const candidates = selected.some(isAcceptable) ? selected.filter(isAcceptable) : selected;
	const getTime = ({ time, data }: DetectedEvent) =>
		time || (firstTimestamp(data, offerTimes) ?? 0);
	const newest = candidates.sort((one, other) => getTime(one) - getTime(other)).at(-1);
	if (newest === undefined) return createNoEventItem(snapshot, parameters);
	const items = [detectedEventToItem(newest, snapshot, parameters, context.getTimezone())];
	const [item = {}] = parameters.outputFormat === 'digest' ? createDigest(items) : items;
	return item;
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

/** Records that this context has polled, so that its next polls don't count as an activation. */
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

/** Returns the known state of the account. If it was another account, only `credits` is kept. */
function resolveKnownState(
	context: IPollFunctions,
	snapshot: AccountSnapshot,
	previous: KnownState,
): KnownState {
	const isSame = isSameAccount(snapshot, previous);
	if (!isSame && previous.accountName !== undefined) {
		warnThrottled(
			context,
			'Trigger: this credential seems to belong to another account. The trigger starts over: it only records what is in the account now, and reports later changes',
		);
	}
	return isSame ? previous : { credits: previous.credits };
}

/** Returns the events that pass the user's selection and filters, and the next known state. */
function detectSelectedEvents(
	snapshot: AccountSnapshot,
	previous: KnownState,
	parameters: PollingParameters,
) {
	const { events, filters, lowCreditThreshold } = parameters;
	const { events: detected, known } = diffSnapshot(snapshot, previous, lowCreditThreshold);
	const selected = detected.filter((detectedEvent) => {
		const { event, data } = detectedEvent;
		if (!events.includes(event) || isOwnOffer(detectedEvent, snapshot)) return false;
		const exchange = findAlertExchange(detectedEvent, snapshot);
		const { ownSites } = snapshot;
		const ends = ownSites && Exchange.parse([exchange ?? data], ownSites);
		return passesFilters(event, data, filters, exchange, ends);
	});
	return { selected, known };
}

/** Returns whether an event is an offer that the user made: there is nothing to decide about it. */
function isOwnOffer({ event, data }: DetectedEvent, { ownSites }: AccountSnapshot): boolean {
	if (event !== 'exchange.requested' || ownSites === undefined) return false;
	return Exchange.parse([data], ownSites).direction === 'outgoing';
}

function assertCapacity(context: IPollFunctions, { exchanges, alerts }: AccountSnapshot): void {
	const fail = (noun: string, max: number, alternative: string): never => {
		throw toNodeOperationError(context.getNode(), {
			message: errorMessages.tooManyRecords(noun),
			description: `This trigger can keep track of up to ${max.toLocaleString('en')} ${noun}. Use the webhook trigger for this account, or ${alternative} in 'Trigger On'.`,
		});
	};
	if ((exchanges?.size ?? 0) > maxTrackedExchanges) {
		fail('exchanges', maxTrackedExchanges, "select only 'New Alert' and 'Low Credits'");
	}
	if ((alerts?.length ?? 0) > maxTrackedAlerts) {
		fail('alerts', maxTrackedAlerts, "remove 'New Alert'");
	}
}
