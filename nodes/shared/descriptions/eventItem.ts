import type { IDataObject } from 'n8n-workflow';

import type { Exchange } from '../api/exchange';
import { formatCell, formatSiteCell } from '../formatting/cells';
import { eventMessage, eventTitle } from '../formatting/eventMessage';
import { getPageUrl } from '../formatting/pageUrl';
import { isId } from '../utils/ids';
import { eventKey, getEventTime } from './events';

interface EventItemContext {
	/** Record of an alert's exchange, if it is known. */
	exchange?: IDataObject;
	/** The two sites, if the account's sites are known. */
	ends?: Exchange;
	/** 2 for the second event with the same key, and so on. */
	occurrence?: number;
	lowCreditThreshold?: number;
	/** Of the workflow. */
	timeZone: string;
	includesRecord: boolean;
	/** Fields of a delivery. */
	delivery?: { receivedAt: string; deliveryId: string | undefined };
}

/**
 * Builds the item of an event, for both triggers: the fields in the order in which the editor shows
 * them, without unknown ones.
 *
 * Without `ends`, `from_site` counts as the partner, because most offers come from partners.
 */
export function eventToItem(
	event: string,
	data: IDataObject,
	context: EventItemContext,
): IDataObject {
	const { exchange, ends, occurrence, includesRecord, delivery } = context;
	const isAlert = event === 'watchdog.alert';
	const record = exchange ?? data;
	const id = isAlert ? data.exchange_id : event.startsWith('exchange.') ? data.id : undefined;
	const seconds = getEventTime(event, data);
	const fields = {
		message: eventMessage(event, data, { ...context, alertTime: seconds }),
		title: eventTitle(event, data, exchange),
		event,
		exchangeId: isId(id) ? String(id) : undefined,
		// An alert alone doesn't show it.
		direction: isAlert && exchange === undefined ? undefined : ends?.direction,
		partner: ends === undefined ? formatSiteCell(record.from_site) : ends.partner.label,
		site: ends === undefined ? formatSiteCell(record.to_site) : ends.site.label,
		anchor: formatCell(record.anchor),
		...(isAlert && {
			severity: formatCell(data.severity),
			type: formatCell(data.type),
			detail: formatCell(data.detail),
		}),
		balance: event === 'credits.low' ? Number(data.balance) : undefined,
		occurredAt: seconds === undefined ? undefined : new Date(seconds * 1000).toISOString(),
		link: getPageUrl(data, exchange),
		eventKey: eventKey(event, data, occurrence),
		...delivery,
		record: includesRecord ? data : undefined,
	};
	return Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== undefined));
}
