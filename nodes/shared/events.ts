import { createHash } from 'crypto';
import type { IDataObject } from 'n8n-workflow';

import { readMoment } from './time';

/** The events that the service pushes (service-api.md, "Events"), with the payload field that tells when it happened. */
const timeFields = {
	'exchange.accepted': 'accepted_at',
	'exchange.published': 'published_at',
	'exchange.requested': undefined,
	'watchdog.alert': undefined,
} as const;

export type ServiceEvent = keyof typeof timeFields;

export const serviceEvents = Object.keys(timeFields) as ServiceEvent[];

export function isServiceEvent(name: unknown): name is ServiceEvent {
	return typeof name === 'string' && Object.hasOwn(timeFields, name);
}

/**
 * The same key for the same event, from the webhook's payload as from the record that polling reads, so that n8n's
 * Remove Duplicates node can make one of both: `<event>:<exchange id>`, followed
 * - for accepted, published and broken by the documented time of the transition in epoch seconds, if it is there;
 * - for alerts by a hash of severity, type and detail.
 * An event that is not documented, or lacks the exchange's id, is told apart by a hash of everything it carries.
 */
export function eventKey(event: string, data: IDataObject): string {
	if (event === 'watchdog.alert' && isId(data.exchange_id)) {
		return `${event}:${data.exchange_id}:${hash([data.severity, data.type, data.detail])}`;
	}
	const isExchangeEvent = isServiceEvent(event) || event === 'exchange.broken';
	if (!isExchangeEvent || !isId(data.id)) return `${event}:${hash(data)}`;
	const timeField = event === 'exchange.broken' ? 'published_at' : timeFields[event];
	const time = timeField === undefined ? undefined : epochSeconds(data[timeField]);
	return [event, data.id, ...(time === undefined ? [] : [time])].join(':');
}

export function isId(value: unknown): value is string | number {
	return (typeof value === 'string' && value !== '') || typeof value === 'number';
}

/** A moment in whole epoch seconds, whatever its format; a text that is no moment is kept as it is. */
export function epochSeconds(value: unknown): string | undefined {
	if (!isId(value)) return undefined;
	const moment = readMoment(String(value), 0);
	return moment === undefined ? String(value) : String(Math.floor(moment / 1000));
}

/** A name for a value; the same for the same content. */
export function hash(value: unknown): string {
	return createHash('sha256').update(canonicalJson(value)).digest('hex').slice(0, 32);
}

/** JSON with sorted keys, so that the order in which a payload and a record list their fields does not matter. */
function canonicalJson(value: unknown): string {
	return JSON.stringify(value, (_key, part: unknown) =>
		typeof part === 'object' && part !== null && !Array.isArray(part)
			? Object.fromEntries(Object.entries(part).sort(([one], [other]) => (one < other ? -1 : 1)))
			: part,
	);
}
