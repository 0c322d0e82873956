import type { IDataObject } from 'n8n-workflow';

import type { ApiClient } from '../shared/transport/apiClient';

/** Identifies the account of a poll. */
export interface AccountIdentity {
	/** Base URL and n8n's ID of the credential, because an agency has several accounts at one URL. */
	accountName: string;
	/** Hash of the API key. */
	key: string;
}

/** Account of a poll, and the client that reads it. */
export interface PolledAccount extends AccountIdentity {
	client: ApiClient;
}

/** The account at one point in time. Parts whose events aren't selected are left out. */
export interface AccountSnapshot extends AccountIdentity {
	/** Exchanges by ID. Where only alerts are watched, they are read when there is a new one, which may belong to one of them. */
	exchanges?: Map<string, IDataObject>;
	alerts?: IDataObject[];
	/** The credit balance. */
	credits?: IDataObject;
}

/** Something that has happened in the account. */
export interface DetectedEvent {
	event: string;
	/** The record as received. */
	data: IDataObject;
	/** Epoch seconds of the event, or of what came right before it in the same exchange; 0 where the record shows neither. */
	time: number;
	/** 2 for the second time that the key of the event would be the same, and so on. */
	occurrence: number;
}

/**
 * What is remembered of an alert, as `<content>[#<id>|@<seconds>][?|??]`:
 * - a hash of exchange, severity, type and detail; alerts of the same content are numbered;
 * - what makes it another alert than one of the same content: a hash of ID and severity, or else its time;
 * - without both, a question mark for each poll in a row that has not listed it; after two it is gone.
 */
export type KnownAlert = string;

/** What is remembered of an exchange; times in epoch seconds. */
export interface KnownExchange {
	/** How far it has come: the index of its state in the order of the life cycle; -1 before it is listed. */
	stage: number;
	/** How often it was published with the time of publication that it has. */
	publishCount: number;
	acceptedAt?: number;
	publishedAt?: number;
	/**
	 * What the last poll alone has shown: a broken link that is live, which may come from an old list, or that the exchange is
	 * not listed.
	 */
	pendingObservation?: 'live' | 'missing';
}

/** Events that start an execution together, and how often they have done so. Times are by `steadyNow`. */
export interface PendingExecution {
	items: IDataObject[];
	attempts: number;
	/** When the events were found, or their last execution was started. */
	lastStartedAt: number;
	/** When the first one was started. */
	firstStartedAt?: number;
}

/** What a trigger remembers of the account. A part is left out while its events are not watched. */
export interface KnownState extends Partial<AccountIdentity> {
	exchanges?: Record<string, KnownExchange>;
	alerts?: KnownAlert[];
	credits?: 'low' | 'enough';
}

export interface TriggerState extends KnownState {
	/** Executions that wait for their head start, or have failed. */
	pendingExecutions: PendingExecution[];
}
