import type { IDataObject, IPollFunctions } from 'n8n-workflow';

import {
	describeStatus,
	exchangeStatuses,
	getMostAdvanced,
	isClosed,
} from '../shared/api/exchangeStatus';
import { fetchBalance } from '../shared/api/fetchBalance';
import { fetchExchanges, nonPendingStatuses } from '../shared/api/fetchExchanges';
import { fetchList, type ListResult } from '../shared/api/fetchList';
import { fetchOwnSites } from '../shared/api/ownSites';
import { describeJson } from '../shared/api/parseResponse';
import { errorMessages } from '../shared/errorMessages';
import { type ErrorResult, errorResult, isErrorResult, toNodeApiError } from '../shared/errors';
import { warnThrottled } from '../shared/logger';
import { ApiClient } from '../shared/transport/apiClient';
import { credentialName } from '../shared/transport/credential';
import { noCache } from '../shared/transport/requestCache';
import { getId, groupById } from '../shared/utils/ids';
import { emptyState } from './diff';
import { diffAlerts } from './diffAlerts';
import { hasMissingExchanges, maxTrackedExchanges, wasAlwaysClosed } from './diffExchanges';
import type { PollingParameters } from './parameters';
import type { AccountSnapshot, KnownExchange, KnownState, PolledAccount } from './trigger.types';

const timeoutMs = 30_000;
const maxRateLimitWaitMs = 90_000;

/**
 * All triggers of an account share a cached list for this long.
 *
 * If they poll once a minute, at whatever second, an event is detected within two minutes, and a
 * trigger that is alone always fetches a new list.
 */
const listCacheMs = 50_000;
/** Fetching the balance every minute would cost 1,440 requests a day. */
const balanceCacheMs = 15 * 60_000;

/**
 * Creates the client of a poll and identifies its account, without sending a request.
 *
 * @throws {NodeOperationError} if the credential isn't valid
 */
export async function connectAccount(context: IPollFunctions): Promise<PolledAccount> {
	// Older versions of n8n have no `getPollBudgetMs`.
	const budget = (context.getPollBudgetMs as (() => number) | undefined)?.call(context) ?? Infinity;
	const client = await ApiClient.create(context, {
		maxRateLimitWaitMs: Math.min(maxRateLimitWaitMs, budget / 2),
		timeoutMs,
	});
	const accountName = `${client.baseUrl} ${context.getNode().credentials?.[credentialName]?.id ?? ''}`;
	return { client, accountName, key: client.scopedKey('polling trigger') };
}

/**
 * Fetches a snapshot of what the selected events need, with as few requests as possible.
 *
 * @param lastKnown state of the trigger; without it, no cached response of another trigger is used
 * @param notBefore monotonic time; this trigger has compared the responses to earlier requests
 * @throws {NodeApiError} if the service can't be reached, or a response isn't valid
 */
