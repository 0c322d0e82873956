import type { IDataObject, IPollFunctions } from 'n8n-workflow';

import { describeStatus, exchangeStatuses, getMostAdvanced } from '../shared/api/exchangeStatus';
import { fetchBalance } from '../shared/api/fetchBalance';
import { fetchExchanges, nonPendingStatuses } from '../shared/api/fetchExchanges';
import { fetchList, type ListResult } from '../shared/api/fetchList';
import { describeJson } from '../shared/api/parseResponse';
import { type ErrorResult, errorResult, isErrorResult, toNodeApiError } from '../shared/errors';
import { warnThrottled } from '../shared/logger';
import { ApiClient } from '../shared/transport/apiClient';
import { credentialName } from '../shared/transport/credential';
import { getId, groupById } from '../shared/utils/ids';
import { emptyState } from './diff';
import { diffAlerts } from './diffAlerts';
import { hasMissingExchanges } from './diffExchanges';
import type { PollingParameters } from './parameters';
import type { AccountSnapshot, KnownState, PolledAccount } from './trigger.types';

/** The longest wait of one request for an answer, in seconds. */
const timeout = 30;
/** The longest wait of one request for the limit, in seconds. */
const maxRateLimitWaitSeconds = 90;

/**
 * Milliseconds for which all triggers of an account share a list: with polls a minute apart, whatever their seconds, an event
 * is noticed within two minutes, and a trigger alone reads anew each time.
 */
const listCacheMs = 50_000;
/** Milliseconds for which they share the balance: each minute would cost 1,440 requests a day. */
const balanceCacheMs = 15 * 60_000;

/**
 * Creates the client of a poll and identifies its account, without a request.
 *
 * @throws {NodeOperationError} if the credential isn't valid
 */
export async function connectAccount(context: IPollFunctions): Promise<PolledAccount> {
	// Older versions of n8n do not say how many milliseconds they allow for a poll.
	const budget = (context.getPollBudgetMs as (() => number) | undefined)?.call(context) ?? Infinity;
	const client = await ApiClient.create(context, {
		maxRateLimitWait: Math.min(maxRateLimitWaitSeconds, budget / 2000),
		timeout,
	});
	const accountName = `${client.baseUrl} ${context.getNode().credentials?.[credentialName]?.id ?? ''}`;
	return { client, accountName, key: client.scopedKey('polling trigger') };
}

/**
 * Fetches a snapshot of what the selected events need, with the fewest requests.
 *
 * @param lastKnown state of the trigger; without it, responses of other triggers aren't used
 * @param notBefore responses to requests sent earlier than this (monotonic) aren't used, because
 * this trigger has already compared them
 * @throws {NodeApiError} if the service can't be reached, or its response isn't valid
 */
export async function fetchSnapshot(
	context: IPollFunctions,
	{ client, accountName, key }: PolledAccount,
	parameters: PollingParameters,
	lastKnown?: KnownState,
	notBefore?: number,
): Promise<AccountSnapshot> {
	const snapshot: AccountSnapshot = { accountName, key };
	const isKnown = lastKnown?.accountName === accountName && lastKnown.key === key;
	const shared = lastKnown !== undefined;
	const isAllNew = parameters.emitExisting || !shared;
	const known: KnownState = { ...(isAllNew && emptyState), ...(isKnown && lastKnown) };
	// An old first reading would lack what is already there, and that would be emitted later.
	const isFirst = (part: 'exchanges' | 'alerts' | 'credits') =>
		!isKnown || lastKnown[part] === undefined;
	const listCacheOptions = { shared, maxAge: listCacheMs, notBefore };

	const { events } = parameters;
	const watchesExchanges = events.some((event) => event.startsWith('exchange.'));
	let needsExchanges = watchesExchanges;
	if (events.includes('watchdog.alert')) {
		const cacheOptions = { ...listCacheOptions, noCache: isFirst('alerts') };
		const list = unwrap(context, await fetchList(client, 'watchdogEvents', cacheOptions));
		snapshot.alerts = getEntries(context, list, 'alerts');
		needsExchanges ||=
			known.alerts !== undefined && diffAlerts(snapshot.alerts, known.alerts).newAlerts.length > 0;
	}
	if (needsExchanges) {
		const list = await fetchExchanges(client, {
			...{ ...listCacheOptions, noCache: isFirst('exchanges') },
			// The lists per status are read, too, where the whole list lacks exchanges that were there at the last poll.
			extraStatuses: (listed) =>
				hasMissingExchanges(new Set(listed.map(getId)), known.exchanges ?? {})
					? nonPendingStatuses
					: [],
		});
		const exchanges = isErrorResult(list) ? list : getLatestById(context, list);
		// An alert comes without the record of its exchange, rather than late.
		if (watchesExchanges || !isErrorResult(exchanges)) {
			snapshot.exchanges = unwrap(context, exchanges);
		}
	}
	if (events.includes('credits.low')) {
		const cacheOptions = { shared, maxAge: balanceCacheMs, noCache: isFirst('credits') };
		snapshot.credits = unwrap(context, await fetchBalance(client, cacheOptions));
	}
	return snapshot;
}

/**
 * Returns the result of a request.
 *
 * @throws {NodeApiError} if the request failed; `failure` is its cause
 */
function unwrap<Result>(context: IPollFunctions, result: Result | ErrorResult): Result {
	if (!isErrorResult(result)) return result;
	const error = toNodeApiError(context.getNode(), result);
	// n8n-workflow before 2.37 drops it, so n8n 1.123 wouldn't know a rate limit.
	error.failure = result.failure;
	throw error;
}

/** Each exchange as its furthest entry shows it; why the list cannot be understood, when one has no ID. */
function getLatestById(
	context: IPollFunctions,
	list: ListResult,
): Map<string, IDataObject> | ErrorResult {
	const exchanges = new Map<string, IDataObject>();
	for (const entries of groupById(getEntries(context, list, 'exchanges')).values()) {
		const { status, record = {} } = getMostAdvanced(entries);
		const id = getId(record);
		if (id === undefined) {
			return errorResult({
				message: 'The answer of the service could not be understood',
				description: `Expected exchanges with an "id", received ${describeJson(record)}.`,
			});
		}
		if (status === undefined) {
			// The exchange is there at every poll: one line is enough.
			warnThrottled(
				context,
				`Trigger: an exchange has ${describeStatus(record)}, which is none of the documented states (${exchangeStatuses.join(', ')}); only its times show how far it is. This is logged once`,
				Infinity,
			);
		}
		exchanges.set(id, record);
	}
	return exchanges;
}

/** The entries of a list; if it is not complete, the log says so, because the editor shows nothing of a polling trigger but its executions. */
function getEntries(context: IPollFunctions, result: ListResult, noun: string): IDataObject[] {
	if (result.truncated) {
		warnThrottled(
			context,
			`Trigger: the service says that there are more ${noun} than it lists, in a way that cannot be followed. Events of the others are not noticed`,
		);
	}
	return result.entries;
}
