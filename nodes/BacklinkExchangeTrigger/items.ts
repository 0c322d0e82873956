import type { IDataObject } from 'n8n-workflow';

import { Exchange } from '../shared/api/exchange';
import { eventToItem } from '../shared/descriptions/eventItem';
import { events } from '../shared/descriptions/events';
import { digest, type DigestLabel, groupByLabel } from '../shared/formatting/digest';
import { toComparable } from '../shared/utils/ids';
import type { PollingParameters } from './parameters';
import type { AccountSnapshot, DetectedEvent } from './trigger.types';

/** Labels of events in the title of a digest, the most urgent first. */
const digestLabels: DigestLabel[] = [
	{ value: 'watchdog.alert', singular: 'new alert', plural: 'new alerts' },
	{ value: 'exchange.broken', singular: 'link broken', plural: 'links broken' },
	{ value: 'credits.low', singular: 'low credits', isCounted: false },
	{ value: 'exchange.requested', singular: 'new offer', plural: 'new offers' },
	{ value: 'exchange.published', singular: 'link published', plural: 'links published' },
	{ value: 'exchange.accepted', singular: 'offer accepted', plural: 'offers accepted' },
];

export function detectedEventToItem(
	detectedEvent: DetectedEvent,
	snapshot: AccountSnapshot,
	{ lowCreditThreshold, includesRecord }: PollingParameters,
	timeZone: string,
): IDataObject {
	const { event, data, occurrence } = detectedEvent;
	const exchange = findAlertExchange(detectedEvent, snapshot);
	const { ownSites } = snapshot;
	const ends =
		ownSites && event !== 'credits.low' ? Exchange.parse([exchange ?? data], ownSites) : undefined;
	return eventToItem(event, data, {
		exchange,
		ends,
		occurrence,
		lowCreditThreshold,
		timeZone,
		includesRecord,
	});
}

/** Returns the exchange that an alert is about, if it was fetched. */
export function findAlertExchange(
	{ event, data }: DetectedEvent,
	{ exchanges }: AccountSnapshot,
): IDataObject | undefined {
	const id = toComparable(data.exchange_id);
	return event === 'watchdog.alert' && typeof id === 'string' ? exchanges?.get(id) : undefined;
}

export function createDigest(items: IDataObject[]): IDataObject[] {
	return digest(groupByLabel('event', items, digestLabels));
}

/**
 * Builds the item of a test that found no event: it describes what would cause one.
 *
 * It isn't an error, because nothing is wrong. It has no `event`, so that no node takes it for an
 * event.
 */
export function createNoEventItem(
	{ credits }: AccountSnapshot,
	{ events: selectedEvents, lowCreditThreshold }: PollingParameters,
): IDataObject {
	const reasons = selectedEvents.map((event) => {
		const { name = event, description = '' } = events[event] ?? {};
		const balance = `your balance is ${Number(credits?.balance)}, and the threshold is ${lowCreditThreshold}`;
		const cause = description.charAt(0).toLowerCase() + description.slice(1);
		return `${name} (${event === 'credits.low' ? balance : cause})`;
	});
	return {
		message: `No matching event yet. You get one for: ${reasons.join('; ')}. You can publish the workflow now, and it starts with the next event.`,
		title: 'No matching event yet',
	};
}
