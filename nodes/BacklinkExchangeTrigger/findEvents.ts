import type { IPollFunctions } from 'n8n-workflow';

import type { Exchange } from '../shared/api/exchange';
import { passesSeverities } from '../shared/descriptions/eventFilters';
import { ServiceError, toServiceError } from '../shared/errors';
import type { AccountEvent, EventType, SourceName } from '../shared/events/event.types';
import { events } from '../shared/events/events';
import { warnThrottled } from '../shared/logger';
import type { ApiClient } from '../shared/transport/apiClient';
import { noCache } from '../shared/transport/requestCache';
import { identifyAccount, isSameAccount } from './connectAccount';
import type { PollingParameters } from './parameters';
import { filterBySites } from './siteFilter';
import { type Snapshot, sourceNames, sources } from './sources';
import { fetchExchangesById } from './sources/exchanges';
import type { Difference, SourceRequest } from './sources/source.types';
import type { Known, KnownState } from './triggerState';

type Differences = Map<SourceName, Difference>;

interface FoundEvents {
	/** In the order in which they happened, if the records show it. */
	events: AccountEvent[];
	/** The state to compare the next poll with. */
	state: KnownState;
}

/** The input of a poll, except for the state of the trigger. */
export interface Poll {
	context: IPollFunctions;
	client: ApiClient;
	parameters: PollingParameters;
	/** Monotonic; the trigger has compared the responses to earlier requests. */
	lastPolledAt: number;
}

/**
 * Reads what the selected events need, with as few requests as possible, and compares it with the
 * known state.
 *
 * @throws {ServiceError} if the service can't be reached, or a response isn't valid
 * @throws {NodeOperationError} if the account has more records than the trigger can track
 */
export async function findNewEvents(poll: Poll, state: KnownState): Promise<FoundEvents> {
	const account = await identifyAccount(poll.client, state);
	const isSame = isSameAccount(account, state);
	if (!isSame && state.key !== undefined) {
		warnThrottled(
			poll.context,
			'Trigger: this credential seems to belong to another account. The trigger starts over: it only records what is in the account now, and reports later changes',
		);
	}
	// The user has been notified of low credits.
	const known = isSame ? (state.known ?? {}) : { credits: state.known?.credits };
	const snapshot = await fetchSnapshot(poll, known, isSame);
	const differences = compareSnapshot(snapshot, known);
	const nextKnown = [...differences].map(([name, difference]) => [name, difference.known]);
	return {
		events: await selectEvents(poll, snapshot, differences),
		// The response may lack sites for a moment.
		state: {
			key: account.key,
			sites: account.sites.length === 0 && isSame ? state.sites : account.sites,
			known: Object.fromEntries(nextKnown) as Known,
		},
	};
}

/** Finds the events of an account of which nothing is known, for a test. */
export async function findAllEvents(poll: Poll): Promise<AccountEvent[]> {
	const snapshot = await fetchSnapshot(poll, {}, false);
	const nothing = sourceNames.map((name) => [name, sources[name].nothing]);
	const differences = compareSnapshot(snapshot, Object.fromEntries(nothing) as Known);
	return await selectEvents(poll, snapshot, differences);
}

/** @param isShared whether responses that other triggers of the account have requested count */
async function fetchSnapshot(poll: Poll, known: Known, isShared: boolean): Promise<Snapshot> {
	const parts: Partial<Record<SourceName, unknown>> = {};
	for (const name of sourceNames) {
		const { events: selected } = poll.parameters;
		if (!selected.some(({ source }) => source === name)) continue;
		// A baseline from an old list would lack existing records, which would be emitted later as new.
		const request = createRequest(poll, name, isShared && known[name] !== undefined);
		parts[name] = await sources[name]
			.fetch({ ...request, known: known[name] })
			.catch((error: unknown) => {
				throw withDeselectionHint(error, name, selected);
			});
	}
	return parts as Snapshot;
}

