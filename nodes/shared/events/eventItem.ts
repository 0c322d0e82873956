import type { IDataObject } from 'n8n-workflow';

import { digest, groupByLabel } from '../formatting/digest';
import { joinWords, sanitizeTitle } from '../formatting/message';
import { getText } from '../utils/ids';
import type { AccountEvent } from './event.types';
import { events, getEventKey } from './events';
import { getLookupAdvice } from './sentences';

interface EventItemContext {
	/** Of the workflow. */
	timeZone: string;
	includesRecord: boolean;
	/** Fields of a delivery. */
	delivery?: { receivedAt: string; deliveryId: string | undefined };
}

/**
 * Builds the item of an event, for both triggers: the fields in the order in which the editor shows
 * them, without unknown ones.
 */
export function eventToItem(
	event: AccountEvent,
	{ timeZone, includesRecord, delivery }: EventItemContext,
): IDataObject {
	const { type, data } = event;
	const { exchange, alert, credits } = data;
	const seconds = type.getTime(data);
	const fields = {
		message: formatEventMessage(event, timeZone),
		title: formatEventTitle(event),
		event: type.name,
		exchangeId: exchange?.id,
		direction: exchange?.direction,
		partner: exchange?.partner.label,
		site: exchange?.site.label,
		anchor: getText(exchange?.anchor),
		severity: alert?.severity,
		type: alert?.type,
		detail: alert?.detail,
		balance: credits?.balance,
		occurredAt: seconds === undefined ? undefined : new Date(seconds * 1000).toISOString(),
		link: exchange?.pageUrl,
		eventKey: getEventKey(event),
		...delivery,
		record: includesRecord ? data.record : undefined,
	};
	return Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== undefined));
}

/**
 * Formats an event for Slack, an email or a spreadsheet: a headline, what happened, and what to do.
 * It contains the full URL of the page if it is known, and the ID only if nothing else identifies
 * the exchange: `New alert (critical, link removed): the link from
 * https://kettle-review.example/tea to tea.example with the anchor “green tea” is gone. Ask
 * kettle-review.example to restore it.`
 */
export function formatEventMessage({ type, data }: AccountEvent, timeZone = 'UTC'): string {
	return joinWords(type.formatMessage(data, timeZone), getLookupAdvice(data));
}

/**
 * Formats an event for the subject of an email, or a heading, with at most 80 characters:
 * `New alert (critical, link removed): kettle-review.example/tea`.
 */
export function formatEventTitle({ type, data }: AccountEvent): string {
	return sanitizeTitle(type.formatTitle(data));
}

/** Labels of events in the title of a digest, the most urgent first. */
const digestLabels = [...events]
	.sort((one, other) => one.urgency - other.urgency)
	.map(({ name, digestLabel }) => ({ value: name, ...digestLabel }));

export function createEventDigest(items: IDataObject[]): IDataObject[] {
	return digest(groupByLabel('event', items, digestLabels));
}