export async function fetchSnapshot(
	context: IPollFunctions,
	{ client, accountName, key }: PolledAccount,
	parameters: PollingParameters,
	lastKnown?: KnownState,
	notBefore?: number,
): Promise<AccountSnapshot> {
	const snapshot: AccountSnapshot = { accountName, key };
	const shared = lastKnown !== undefined;
	const isAllNew = !shared;
	// With another key, it may still be the same account (`isSameAccount`).
	const mayBeKnown = lastKnown?.accountName === accountName;
	const isKnown = mayBeKnown && lastKnown.key === key;
	const known: KnownState = { ...(isAllNew && emptyState), ...(mayBeKnown && lastKnown) };
	// A baseline from a stale list would lack existing records, which would be emitted later as new.
	const isFirst = (part: 'exchanges' | 'alerts' | 'credits') =>
		!isKnown || lastKnown[part] === undefined;
	const listCacheOptions = { shared, maxAge: listCacheMs, notBefore };

	const { events } = parameters;
	const watchesExchanges = events.some((event) => event.startsWith('exchange.'));
	let needsExchanges = watchesExchanges;
	if (events.includes('watchdog.alert')) {
		const cacheOptions = { ...listCacheOptions, ...(isFirst('alerts') && noCache) };
		const list = unwrap(context, await fetchList(client, 'watchdogEvents', cacheOptions));
		snapshot.alerts = getEntries(context, list, 'alerts');
		needsExchanges ||=
			known.alerts !== undefined && diffAlerts(snapshot.alerts, known.alerts).newAlerts.length > 0;
	}
	if (needsExchanges) {
		const list = await fetchExchanges(client, {
			...listCacheOptions,
			...(isFirst('exchanges') && noCache),
			// The lists per status too, if the whole list lacks exchanges that the last poll listed.
			extraStatuses: (listed) =>
				hasMissingExchanges(new Set(listed.map(getId)), known.exchanges ?? {})
					? nonPendingStatuses
					: [],
		});
		const exchanges = isErrorResult(list) ? list : getLatestById(context, list);
		const ownSites = isErrorResult(exchanges)
			? exchanges
			: await fetchOwnSites(client, getPossibleOffers(exchanges, known.exchanges ?? {}), {
					maxErrorAgeMs: shared ? listCacheMs : 0,
				});
		// If only alerts are selected, they are emitted without their exchanges rather than late.
		const isUsable = !isErrorResult(exchanges) && exchanges.size <= maxTrackedExchanges;
		if (watchesExchanges || isUsable) {
			snapshot.exchanges = unwrap(context, exchanges);
		}
		if (watchesExchanges || !isErrorResult(ownSites)) {
			snapshot.ownSites = unwrap(context, ownSites);
		}
	}
	if (events.includes('credits.low')) {
		const cacheOptions = { shared, maxAge: balanceCacheMs, ...(isFirst('credits') && noCache) };
		snapshot.credits = unwrap(context, await fetchBalance(client, cacheOptions));
	}
	return snapshot;
}

/**
 * Returns the result of a request.
 *
 * @throws {NodeApiError} if the request failed, with the cause in `failure`
 */
function unwrap<Result>(context: IPollFunctions, result: Result | ErrorResult): Result {
	if (!isErrorResult(result)) return result;
	const error = toNodeApiError(context.getNode(), result);
	// n8n-workflow before 2.37 drops `failure`, which shows that it was a rate limit.
	error.failure = result.failure;
	throw error;
}

/**
 * Groups a list by exchange ID, and keeps the most advanced entry of each exchange.
 *
 * @returns an error if an exchange has no ID
 */
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
				message: errorMessages.unexpectedResponse,
				description: `The node expected exchanges with an "id", but received ${describeJson(record)}.`,
			});
		}
		if (status === undefined) {
			// Logged once, because every poll lists this exchange.
			warnThrottled(
				context,
				`Trigger: an exchange has ${describeStatus(record)}. The documented ones are ${exchangeStatuses.join(', ')}. The trigger treats an exchange with any other status as closed. Without a status, it uses the times of the exchange. This is logged only once`,
				Infinity,
			);
		}
		exchanges.set(id, record);
	}
	return exchanges;
}

/** Returns the exchanges that may be new offers: only their direction has to be up to date. */
function getPossibleOffers(
	exchanges: ReadonlyMap<string, IDataObject>,
	known: Record<string, KnownExchange>,
): IDataObject[] {
	const isKnown = (id: string) => Object.hasOwn(known, id) && !wasAlwaysClosed(known[id]);
	return [...exchanges]
		.filter(([id, record]) => !isKnown(id) && !isClosed(record))
		.map(([, record]) => record);
}

/**
 * Returns the entries of a list, and logs a warning if the list is truncated.
 *
 * The editor shows nothing of a polling trigger but its executions, so only the log can show it.
 */
function getEntries(context: IPollFunctions, result: ListResult, noun: string): IDataObject[] {
	if (result.truncated) {
		warnThrottled(
			context,
			`Trigger: the service has more ${noun} than it returned, and the trigger can't fetch the others. It doesn't report their events`,
		);
	}
	return result.entries;
}
