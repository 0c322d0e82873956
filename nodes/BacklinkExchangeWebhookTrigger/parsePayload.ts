import type { IDataObject } from 'n8n-workflow';

import type { AccountEvent } from '../shared/events/event.types';
import { findWebhookEvent, recognizeEvent, toEventData } from '../shared/events/events';
import { isObject } from '../shared/utils/isObject';

export interface ReceivedEvents {
	events: AccountEvent[];
	/** Parts of the delivery that are no documented event. */
	unknown: IDataObject[];
	/** Documented events without the ID of their exchange. */
	unusable: IDataObject[];
}

/**
 * Parses the events of a delivery.
 *
 * The wrapper of a payload is not documented (service-api.md, "Events"), so these forms are
 * accepted: the bare payload; `{event, data}`, also as `type` and `payload`; a flat object with an
 * event field; and an array of these, in which only objects count.
 */
export function parseEvents(json: unknown): ReceivedEvents {
	const received: ReceivedEvents = { events: [], unknown: [], unusable: [] };
	for (const wrapper of (Array.isArray(json) ? json : [json]).filter(isObject)) {
		const event = parseEvent(wrapper);
		if (event === undefined) received.unknown.push(wrapper);
		else if (event.data.exchange?.id === undefined) received.unusable.push(wrapper);
		else received.events.push(event);
	}
	return received;
}

/** @returns `undefined` if it's no documented event */
function parseEvent(wrapper: IDataObject): AccountEvent | undefined {
	// The ID of a wrapper isn't that of an exchange, even if the wrapper has no usable payload.
	const isWrapped = 'data' in wrapper || 'payload' in wrapper;
	const payload = isWrapped ? ([wrapper.data, wrapper.payload].find(isObject) ?? {}) : wrapper;
	// An alert has its own field "type". Without a separate payload, "type" is therefore the event's
	// name only if it's a documented one.
	const names = [wrapper.event, ...(payload === wrapper ? [] : [wrapper.type])];
	const name = names.find((each) => typeof each === 'string' && each !== '');
	const type =
		name === undefined
			? (findWebhookEvent(wrapper.type) ?? recognizeEvent(payload))
			: findWebhookEvent(name);
	return type && { type, data: toEventData(payload, type.source) };
}
