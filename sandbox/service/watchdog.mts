import { ServiceError } from '../errors.mts';
import type { WatchdogEvent } from '../store/records.mts';
import type { Store } from '../store/store.mts';

/**
 * Severities that the dashboard offers.
 *
 * service-api.md doesn't show the values, so any other text is accepted as well.
 */
export const severities = ['high', 'medium', 'low'] as const;

interface AlertType {
	severity: (typeof severities)[number];
	/** The change of the link, or of its page. */
	detail: string;
}

/**
 * Types of alerts that the dashboard suggests. As for severities, any other text is accepted as
 * well.
 */
export const alertTypes: Record<string, AlertType> = {
	link_removed: { severity: 'high', detail: 'The link is gone from the page.' },
	page_gone: { severity: 'high', detail: 'The page responds with HTTP 404.' },
	nofollow: { severity: 'high', detail: 'The link is marked nofollow.' },
	anchor_changed: { severity: 'medium', detail: 'The link has another anchor text now.' },
	noindex: {
		severity: 'medium',
		detail: 'The page is marked noindex, so search engines leave it out.',
	},
	slow_page: { severity: 'low', detail: 'The page took 9 seconds to load.' },
};

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

/** Creates an alert of this type, with the severity and the detail that are usual for it. */
export function createAlert(exchangeId: string, type: string): NewWatchdogEvent {
	const { severity = 'medium', detail = '' } = alertTypes[type] ?? {};
	return { exchangeId, severity, type, detail };
}
