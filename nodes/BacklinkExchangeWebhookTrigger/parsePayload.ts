import type { IDataObject } from 'n8n-workflow';

import { isServiceEvent } from '../shared/descriptions/events';
import { isObject } from '../shared/utils/isObject';

export interface ReceivedEvent {
	/** Name of a documented event, otherwise the name in the delivery, otherwise "unknown". */
	event: string;
	/** Payload as received. */
	data: IDataObject;
}

/**
 * Parses the events of a delivery.
 *
 * The wrapper of a payload is not documented (service-api.md, "Events"), so these forms are
 * accepted: the bare payload; `{event, data}`, also as `type` and `payload`; a flat object with an
 * event field; and an array of these, in which only objects count.
 *
 * @returns `undefined` if there is no event
 */
export function parseEvents(json: unknown): ReceivedEvent[] | undefined {
	const events = (Array.isArray(json) ? json : [json]).filter(isObject).map(parseEvent);
	return events.length === 0 ? undefined : events;
}

function parseEvent(wrapper: IDataObject): ReceivedEvent {
	const data = [wrapper.data, wrapper.payload].find(isObject) ?? wrapper;
	const candidates = [
		wrapper.event,
		// An alert has its own field "type". Without a separate payload, "type" is therefore the
		// event's name only if it's a documented one.
		(data !== wrapper || isServiceEvent(wrapper.type)) && wrapper.type,
		inferEventName(data),
	];
	return { event: candidates.find(isName) ?? 'unknown', data };
}

/**
 * Infers the event from the fields of its payload; a field that is null or empty counts as missing.
 *
 * @returns `undefined` if no documented event has these fields
 */
function inferEventName(data: IDataObject): string | undefined {
	const has = (field: string) => ![undefined, null, ''].includes(data[field] as string);
	const isAlert = ['severity', 'type', 'detail'].some((field) => data[field] !== undefined);
	if (has('exchange_id') && isAlert) return 'watchdog.alert';
	if (!has('id')) return undefined;
	if (has('live_url') || has('published_at')) return 'exchange.published';
	if (has('accepted_at')) return 'exchange.accepted';
	if (has('from_site') || has('to_site') || has('anchor')) return 'exchange.requested';
	return undefined;
}

function isName(value: unknown): value is string {
	return typeof value === 'string' && value !== '' && value.length <= 100;
}
