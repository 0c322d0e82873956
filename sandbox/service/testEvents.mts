import { randomBytes } from 'node:crypto';

import type { EventName, Exchange, WatchdogEvent } from '../store/records.mts';
import type { Store } from '../store/store.mts';
import { getPageUrl } from './exchanges.mts';
import { createAlert } from './watchdog.mts';

const example = {
	id: 'exc_test',
	direction: 'incoming',
	fromSite: 'https://partner.example/',
	toSite: 'https://your-site.example/',
	anchor: 'a good read',
	liveUrl: undefined,
} as const;

/**
 * Returns the record for a test event: a real exchange if there is one, as if the event had just
 * happened.
 *
 * Nothing is changed. Every test event is unique, so that no receiver takes it for a duplicate.
 */
export function createTestRecord(event: EventName, store: Store): Exchange | WatchdogEvent {
	const status = event === 'exchange.requested' ? 'pending' : 'live';
	// service-api.md doesn't show whether outgoing offers send exchange.requested.
	const direction = event === 'exchange.requested' ? 'incoming' : undefined;
	const matchingExchange = store.rows<Exchange>('exchanges', { status, direction }).at(-1);
	const exchange =
		matchingExchange ?? store.rows<Exchange>('exchanges', { direction }).at(-1) ?? example;
	const now = store.now();
	const uniqueSuffix = `test ${new Date(now).toISOString().slice(11, 19)} ${randomBytes(2).toString('hex')}`;
	const liveUrl = exchange.liveUrl ?? getPageUrl(exchange, 'test');
	if (event === 'watchdog.alert') {
		const alert = createAlert(exchange.id, 'link_removed');
		const detail = `${alert.detail} (${uniqueSuffix})`;
		return { ...alert, detail, id: 'wde_test', createdAt: now };
	}
	const anchor = `${exchange.anchor} (${uniqueSuffix})`;
	const times = { createdAt: now, acceptedAt: now, publishedAt: now };
	return { ...exchange, anchor, liveUrl, ...times, status, cost: 0 };
}
