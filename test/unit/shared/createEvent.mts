/** Creates events from records, as sources and deliveries do. */
import type { IDataObject } from 'n8n-workflow';

import { parseAlert } from '../../../nodes/shared/api/alert.ts';
import { Exchange } from '../../../nodes/shared/api/exchange.ts';
import type { AccountEvent } from '../../../nodes/shared/events/event.types.ts';
import { formatEventMessage, formatEventTitle } from '../../../nodes/shared/events/eventItem.ts';
import { events, getEventKey } from '../../../nodes/shared/events/events.ts';
import type { OwnSites } from '../../../nodes/shared/sites/ownSites.ts';

/** Epoch seconds of polls. */
export const readAt = 1_782_907_200;

interface Context {
	/** Record of an alert's exchange. */
	exchange?: IDataObject;
	ownSites?: OwnSites;
	occurrence?: number;
}

export function createEvent(
	name: string,
	record: IDataObject,
	{ exchange, ownSites, occurrence }: Context = {},
): AccountEvent {
	const type = events.find((each) => each.name === name);
	if (type === undefined) throw new Error(`No event ${name}`);
	const data =
		{
			'watchdog.alert': () => ({
				alert: parseAlert(record),
				exchange: Exchange.parse(
					[exchange ?? { ...record, id: record.exchange_id }],
					ownSites,
				).withPayload(record),
			}),
			'credits.low': () => ({
				credits: { balance: Number(record.balance), threshold: 50, readAt },
			}),
		}[name] ?? (() => ({ exchange: Exchange.parse([record], ownSites) }));
	return { type, data: { record, count: occurrence, ...data() } };
}

export function eventKey(name: string, record: IDataObject, occurrence?: number): string {
	return getEventKey(createEvent(name, record, { occurrence }));
}

export function eventMessage(name: string, record: IDataObject, context?: Context): string {
	return formatEventMessage(createEvent(name, record, context));
}

export function eventTitle(name: string, record: IDataObject, exchange?: IDataObject): string {
	return formatEventTitle(createEvent(name, record, { exchange }));
}
