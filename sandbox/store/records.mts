/**
 * Stored records, with the terms of service-api.md.
 *
 * All times are in milliseconds since 1970 (UTC). The dialect sets their format in responses.
 */
export const exchangeStatuses = ['pending', 'accepted', 'live', 'broken'] as const;
export type ExchangeStatus = (typeof exchangeStatuses)[number];

/** `incoming`: a partner made the offer; `outgoing`: the user made it to a partner. */
export type Direction = 'incoming' | 'outgoing';

export const eventNames = [
	'exchange.requested',
	'exchange.accepted',
	'exchange.published',
	'watchdog.alert',
] as const;
export type EventName = (typeof eventNames)[number];

export const plans = ['pro', 'agency', 'none'] as const;
/** `none` is a plan without API access. */
export type Plan = (typeof plans)[number];

export interface Site {
	id: string;
	url: string;
	niche: string;
	/** Domain rating, 0 to 100. */
	dr: number;
	createdAt: number;
	/** Time of the verification; `undefined`: never. */
	verifiedAt: number | undefined;
}

export interface Exchange {
	id: string;
	/** service-api.md has no such field, so no response contains it. */
	direction: Direction;
	/** URL of the site that makes the offer: the partner's if incoming, the user's if outgoing. */
	fromSite: string;
	/** URL of the other site. */
	toSite: string;
	anchor: string;
	/**
	 * One of `exchangeStatuses`, in any letter case. Any other text closes the exchange; while it is
	 * empty, responses leave the field out.
	 */
	status: string;
	/**
	 * Credits that accepting costs, in steps of a half; 0 if outgoing.
	 *
	 * service-api.md has no such field, so no response contains it.
	 */
	cost: number;
	createdAt: number;
	acceptedAt: number | undefined;
	liveUrl: string | undefined;
	publishedAt: number | undefined;
}

export interface LedgerEntry {
	id: number;
	/** Positive for credits earned, negative for credits spent, never zero. */
	amount: number;
	kind: 'opening' | 'exchange_accepted' | 'adjustment';
	exchangeId: string | undefined;
	createdAt: number;
}

export interface Balance {
	balance: number;
	lifetimeEarned: number;
	lifetimeSpent: number;
}

export interface WatchdogEvent {
	id: string;
	exchangeId: string;
	severity: string;
	type: string;
	detail: string;
	createdAt: number;
}

export interface ApiKey {
	id: number;
	name: string;
	key: string;
	createdAt: number;
	revokedAt: number | undefined;
}

export interface Delivery {
	id: number;
	event: EventName;
	exchangeId: string;
	/** The exact text that is sent, the same in every attempt. */
	body: string;
	/** `no webhook`: there was no URL when the event happened. */
	state: 'waiting' | 'delivered' | 'given up' | 'no webhook';
	attempts: number;
	nextAttemptAt: number | undefined;
	createdAt: number;
}

export interface Attempt {
	deliveryId: number;
	startedAt: number;
	milliseconds: number;
	/** `undefined` if there was no response. */
	status: number | undefined;
	/** Beginning of the response body. */
	answer: string | undefined;
	/** Why there was no response. */
	error: string | undefined;
}

/** An email that was sent to the mail server of the sandbox. */
export interface Mail {
	id: number;
	receivedAt: number;
	sender: string;
	recipients: string;
	subject: string;
	text: string | undefined;
	html: string | undefined;
}

/** An API request that was answered or cut. */
export interface BookedRequest {
	id: number;
	receivedAt: number;
	/** `undefined` if the request had no known key. */
	keyId: number | undefined;
	method: string;
	/** Path and query as they were sent. */
	path: string;
	/** For example `POST /api/exchanges/:id/accept`; `undefined` for an unknown path. */
	endpoint: string | undefined;
	exchangeId: string | undefined;
	/** `undefined` if the connection was cut. */
	status: number | undefined;
	/** Kind of the fault that was applied. */
	fault: string | undefined;
	/** Number of requests in flight when this one arrived, including itself. */
	inFlight: number;
}
