import type { IDataObject, INodeProperties } from 'n8n-workflow';

import { hash, isId, toComparable } from '../utils/ids';
import { firstTimestamp, parseEpochSeconds } from '../utils/time';

interface EventDescription {
	/** The name that the editor shows. */
	name: string;
	/** What the subtitle of a trigger says on the canvas. */
	subtitle: string;
	description: string;
	/** The field of payload and record that has the time of the event. */
	timeField?: string;
	/** Whether the service sends it to a webhook (service-api.md, "Events"); other events are found by polling alone. */
	hasWebhook: boolean;
	/** Whether a user has to select it, because it takes a setting or a request of its own. */
	optIn?: true;
}

/** Every event that the triggers know, in the order in which the editor shows them. */
export const events: Record<string, EventDescription> = {
	'credits.low': {
		name: 'Credits Low',
		subtitle: 'credits low',
		description: 'The credit balance fell below the number of credits that you enter',
		hasWebhook: false,
		optIn: true,
	},
	'exchange.accepted': {
		name: 'Exchange Accepted',
		subtitle: 'offer accepted',
		description: 'An exchange offer was accepted',
		timeField: 'accepted_at',
		hasWebhook: true,
	},
	'exchange.broken': {
		name: 'Exchange Broken',
		subtitle: 'link broken',
		description: 'The link of an exchange is no longer live',
		// The time of the break itself is not documented; that of the publication distinguishes one break from the next.
		timeField: 'published_at',
		hasWebhook: false,
	},
	'exchange.published': {
		name: 'Exchange Published',
		subtitle: 'link published',
		description: 'The link of an exchange went live',
		timeField: 'published_at',
		hasWebhook: true,
	},
	'exchange.requested': {
		name: 'Exchange Requested',
		subtitle: 'new offer',
		description: 'An exchange was offered',
		hasWebhook: true,
	},
	'watchdog.alert': {
		name: 'Watchdog Alert',
		subtitle: 'new alert',
		description: 'The watchdog raised an alert about a link',
		hasWebhook: true,
	},
};

const subtitles = Object.fromEntries(
	Object.entries(events).map(([event, { subtitle }]) => [event, subtitle]),
);

/** The subtitle of both triggers, an expression of n8n: the selected events in words, such as "New alert, link broken". */
export const eventsSubtitle = `={{ $parameter["events"].map((event) => (${JSON.stringify(subtitles)})[event]).join(", ").replace(/^./, (letter) => letter.toUpperCase()) }}`;

/** Whether the service pushes events of this name. */
export function isServiceEvent(name: unknown): boolean {
	return typeof name === 'string' && getEventDescription(name)?.hasWebhook === true;
}

/** The field "Trigger On": the events that reach the trigger; those that take a setting or a request of their own are not selected from the start. */
export function eventsField(source: 'webhook' | 'polling'): INodeProperties {
	const availableEvents = Object.entries(events).filter(
		([, { hasWebhook }]) => hasWebhook || source === 'polling',
	);
	return {
		displayName: 'Trigger On',
		name: 'events',
		type: 'multiOptions',
		required: true,
		description: 'Events that start the workflow',
		// n8n's lint sees a list only where it is written as one.
		default: [...availableEvents.filter(([, { optIn }]) => !optIn).map(([value]) => value)],
		options: availableEvents.map(([value, event]) => ({
			name: event.name,
			value,
			description: event.description,
		})),
	};
}

/**
 * A key that is the same for the same event, whether it is made from the webhook's payload or from the record that polling
 * reads. It is the name of the event, followed
 * - for events of an exchange by the exchange's ID, and for accepted, published and broken by the documented time of the
 *   transition in epoch seconds, if it is there;
 * - for alerts by the exchange's ID and a hash of severity, type and detail;
 * - for `credits.low` by all credits ever spent, because the balance falls again only by further spending;
 * - for an event that is not documented, or lacks that ID, by a hash of everything it carries.
 * @param occurrence how many times polling has seen the same transition with the same documented time, or an alert that
 * reads the same; the key of the second one ends in #2
 */
export function eventKey(event: string, data: IDataObject, occurrence = 1): string {
	const key = [event, ...getEventKeyParts(event, data)].join(':');
	return occurrence > 1 ? `${key}#${occurrence}` : key;
}

/** Fields that may show when an alert came up; none of them is documented (service-api.md, "Watchdog event"). */
export const alertTimes = ['created_at', 'detected_at', 'occurred_at'];

/** Fields that may show when an exchange was offered; none of them is documented (service-api.md, "Exchange"). */
export const offerTimes = ['requested_at', 'created_at'];

/** When an alert came up, in epoch seconds, where the record shows it. */
export function getAlertTime(alert: IDataObject): number | undefined {
	return firstTimestamp(alert, alertTimes);
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
