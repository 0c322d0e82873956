import type { IDataObject, INodeProperties } from 'n8n-workflow';

import { hash, isId, toComparable } from '../utils/ids';
import { firstTimestamp, parseEpochSeconds } from '../utils/time';

interface EventDescription {
	name: string;
	description: string;
	/** Field of the payload and of the record that contains the time of the event. */
	timeField?: string;
	/**
	 * Whether the service sends it to a webhook (service-api.md, "Events"). Other events are only
	 * found by polling.
	 */
	hasWebhook: boolean;
	/**
	 * Not selected by default, because it needs a parameter or a request of its own, or because saved
	 * workflows with the default selection must not start for it.
	 */
	optIn?: true;
}

/** All events, in the order in which the editor shows them. */
export const events: Record<string, EventDescription> = {
	'exchange.broken': {
		name: 'Link Broken',
		description: 'The link of an exchange is no longer live',
		// The time of the break isn't documented. The time of publication distinguishes one break from
		// the next.
		timeField: 'published_at',
		hasWebhook: false,
	},
	'exchange.published': {
		name: 'Link Published',
		description: 'The link of an exchange went live',
		timeField: 'published_at',
		hasWebhook: true,
	},
	'credits.low': {
		name: 'Low Credits',
		description: 'The credit balance fell below the threshold that you enter',
		hasWebhook: false,
		optIn: true,
	},
	'watchdog.alert': {
		name: 'New Alert',
		description: 'The watchdog raised an alert about a link',
		hasWebhook: true,
	},
	'exchange.requested': {
		name: 'New Offer',
		description: 'A partner made you an offer',
		hasWebhook: true,
	},
	'exchange.accepted': {
		name: 'Offer Accepted',
		description: 'An offer was accepted, by you or by a partner',
		timeField: 'accepted_at',
		hasWebhook: true,
	},
};

const eventNames = Object.fromEntries(
	Object.entries(events).map(([event, { name }]) => [event, name]),
);

/**
 * Subtitle of both triggers: an n8n expression that lists the selected events, for example "New
 * Alert, Link Broken".
 */
export const eventsSubtitle = `={{ $parameter["events"].map((event) => (${JSON.stringify(eventNames)})[event]).join(", ") }}`;

/** Returns whether the service sends an event with this name to webhooks. */
export function isServiceEvent(name: unknown): boolean {
	return typeof name === 'string' && getEventDescription(name)?.hasWebhook === true;
}

/** Builds the field "Trigger On" with the events of a source. */
export function eventsField(source: 'webhook' | 'polling'): INodeProperties {
	const availableEvents = Object.entries(events).filter(
		([, { hasWebhook }]) => hasWebhook || source === 'polling',
	);
	return {
		displayName: 'Trigger On',
		name: 'events',
		type: 'multiOptions',
		required: true,
		// n8n's lint rule recognizes only an array literal.
		default: [...availableEvents.filter(([, { optIn }]) => !optIn).map(([value]) => value)],
		options: availableEvents.map(([value, event]) => ({
			name: event.name,
			value,
			description: event.description,
		})),
	};
}

/**
 * Returns the deduplication key of an event; the same for webhook and polling.
 *
 * The event's name, followed by
 * - for exchange events: the exchange's ID; for accepted, published and broken also the documented
 *   time of the transition in epoch seconds, if present;
 * - for alerts: the exchange's ID and a hash of severity, type and detail;
 * - for `credits.low`: all credits ever spent, because the balance falls again only by further
 *   spending;
 * - for an event that isn't documented or lacks that ID: a hash of all its data.
 *
 * @param occurrence how many times polling has seen the same transition with the same documented
 * time, or an alert with the same content; the second key ends in #2
 */
export function eventKey(event: string, data: IDataObject, occurrence = 1): string {
	const key = [event, ...getEventKeyParts(event, data)].join(':');
	return occurrence > 1 ? `${key}#${occurrence}` : key;
}

/**
 * Fields that may show when an alert was raised; none is documented (service-api.md, "Watchdog
 * event").
 */
export const alertTimes = ['created_at', 'detected_at', 'occurred_at'];

/**
 * Fields that may show when an exchange was offered; none is documented (service-api.md,
 * "Exchange").
 */
export const offerTimes = ['requested_at', 'created_at'];

/**
 * Parses the time of an alert.
 *
 * @returns epoch seconds, or `undefined` if the record shows no time
 */
export function getAlertTime(alert: IDataObject): number | undefined {
	return firstTimestamp(alert, alertTimes);
}

/**
 * Parses the time of an event. The time at which a link broke or credits were low isn't known.
 *
 * @returns epoch seconds, or `undefined` if the record shows no time
 */
export function getEventTime(event: string, data: IDataObject): number | undefined {
	const fields: Record<string, string[]> = {
		'exchange.requested': offerTimes,
		'exchange.accepted': ['accepted_at'],
		'exchange.published': ['published_at'],
		'watchdog.alert': alertTimes,
	};
	return firstTimestamp(data, fields[event] ?? []);
}

function getEventKeyParts(event: string, data: IDataObject): Array<string | number> {
	const {
		id,
		exchange_id: exchangeId,
		severity,
		type,
		detail,
		lifetime_spent: lifetimeSpent,
	} = data;
	if (event === 'watchdog.alert' && isId(exchangeId)) {
		return [exchangeId, hash([severity, type, detail].map(toComparable))];
	}
	if (event === 'credits.low' && isId(lifetimeSpent)) return [lifetimeSpent];
	const description = getEventDescription(event);
	if (description === undefined || !isId(id)) return [hash(data)];
	const { timeField = '' } = description;
	const time = parseEpochSeconds(data[timeField]);
	return time === undefined ? [id] : [id, time];
}

function getEventDescription(name: string): EventDescription | undefined {
	return Object.hasOwn(events, name) ? events[name] : undefined;
}
