import type { IDataObject } from 'n8n-workflow';

import type { ApiClient } from '../transport/apiClient';
import { type CacheOptions, recentMs } from '../transport/requestCache';
import { monotonicNow } from '../utils/time';
import { Exchange } from './exchange';
import { findExchange } from './fetchExchanges';

/** Time between two requests of the list for exchanges that it lacks. */
const minRefetchIntervalMs = 5000;

/**
 * Looks up the exchange of a payload. Payloads that arrive together share the list, and what they
 * show may be newer.
 *
 * @returns the exchange with what the payload shows; if the service doesn't list it, only that
 * @throws {ServiceError} if the exchanges or the account's sites can't be listed
 */
export async function lookUpExchange(
	client: ApiClient,
	id: string,
	payload: IDataObject,
): Promise<Exchange> {
	const find = async (cacheOptions: CacheOptions) =>
		(await findExchange(client, id, cacheOptions, [])).exchange;
	// A change that this process has made doesn't matter: the payload shows it.
	let exchange = await find({ notBefore: monotonicNow() - recentMs });
	if (exchange === undefined) {
		const { account } = client;
		const now = monotonicNow();
		if (now - account.refetchedAt >= minRefetchIntervalMs) account.refetchedAt = now;
		exchange = await find({ notBefore: account.refetchedAt });
	}
	return exchange?.withPayload(payload) ?? Exchange.parse([{ ...payload, id }]);
}
