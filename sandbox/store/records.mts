/**
 * The things that the sandbox keeps, in the words of service-api.md.
 * Times are milliseconds since 1970 (UTC) in here; how they look on the wire is the dialect's business.
 */
export const exchangeStatuses = ['pending', 'accepted', 'live', 'broken'] as const;
export type ExchangeStatus = (typeof exchangeStatuses)[number];

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
	/** The domain rating, 0 to 100. */
	dr: number;
	createdAt: number;
	/** When it passes verification; undefined: never. */
	verifiedAt: number | undefined;
}

export interface Exchange {
	id: string;
	/** URL of the partner's site, which makes the offer. */
	fromSite: string;
	/** URL of the user's site. */
	toSite: string;
	anchor: string;
	status: ExchangeStatus;
	/** Credits that accepting deducts. Never on the wire, because the document names no such field. */
	cost: number;
	createdAt: number;
	acceptedAt: number | undefined;
	liveUrl: string | undefined;
	publishedAt: number | undefined;
}

export interface LedgerEntry {
	id: number;
	/** Credits: positive when earned, negative when spent, never zero. */
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
	/** The exact bytes that are sent (as UTF-8), the same at every attempt. */
	body: string;
	/** What became of it; with `no webhook`, there was no URL to send it to when it happened. */
	state: 'waiting' | 'delivered' | 'given up' | 'no webhook';
	attempts: number;
	nextAttemptAt: number | undefined;
	createdAt: number;
}

export interface Attempt {
	deliveryId: number;
	startedAt: number;
	milliseconds: number;
	/** HTTP status of the answer; undefined when there was none. */
	status: number | undefined;
	/** The beginning of the answer's body. */
	answer: string | undefined;
	/** Why there was no answer. */
	error: string | undefined;
}

/** A request of the API that was answered or cut. */
export interface BookedRequest {
	id: number;
	receivedAt: number;
	/** The API key's number; undefined when the request had no valid one. */
	keyId: number | undefined;
	method: string;
	/** The path as it was sent, with the query. */
	path: string;
	/** The endpoint, such as `POST /api/exchanges/:id/accept`; undefined for an unknown path. */
	endpoint: string | undefined;
	exchangeId: string | undefined;
	/** The status of the answer; undefined when the connection was cut. */
	status: number | undefined;
	/** The fault that was applied. */
	fault: string | undefined;
	/** How many requests were under way when this one came in, itself included. */
	inFlight: number;
}