function createRequest(poll: Poll, name: SourceName, isShared: boolean): SourceRequest {
	const { context, client, parameters, lastPolledAt } = poll;
	const { cacheMs, isRepeatable } = sources[name];
	const { notBefore } = client.maxAge(cacheMs);
	return {
		context,
		client,
		known: undefined,
		cacheOptions: isShared
			? { notBefore: isRepeatable ? notBefore : Math.max(notBefore, lastPolledAt) }
			: noCache,
		lowCreditThreshold: parameters.lowCreditThreshold,
	};
}

/** Causes that concern all requests. Otherwise the sites couldn't have been listed before. */
const generalCauses = ['rate-limited', 'temporarily-unavailable'];

/**
 * Adds to an error which events can be deselected, if others don't need what couldn't be fetched.
 *
 * @returns the error as it was if it concerns all requests
 */
function withDeselectionHint(error: unknown, name: SourceName, selected: EventType[]): unknown {
	if (!(error instanceof ServiceError)) return error;
	const { cause = '' } = error.failure ?? {};
	const isGeneral = error.statusCode === 401 || generalCauses.includes(cause);
	if (isGeneral) return error;
	const needing = selected.filter(({ source }) => source === name);
	if (needing.length === selected.length) return error;
	const labels = needing.map(({ label }) => label).join(', ');
	const { message, description, code, statusCode, failure } = error;
	return new ServiceError({
		message,
		description: `${description} Of the selected events, only these need this request: ${labels}. To get the others meanwhile, deselect these in 'Trigger On'.`,
		code,
		statusCode,
		failure,
	});
}

function compareSnapshot(snapshot: Snapshot, known: Known): Differences {
	const names = sourceNames.filter((name) => snapshot[name] !== undefined);
	return new Map(names.map((name) => [name, sources[name].compare(snapshot[name], known[name])]));
}

/** Returns the events that pass the user's selection and filters, in the order of their times. */
async function selectEvents(
	poll: Poll,
	snapshot: Snapshot,
	differences: Differences,
): Promise<AccountEvent[]> {
	const { events: selected, severityFilter, sites } = poll.parameters;
	const found = events
		.filter((type) => selected.includes(type))
		.flatMap((type) => {
			const changes = differences.get(type.source)?.changes ?? [];
			const matching = changes.filter(({ stage }) => stage === type.stage);
			return matching.map((data) => ({ type, data }));
		})
		.filter(({ type, data }) => !type.isIgnored?.(data) && passesSeverities(data, severityFilter));
	const complete = await addAlertExchanges(poll, snapshot, found);
	const getSortTime = ({ data }: AccountEvent) => data.sortTime ?? Number.MAX_SAFE_INTEGER;
	return filterBySites(poll.context, complete, sites).sort(
		(one, other) => getSortTime(one) - getSortTime(other),
	);
}

/**
 * Adds to each alert its exchange, if the service lists it.
 *
 * @throws {ServiceError} if the exchanges can't be listed, and the user filters by sites. Otherwise
 * an alert comes without its exchange rather than late
 */
async function addAlertExchanges(
	poll: Poll,
	snapshot: Snapshot,
	found: AccountEvent[],
): Promise<AccountEvent[]> {
	if (!found.some(({ data }) => data.alert !== undefined)) return found;
	const exchanges = snapshot.exchanges ?? (await fetchAlertExchanges(poll));
	return found.map((event) => {
		const { alert, record } = event.data;
		const exchange = exchanges.get(alert?.exchangeId ?? '');
		if (alert === undefined || exchange === undefined) return event;
		return { ...event, data: { ...event.data, exchange: exchange.withPayload(record) } };
	});
}

async function fetchAlertExchanges(poll: Poll): Promise<ReadonlyMap<string, Exchange>> {
	const request = { ...createRequest(poll, 'exchanges', true), known: undefined };
	return await fetchExchangesById(request).catch((error: unknown) => {
		if (poll.parameters.sites.length > 0) throw error;
		toServiceError(error);
		return new Map<string, Exchange>();
	});
}
