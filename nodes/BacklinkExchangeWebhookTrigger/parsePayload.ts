import type { IDataObject } from 'n8n-workflow';

import { isServiceEvent } from '../shared/descriptions/events';
import { isObject } from '../shared/utils/isObject';

export interface ReceivedEvent {
	/** The name of a documented event, or whatever name the delivery gives; "unknown" when it gives none. */
	event: string;
	/** The payload as received. */
	data: IDataObject;
}

/**
 * The events in a delivery; undefined when there is none. The wrapper around a payload is not documented (service-api.md,
 * "Events"), so these are understood: the bare payload, `{event, data}`, also as `type` and `payload`, a flat object with an event
 * field, and an array of these, in which anything but an object is left out.
 */
export function parseEvents(json: unknown): ReceivedEvent[] | undefined {
	const events = (Array.isArray(json) ? json : [json]).filter(isObject).map(parseEvent);
	return events.length === 0 ? undefined : events;
}

function parseEvent(wrapper: IDataObject): ReceivedEvent {
	const data = [wrapper.data, wrapper.payload].find(isObject) ?? wrapper;
	const candidates = [
		wrapper.event,
		// An alert has a field "type" of its own, so beside its payload "type" is an event's name only if it is a documented one.
		(data !== wrapper || isServiceEvent(wrapper.type)) && wrapper.type,
		inferEventName(data),
	];
	return { event: candidates.find(isName) ?? 'unknown', data };
}

/** The documented event whose payload fields these are; a field that is null or empty counts as not there. */
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
