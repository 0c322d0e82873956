import type { IDataObject } from 'n8n-workflow';

import { parseAlert } from '../../../shared/api/alert';
import { type Exchange } from '../../../shared/api/exchange';
import { fetchExchanges, getMissingStatuses } from '../../../shared/api/fetchExchanges';
import { fetchList, type ListRequest } from '../../../shared/api/fetchList';
import { ServiceError, toServiceError } from '../../../shared/errors';
import type { EventData } from '../../../shared/events/event.types';
import { toEventData } from '../../../shared/events/events';
import type { ApiClient } from '../../../shared/transport/apiClient';

/**
 * Fetches alerts, and the exchanges that they are about, which show the page, the partner and your
 * site.
 *
 * @throws {ServiceError} if the alerts can't be fetched. Without the exchanges, they are returned
 * with what they show themselves
 */
export async function fetchAlerts(client: ApiClient, request: ListRequest) {
	const { entries, truncated } = await fetchList(client, 'watchdogEvents', request);
	if (entries.length === 0) return { entries: [], truncated };
	const list = await fetchExchanges(client, { extraStatuses: getMissingStatuses }).catch(
		toServiceError,
	);
	const exchanges = list instanceof ServiceError ? [] : list.exchanges;
	const byId = new Map(exchanges.map((exchange) => [exchange.id, exchange]));
	return { entries: entries.map((record) => toAlertData(record, byId)), truncated };
}

/** Returns what an alert and the exchange that it's about show. */
export function toAlertData(
	record: IDataObject,
	exchanges: ReadonlyMap<string | undefined, Exchange>,
): EventData {
	const { exchangeId } = parseAlert(record);
	const data = toEventData(record, 'alerts');
	const exchange = exchangeId === undefined ? undefined : exchanges.get(exchangeId);
	return exchange === undefined ? data : { ...data, exchange };
}
