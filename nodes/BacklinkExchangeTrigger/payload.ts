import type { IDataObject } from 'n8n-workflow';

import { isServiceEvent, type ServiceEvent } from '../shared/events';
import { isObject } from '../shared/response';

export interface ReceivedEvent {
	/** Name of a documented event, or whatever name the delivery gives; "unknown" when it gives none. */
	event: string;
	/** The payload as received. */
	data: IDataObject;
}

/** More events in one delivery than this, and it is taken for a mistake. */
const mostEvents = 1000;

/**
 * The events in a delivery. The wrapper around the payload is not documented (service-api.md, "Events"), so these are
 * understood: the bare payload, `{event|type, data|payload}`, a flat object with an event field, and an array of these.
 * Undefined when the body is none of them.
 *
 * What the body says counts before the header X-PB-Event: only the body is signed.
 */
export function readEvents(
	json: unknown,
	eventHeader: string | undefined,
): ReceivedEvent[] | undefined {
	const parts = Array.isArray(json) ? json : [json];
	if (parts.length > mostEvents || !parts.every(isObject)) return undefined;
	return parts.map((part) => readEvent(part, eventHeader));
}

function readEvent(body: IDataObject, eventHeader: string | undefined): ReceivedEvent {
	const inner = [body.data, body.payload].find(isObject);
	if (isName(body.event)) return { event: body.event, data: inner ?? body };
	// An alert has a field "type" of its own, so "type" alone is an event's name only if it is a documented one.
	if (isName(body.type) && (inner !== undefined || isServiceEvent(body.type))) {
		return { event: body.type, data: inner ?? body };
	}
	const data = inner ?? body;
	const recognised = recognise(data);
	if (isName(eventHeader) && (recognised === undefined || !isServiceEvent(eventHeader))) {
		return { event: eventHeader, data };
	}
	return { event: recognised ?? 'unknown', data };
}

/** The documented event whose payload fields these are. */
function recognise(data: IDataObject): ServiceEvent | undefined {
	if ('exchange_id' in data && ('severity' in data || 'detail' in data)) return 'watchdog.alert';
	if (!('id' in data)) return undefined;
	if ('live_url' in data || 'published_at' in data) return 'exchange.published';
	if ('accepted_at' in data) return 'exchange.accepted';
	if ('from_site' in data || 'to_site' in data || 'anchor' in data) return 'exchange.requested';
	return undefined;
}

function isName(value: unknown): value is string {
	return typeof value === 'string' && value !== '' && value.length <= 100;
}
