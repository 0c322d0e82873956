/** How an event looks in the body of a delivery, in the dialect that is set. */
import type { Dialect } from '../dialects.mts';
import type { EventName, Exchange, WatchdogEvent } from '../store/records.mts';
import { exchangeBody, type Json, watchdogEventBody } from './bodies.mts';

/** The documented fields of an event, and no others. */
export function eventPayload(
	event: EventName,
	record: Exchange | WatchdogEvent,
	dialect: Dialect,
): Json {
	const whole =
		'severity' in record ? watchdogEventBody(record, dialect) : exchangeBody(record, dialect);
	return Object.fromEntries(eventFields[event].map((field) => [field, whole[field]]));
}

const eventFields: Record<EventName, string[]> = {
	'exchange.requested': ['id', 'from_site', 'to_site', 'anchor'],
	'exchange.accepted': ['id', 'accepted_at'],
	'exchange.published': ['id', 'live_url', 'published_at'],
	'watchdog.alert': ['exchange_id', 'severity', 'type', 'detail'],
};

/** The body of a delivery. */
export function wrapEvent(event: EventName, payload: Json, { wrapper }: Dialect): string {
	return JSON.stringify(wrapped());

	function wrapped(): unknown {
		switch (wrapper) {
			case 'bare':
				return payload;
			case 'event-data':
				return { event, data: payload };
			case 'event-payload':
				return { event, payload };
			case 'type-data':
				return { type: event, data: payload };
			case 'type-payload':
				return { type: event, payload };
			case 'flat':
				// The name cannot be `type`, because an alert has a field of that name.
				return { event, ...payload };
			case 'array-bare':
				return [payload];
			case 'array-event-data':
				return [{ event, data: payload }];
			case 'array-flat':
				return [{ event, ...payload }];
		}
	}
}
