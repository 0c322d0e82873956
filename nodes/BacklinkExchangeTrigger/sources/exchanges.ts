import type { IDataObject } from 'n8n-workflow';

import { describeJson } from '../../shared/api/describeResponse';
import type { Exchange } from '../../shared/api/exchange';
import {
	fetchExchanges,
	getMissingStatuses,
	nonPendingStatuses,
} from '../../shared/api/fetchExchanges';
import { describeStatus, exchangeStatuses } from '../../shared/api/forms/exchangeStatus';
import type { EventData } from '../../shared/events/event.types';
import { warnThrottled } from '../../shared/logger';
import { getId } from '../../shared/utils/ids';
import { diffExchange, type KnownExchange } from './diffExchange';
import { assertTrackable, listCacheMs, warnIfTruncated } from './lists';
import type { Difference, Source, SourceRequest } from './source.types';

/** Each takes about 100 bytes of static data, as JSON. */
export const maxTrackedExchanges = 10_000;

export type KnownExchanges = Record<string, KnownExchange>;

/** By ID. */
export type Exchanges = ReadonlyMap<string, Exchange>;

export const exchangeSource: Source<Exchanges, KnownExchanges> = {
	cacheMs: listCacheMs,
	nothing: {},
	async fetch(request) {
		const exchanges = await fetchExchangesById(request);
		const limits = { noun: 'exchanges', count: exchanges.size, max: maxTrackedExchanges };
		assertTrackable(request.context, limits, "select only 'New Alert' and 'Low Credits'");
		return exchanges;
	},
	compare: diffExchanges,
};

/**
 * Fetches the exchanges. One without a usable ID is left out.
 *
 * @throws {ServiceError} if they can't be listed
 */
export async function fetchExchangesById({
	context,
	client,
	known,
	cacheOptions,
}: SourceRequest<KnownExchanges>): Promise<Exchanges> {
	const list = await fetchExchanges(client, {
		...cacheOptions,
		// The lists per status too, if the whole list lacks exchanges that the last poll listed. What a
		// baseline lacks would be an event as soon as they are fetched.
		extraStatuses(listed) {
			if (known === undefined) return getMissingStatuses(listed);
			return isAnyMissing(listed, known) ? nonPendingStatuses : [];
		},
	});
	warnIfTruncated(context, list.truncated, 'exchanges');
	// Logged once, because every poll lists the same exchanges.
	const warnOnce = (text: string) => {
		warnThrottled(context, `Trigger: ${text}. This is logged only once`, Infinity);
	};
	const exchanges = new Map<string, Exchange>();
	for (const exchange of list.exchanges) {
		const { id, status, record } = exchange;
		if (id === undefined) {
			warnOnce(`an exchange without a usable ID is left out: ${describeJson(record)}`);
			continue;
		}
		if (status === undefined || status === 'closed') {
			warnOnce(
				`an exchange has ${describeStatus(record)}. The documented ones are ${exchangeStatuses.join(', ')}. The trigger treats an exchange with any other status as closed. Without a status, it uses the times of the exchange`,
			);
		}
		exchanges.set(id, exchange);
	}
	return exchanges;
}

/**
 * Returns the changes of the listed exchanges, and the next known exchanges. Exchanges that aren't
 * listed stay known while there is capacity.
 *
 * @param previous `undefined` for a baseline
 */
export function diffExchanges(
	listed: Exchanges,
	previous: KnownExchanges | undefined,
): Difference<KnownExchanges> {
	const previousById = new Map(Object.entries(previous ?? {}));
	const next = new Map<string, KnownExchange>();
	const changes: EventData[] = [];
	for (const [id, exchange] of listed) {
		const { known, newStages } = diffExchange(exchange, previousById.get(id));
		next.set(id, known);
		for (const { stage, ...others } of newStages) {
			changes.push({ record: exchange.record, exchange, stage, ...others });
		}
	}
	for (const [id, each] of previousById) {
		if (next.size >= maxTrackedExchanges) break;
		if (!listed.has(id)) next.set(id, { ...each, pendingObservation: 'missing' });
	}
	return { changes: previous === undefined ? [] : changes, known: Object.fromEntries(next) };
}

/** Returns whether a list lacks known exchanges that the previous poll still listed. */
function isAnyMissing(listed: IDataObject[], known: KnownExchanges): boolean {
	const ids = new Set(listed.map(getId));
	return Object.entries(known).some(
		([id, { pendingObservation }]) => !ids.has(id) && pendingObservation !== 'missing',
	);
}
