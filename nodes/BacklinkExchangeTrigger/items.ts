import type { IDataObject } from 'n8n-workflow';

import { eventKey } from '../shared/fields/events';
import { eventMessage } from '../shared/words/eventMessage';
import { linkOf } from '../shared/words/pageAddress';
import type { PollingSettings } from './settings';
import type { Change } from './transitions';

/**
 * What the workflow gets for an event.
 * @param exchange of an alert: the record of its exchange, where that was read
 */
export function toItem(
	{ event, data, occurrence, publishedAt }: Change,
	exchange: IDataObject | undefined,
	{ creditsLowBelow }: PollingSettings,
): IDataObject {
	const link = linkOf(data, exchange);
	const dated = publishedAt === undefined ? data : { ...data, published_at: publishedAt };
	const low = `Credits are low: ${Number(data.balance)} left, below ${creditsLowBelow}`;
	return {
		event,
		message: event === 'credits.low' ? low : eventMessage(event, data, exchange),
		...(link !== undefined && { link }),
		eventKey: eventKey(event, dated, occurrence),
		data,
		...(exchange && { exchange }),
		source: 'poll',
	};
}

/** What the workflow gets for all events of a poll together. */
export function digestOf(items: IDataObject[]): IDataObject {
	const messages = items.map(({ message }) => String(message));
	return { count: items.length, message: messages.join('\n'), events: items, source: 'poll' };
}
