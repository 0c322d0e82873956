import type { IDataObject } from 'n8n-workflow';

import type { Alert } from '../api/alert';
import type { Exchange } from '../api/exchange';

/** Parts of the account that polls read. */
export type SourceName = 'alerts' | 'credits' | 'exchanges';

/** Stages of the life cycle of an exchange, in their order. */
export const stages = ['requested', 'accepted', 'published', 'broken'] as const;

export type Stage = (typeof stages)[number];

/** The balance, and the threshold below which it's low. */
export interface Credits {
	balance: number;
	threshold: number;
	/** When a poll read it, in epoch seconds. */
	readAt: number;
}

/** The data of an event: a delivery, or a change that a poll has found. */
export interface EventData {
	/** Payload or record as received. */
	record: IDataObject;
	/** The exchange that it's about. */
	exchange?: Exchange;
	/** The stage that the exchange has reached. */
	stage?: Stage;
	alert?: Alert;
	credits?: Credits;
	/** 2 for the second event with the same key, and so on. */
	count?: number;
	/** Epoch seconds by which a poll sorts its events. Those without it come last. */
	sortTime?: number;
}

/** A kind of event: everything that both triggers know about it. */
export interface EventType {
	/** As the service calls it (service-api.md, "Events"), or as it would. */
	name: string;
	label: string;
	description: string;
	/** Whether it's selected in a new node. */
	isDefault: boolean;
	/** Rank in a digest; the smallest is the most urgent. */
	urgency: number;
	/** Words after the number of events in the title of a digest. */
	digestLabel: { singular: string; plural?: string; isCounted?: boolean };
	/** The part of the account whose changes are such events. */
	source: SourceName;
	/** The stage that an exchange has reached then. */
	stage?: Stage;
	/**
	 * Fields of a payload without the name of its event: the ID, and any of the others. Without it,
	 * the service doesn't send the event to webhooks.
	 */
	payload?: { id: string; others: string[] };
	/** Whether the event is of no use to the user. */
	isIgnored?(data: EventData): boolean;
	/** Returns epoch seconds, or `undefined` if the record shows no time. */
	getTime(data: EventData): number | undefined;
	/** Returns what distinguishes it from others of its kind; an ID first, if there is one. */
	getKeyParts(data: EventData): Array<number | string | undefined>;
	formatTitle(data: EventData): string;
	formatMessage(data: EventData, timeZone: string): string;
}

export interface AccountEvent {
	type: EventType;
	data: EventData;
}
