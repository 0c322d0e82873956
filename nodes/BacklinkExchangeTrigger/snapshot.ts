import type { IDataObject, IPollFunctions } from 'n8n-workflow';

import { describeJson } from '../shared/api/describeResponse';
import { fetchBalance } from '../shared/api/fetchBalance';
import {
	type ExchangeList,
	fetchExchanges,
	nonPendingStatuses,
} from '../shared/api/fetchExchanges';
import { fetchList } from '../shared/api/fetchList';
import { describeStatus, exchangeStatuses } from '../shared/api/forms/exchangeStatus';
import { errorMessages } from '../shared/errorMessages';
import { ServiceError, toNodeApiError, toServiceError } from '../shared/errors';
import { warnThrottled } from '../shared/logger';
import { ApiClient } from '../shared/transport/apiClient';
import { credentialName } from '../shared/transport/credential';
import { noCache } from '../shared/transport/requestCache';
import { getId } from '../shared/utils/ids';
import { emptyState } from './diff';
import { diffAlerts } from './diffAlerts';
import { hasMissingExchanges, maxTrackedExchanges } from './diffExchanges';
import type { PollingParameters } from './parameters';
import type { AccountSnapshot, KnownState, PolledAccount } from './trigger.types';

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
	...args: Parameters<typeof fetchParts> extends [unknown, ...infer Rest] ? Rest : never
): Promise<AccountSnapshot> {
	try {
		return await fetchParts(context, ...args);
	} catch (error) {
		const serviceError = toServiceError(error);
		const nodeError = toNodeApiError(context.getNode(), serviceError);
		// n8n-workflow before 2.37 drops `failure`, which shows that it was a rate limit.
		nodeError.failure = serviceError.failure;
		throw nodeError;
	}
}

async function fetchParts(
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
	const getCacheOptions = (part: Parameters<typeof isFirst>[0]) => {
		if (!shared || isFirst(part)) return noCache;
		if (part === 'credits') return client.maxAge(balanceCacheMs);
		return { notBefore: Math.max(client.maxAge(listCacheMs).notBefore, notBefore ?? 0) };
	};

	const { events } = parameters;
	const watchesExchanges = events.some((event) => event.startsWith('exchange.'));
	let needsExchanges = watchesExchanges;
	if (events.includes('watchdog.alert')) {
		const cacheOptions = getCacheOptions('alerts');
		const list = await fetchList(client, 'watchdogEvents', cacheOptions);
		warnIfTruncated(context, list.truncated, 'alerts');
		snapshot.alerts = list.entries;
		needsExchanges ||=
			known.alerts !== undefined && diffAlerts(snapshot.alerts, known.alerts).newAlerts.length > 0;
	}
	if (needsExchanges) {
		const list = await fetchExchanges(client, {
			...getCacheOptions('exchanges'),
			// The lists per status too, if the whole list lacks exchanges that the last poll listed.
			extraStatuses: (listed) =>
				hasMissingExchanges(new Set(listed.map(getId)), known.exchanges ?? {})
					? nonPendingStatuses
					: [],
		}).catch((error: unknown) => {
			// If only alerts are selected, they are emitted without their exchanges rather than late.
			if (watchesExchanges) throw error;
			toServiceError(error);
			return undefined;
		});
		const isUsable = list && list.exchanges.length <= maxTrackedExchanges;
		if (list !== undefined && (watchesExchanges || isUsable)) {
			snapshot.exchanges = getRecordsById(context, list);
			snapshot.ownSites = client.account.ownSites;
		}
	}
	if (events.includes('credits.low')) {
		snapshot.credits = await fetchBalance(client, getCacheOptions('credits'));
	}
	return snapshot;
}

/**
 * Returns the records of the exchanges by ID.
 *
 * @throws {ServiceError} if an exchange has no ID
 */
function getRecordsById(context: IPollFunctions, list: ExchangeList): Map<string, IDataObject> {
	warnIfTruncated(context, list.truncated, 'exchanges');
	const records = new Map<string, IDataObject>();
	for (const { id, status, record } of list.exchanges) {
		if (id === undefined) {
			throw new ServiceError({
				message: errorMessages.unexpectedResponse,
				description: `The node expected exchanges with an "id", but received ${describeJson(record)}.`,
			});
		}
		if (status === undefined || status === 'closed') {
			// Logged once, because every poll lists this exchange.
			warnThrottled(
				context,
				`Trigger: an exchange has ${describeStatus(record)}. The documented ones are ${exchangeStatuses.join(', ')}. The trigger treats an exchange with any other status as closed. Without a status, it uses the times of the exchange. This is logged only once`,
				Infinity,
			);
		}
		records.set(id, record);
	}
	return records;
}

/**
 * Logs a warning if a list is truncated.
 *
 * The editor shows nothing of a polling trigger but its executions, so only the log can show it.
 */
function warnIfTruncated(context: IPollFunctions, truncated: boolean, noun: string): void {
	if (!truncated) return;
	warnThrottled(
		context,
		`Trigger: the service has more ${noun} than it returned, and the trigger can't fetch the others. It doesn't report their events`,
	);
}
