/**
 * The things that the sandbox keeps, in the words of service-api.md.
 * Times are milliseconds since 1970 (UTC) in here; how they look on the wire is the dialect's business.
 */
import { createHash } from 'node:crypto';

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

export const verificationOutcomes = ['verified', 'rejected'] as const;
export type VerificationOutcome = (typeof verificationOutcomes)[number];

export interface Site {
	id: string;
	url: string;
	niche: string;
	/** The domain rating, 0 to 100. */
	dr: number;
	verified: boolean;
	createdAt: number;
}

/** The ID of a site, a partner's too, which follows from its URL, so that an exchange can name a site that this account does not own. */
export function siteIdOf(url: string): string {
	return `site_${createHash('sha256').update(url).digest('hex').slice(0, 12)}`;
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

export interface Webhook {
	url: string;
	secret: string;
}
