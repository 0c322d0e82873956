import { ServiceError } from '../errors.mts';
import type { Exchange, WatchdogEvent } from '../store/records.mts';
import type { Store } from '../store/store.mts';

/**
 * Severities that the dashboard offers.
 *
 * service-api.md doesn't show the values, so any other text is accepted as well.
 */
export const severities = ['info', 'warning', 'critical'] as const;

export type NewWatchdogEvent = Pick<WatchdogEvent, 'exchangeId' | 'severity' | 'type' | 'detail'>;

/**
 * Stores a watchdog event.
 *
 * @throws {ServiceError} for an alert without an exchange, a severity or a type
 */
export function recordAlert(
	store: Store,
	{ exchangeId, severity, type, detail }: NewWatchdogEvent,
	createdAt = store.now(),
): WatchdogEvent {
	if (exchangeId === '' || severity === '' || type === '') {
		const message = 'An alert needs an exchange, a severity and a type.';
		throw new ServiceError(422, 'invalid_alert', message);
	}
	const next = store.get('SELECT coalesce(max(rowid), 0) + 1 AS number FROM watchdogEvents');
	const event = {
		id: `wde_${Number(next?.number)}`,
		exchangeId,
		severity,
		type,
		detail,
		createdAt,
	};
	store.insert('watchdogEvents', event);
	return event;
}

/** Creates the alert for a link that is gone. */
export function createLinkRemovedAlert({
	id,
	toSite,
	fromSite,
	liveUrl,
}: Pick<Exchange, 'id' | 'toSite' | 'fromSite' | 'liveUrl'>): NewWatchdogEvent {
	const detail = `The link to ${toSite} is gone from ${liveUrl ?? fromSite}.`;
	return { exchangeId: id, severity: 'critical', type: 'link_removed', detail };
}
