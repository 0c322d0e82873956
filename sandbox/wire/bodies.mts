/** How the service's records look in a JSON body, in the dialect that is set. */
import type { Dialect } from '../dialects.mts';
import type { Balance, Exchange, LedgerEntry, Site, WatchdogEvent } from '../store/records.mts';
import type { FormOf } from './variants.mts';

export type Json = Record<string, unknown>;

export function siteBody(site: Site): Json {
	return {
		id: site.id,
		url: site.url,
		niche: site.niche,
		dr: site.dr,
		verified: site.verified,
		created_at: new Date(site.createdAt).toISOString(),
	};
}

export function exchangeBody(exchange: Exchange, dialect: Dialect): Json {
	return {
		id: exchange.id,
		from_site: exchange.fromSite,
		to_site: exchange.toSite,
		anchor: exchange.anchor,
		status: exchange.status,
		created_at: timeValue(exchange.createdAt, dialect),
		accepted_at: timeValue(exchange.acceptedAt, dialect),
		live_url: exchange.liveUrl ?? null,
		published_at: timeValue(exchange.publishedAt, dialect),
	};
}

export function watchdogEventBody(event: WatchdogEvent, dialect: Dialect): Json {
	return {
		id: event.id,
		exchange_id: event.exchangeId,
		severity: event.severity,
		type: event.type,
		detail: event.detail,
		created_at: timeValue(event.createdAt, dialect),
	};
}

export function balanceBody(balance: Balance, entries: LedgerEntry[], dialect: Dialect): Json {
	return {
		balance: balance.balance,
		lifetime_earned: balance.lifetimeEarned,
		lifetime_spent: balance.lifetimeSpent,
		[dialect.ledgerKey]: entries.map((entry) => ({
			id: `led_${entry.id}`,
			amount: entry.amount,
			type: entry.kind,
			exchange_id: entry.exchangeId ?? null,
			created_at: timeValue(entry.createdAt, dialect),
		})),
	};
}

/** A single record as the answer to a write: itself, under its name, under `data`, or nothing. */
export function writeBody(
	record: Json,
	name: 'site' | 'exchange',
	form: FormOf<Dialect['createSite' | 'accept']>,
): Json | undefined {
	switch (form) {
		case 'record':
			return record;
		case 'envelope':
			return { [name]: record };
		case 'data':
			return { data: record };
		case 'empty':
			return undefined;
	}
}

/** A time of an exchange or event; null when it has not come yet. */
function timeValue(
	time: number | undefined,
	{ times }: Pick<Dialect, 'times'>,
): string | number | null {
	if (time === undefined) return null;
	switch (times) {
		case 'iso-8601-milliseconds':
			return new Date(time).toISOString();
		case 'iso-8601-seconds':
			return new Date(time).toISOString().replace(/\.\d+Z$/, 'Z');
		case 'epoch-seconds':
			return Math.floor(time / 1000);
		case 'epoch-milliseconds':
			return time;
		case 'http-date':
			return new Date(time).toUTCString();
	}
}
