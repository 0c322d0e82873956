import type { IDataObject } from 'n8n-workflow';

import { isServiceEvent } from '../shared/fields/events';
import { isObject } from '../shared/objects';

export interface ReceivedEvent {
	/** The name of a documented event, or whatever name the delivery gives; "unknown" when it gives none. */
	event: string;
	/** The payload as received. */
	data: IDataObject;
}

/**
 * The events in a delivery; undefined when there is none. The wrapper around a payload is not documented (service-api.md,
 * "Events"), so these are understood:
 * - an event: the bare payload, `{event|type, data|payload}`, or a flat object with an event field
 * - a batch: `{events: […]}` of events, or `{event, data|payload: […]}` of payloads
 * - an array of events and batches, in which anything but an object is left out
 *
 * The header X-PB-Event is not signed, so it names only an event that the body neither names nor shows by its fields.
 */
export function readEvents(
	json: unknown,
	eventHeader: string | undefined,
): ReceivedEvent[] | undefined {
	const events = eventsIn(json, undefined, eventHeader);
	return events.length === 0 ? undefined : events;
}

/** @param name the event's name that a batch gives to all its payloads */
function eventsIn(json: unknown, name: unknown, eventHeader?: string): ReceivedEvent[] {
	if (Array.isArray(json)) return json.flatMap((part) => eventsIn(part, name, eventHeader));
	if (!isObject(json)) return [];
	const { event, type, events, data, payload } = json;
	const lists = [events, data, payload].filter(Array.isArray);
	const list = lists.find(({ length }) => length > 0);
	// A documented payload is no batch, although it may have a list among its fields.
	if (list && recognize(json) === undefined) {
		return eventsIn(list, list === events ? name : (event ?? type ?? name), eventHeader);
	}
	const read = readEvent(json, name, eventHeader);
	if (lists.length === 0 || recognize(read.data) !== undefined) return [read];
	// An empty batch; unless it has a name of its own, because some services write an object without fields as an empty list.
	return isServiceEvent(read.event) || read.event === 'unknown' ? [] : [read];
}

function readEvent(wrapped: IDataObject, batchName: unknown, eventHeader?: string): ReceivedEvent {
	const candidates = [wrapped.data, wrapped.payload, wrapped].filter(isObject);
	// The first object with the fields of a documented event is the payload: a wrapper may have other objects as well.
	const data = candidates.find(recognize) ?? candidates[0] ?? wrapped;
	const names = [
		wrapped.event,
		// An alert has a field "type" of its own, so "type" alone is an event's name only if it is a documented one.
		(data !== wrapped || isServiceEvent(wrapped.type)) && wrapped.type,
		batchName,
		recognize(data),
		eventHeader,
	];
	return { event: names.find(isName) ?? 'unknown', data };
}

/** The documented event whose payload fields these are; a field that is null or empty counts as not there. */
function recognize(data: IDataObject): string | undefined {
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
