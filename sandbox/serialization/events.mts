import type { Dialect } from '../dialects.mts';
import type { EventName, Exchange, WatchdogEvent } from '../store/records.mts';
import { exchangeBody, watchdogEventBody } from './bodies.mts';

/** Builds the body of a delivery: the documented fields of the event, and no others. */
export function eventBody(
	event: EventName,
	record: Exchange | WatchdogEvent,
	dialect: Dialect,
): string {
	const whole =
		'severity' in record ? watchdogEventBody(record, dialect) : exchangeBody(record, dialect);
	const data = Object.fromEntries(eventFields[event].map((field) => [field, whole[field]]));
	// The key can't be `type`, because an alert has a field of that name.
	const flat = { event, ...data };
	const bodies: Record<Dialect['wrapper'], unknown> = {
		bare: data,
		'event-data': { event, data },
		'event-payload': { event, payload: data },
		'type-data': { type: event, data },
		'type-payload': { type: event, payload: data },
		flat,
		'array-bare': [data],
		'array-event-data': [{ event, data }],
		'array-flat': [flat],
	};
	return JSON.stringify(bodies[dialect.wrapper]);
}

const eventFields: Record<EventName, string[]> = {
	'exchange.requested': ['id', 'from_site', 'to_site', 'anchor'],
	'exchange.accepted': ['id', 'accepted_at'],
	'exchange.published': ['id', 'live_url', 'published_at'],
	'watchdog.alert': ['exchange_id', 'severity', 'type', 'detail'],
};
