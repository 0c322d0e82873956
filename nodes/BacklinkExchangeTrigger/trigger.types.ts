import type { IDataObject } from 'n8n-workflow';

import type { OwnSites } from '../shared/sites/ownSites';
import type { ApiClient } from '../shared/transport/apiClient';

/** Identity of the account that a poll reads. */
export interface AccountIdentity {
	/** Base URL and n8n's ID of the credential, because an agency has several accounts at one URL. */
	accountName: string;
	/** Hash that identifies the API key without revealing it. */
	key: string;
}

/** Account that a poll reads, and the client for it. */
export interface PolledAccount extends AccountIdentity {
	client: ApiClient;
}

/** Snapshot of an account. Parts whose events aren't selected are left out. */
export interface AccountSnapshot extends AccountIdentity {
	/** By ID. If only alerts are selected, fetched when there is a new one, to add its exchange. */
	exchanges?: Map<string, IDataObject>;
	/** The account's sites, which show the direction of its exchanges. Fetched with these. */
	ownSites?: OwnSites;
	alerts?: IDataObject[];
	/** Balance, with its figures as numbers. */
	credits?: IDataObject;
}

/** Event that a diff has found. */
export interface DetectedEvent {
	event: string;
	/** Record as received. */
	data: IDataObject;
	/** Epoch seconds of the event, otherwise of the exchange's previous event, otherwise 0. */
	time: number;
	/** 2 for the second event with the same key, and so on. */
	occurrence: number;
}

/**
 * Known alert, as `<content>[#<id>|@<seconds>][?|??]`:
 * - a hash of exchange, severity, type and detail; alerts with the same content are numbered;
 * - what distinguishes alerts with the same content: a hash of ID and severity, otherwise the time;
 * - without both, a question mark for each poll in a row that hasn't listed it; after two it's
 *   gone.
 */
export type KnownAlert = string;

/** Known exchange. Times are in epoch seconds. */
export interface KnownExchange {
	/** Index of its status in the order of the life cycle; -1 while it has only been closed. */
	stage: number;
	/** Number of times that the link was published with this `publishedAt`. */
	publishCount: number;
	acceptedAt?: number;
	publishedAt?: number;
	/** Seen in the last poll only: a broken link is live (possibly a stale read), or isn't listed. */
	pendingObservation?: 'live' | 'missing';
}

/** State to compare the next snapshot with. Parts whose events aren't selected are left out. */
export interface KnownState extends Partial<AccountIdentity> {
	exchanges?: Record<string, KnownExchange>;
	alerts?: KnownAlert[];
	credits?: 'low' | 'enough';
}
