import type { IDataObject } from 'n8n-workflow';

import { parseAlert } from '../api/alert';
import { Exchange } from '../api/exchange';
import { hash } from '../utils/ids';
import type { AccountEvent, EventData, EventType, SourceName } from './event.types';
import { linkBroken } from './linkBroken';
import { linkPublished } from './linkPublished';
import { lowCredits } from './lowCredits';
import { newAlert } from './newAlert';
import { newOffer } from './newOffer';
import { offerAccepted } from './offerAccepted';

/** All events. A poll emits those of the same time in this order. */
export const events: readonly EventType[] = [
	newOffer,
	offerAccepted,
	linkPublished,
	linkBroken,
	newAlert,
	lowCredits,
];

/** Returns the event that the service sends under this name, if there is one. */
export function findWebhookEvent(name: unknown): EventType | undefined {
	return events.find((event) => event.payload && event.name === name);
}

/**
 * Returns the event of a payload by its fields; a field that is null or empty counts as missing.
 * The latest in the life cycle counts, because a payload may repeat the fields of earlier ones.
 */
export function recognizeEvent(record: IDataObject): EventType | undefined {
	const has = (field: string) => (record[field] ?? '') !== '';
	return events
		.filter(({ payload }) => payload && has(payload.id) && payload.others.some(has))
		.at(-1);
}

/** Returns what a payload, or the record of an alert, shows of an event. */
export function toEventData(record: IDataObject, source: SourceName): EventData {
	if (source !== 'alerts') return { record, exchange: Exchange.parse([record]) };
	const alert = parseAlert(record);
	// An alert may show its exchange, too.
	return { record, alert, exchange: Exchange.parse([{ ...record, id: alert.exchangeId }]) };
}

/**
 * Returns the deduplication key of an event; the same for webhook and polling: its name, what
 * distinguishes it from others of its kind (without an ID, a hash of all its data), and its number
 * if it's not the first with this key.
 */
export function getEventKey({ type, data }: AccountEvent): string {
	const [id = hash(data.record), ...others] = type.getKeyParts(data);
	const key = [type.name, id, ...others.filter((part) => part !== undefined)].join(':');
	const { count = 1 } = data;
	return count > 1 ? `${key}#${count}` : key;
}
