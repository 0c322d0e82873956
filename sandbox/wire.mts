/** How the service's records look in a JSON body, in the dialect that is set. */
import type { Dialect } from './dialects.mts';
import type { Balance, EventName, Exchange, LedgerEntry, Site, WatchdogEvent } from './records.mts';
import { siteIdOf } from './sites.mts';

export type Json = Record<string, unknown>;

/** A time of an exchange or event; null when it has not come yet. */
export function wireTime(
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
	}
}

export function wireSite(site: Site): Json {
	return {
		id: site.id,
		url: site.url,
		niche: site.niche,
		dr: site.dr,
		verified: site.verified,
		created_at: new Date(site.createdAt).toISOString(),
	};
}

export function wireExchange(exchange: Exchange, dialect: Dialect): Json {
	return {
		id: exchange.id,
		from_site: wireSiteReference(exchange.fromSite, dialect),
		to_site: wireSiteReference(exchange.toSite, dialect),
		anchor: exchange.anchor,
		status: exchange.status,
		created_at: wireTime(exchange.createdAt, dialect),
		accepted_at: wireTime(exchange.acceptedAt, dialect),
		live_url: exchange.liveUrl ?? null,
		published_at: wireTime(exchange.publishedAt, dialect),
	};
}

function wireSiteReference(url: string, { siteReference }: Dialect): unknown {
	if (siteReference === 'url') return url;
	const id = siteIdOf(url);
	return siteReference === 'id' ? id : { id, url };
}

export function wireWatchdogEvent(event: WatchdogEvent, dialect: Dialect): Json {
	return {
		id: event.id,
		exchange_id: event.exchangeId,
		severity: event.severity,
		type: event.type,
		detail: event.detail,
		created_at: wireTime(event.createdAt, dialect),
	};
}

export function wireBalance(balance: Balance, entries: LedgerEntry[], dialect: Dialect): Json {
	return {
		balance: balance.balance,
		lifetime_earned: balance.lifetimeEarned,
		lifetime_spent: balance.lifetimeSpent,
		[dialect.ledgerKey]: entries.map((entry) => ({
			id: `led_${entry.id}`,
			amount: entry.amount,
			type: entry.kind,
			exchange_id: entry.exchangeId ?? null,
			created_at: wireTime(entry.createdAt, dialect),
		})),
	};
}

/** The documented fields of an event, and no others. */
export function eventPayload(
	event: EventName,
	record: Exchange | WatchdogEvent,
	dialect: Dialect,
): Json {
	const whole =
		'severity' in record ? wireWatchdogEvent(record, dialect) : wireExchange(record, dialect);
	return Object.fromEntries(eventFields[event].map((field) => [field, whole[field]]));
}

const eventFields: Record<EventName, string[]> = {
	'exchange.requested': ['id', 'from_site', 'to_site', 'anchor'],
	'exchange.accepted': ['id', 'accepted_at'],
	'exchange.published': ['id', 'live_url', 'published_at'],
	'watchdog.alert': ['exchange_id', 'severity', 'type', 'detail'],
};

/** The body of a delivery, and the value of X-PB-Event where the dialect names the event there. */
export function wrapEvent(
	event: EventName,
	payload: Json,
	{ wrapper }: Dialect,
): { body: string; eventHeader: string | undefined } {
	return { body: JSON.stringify(wrapped()), eventHeader: wrapper === 'header' ? event : undefined };

	function wrapped(): unknown {
		switch (wrapper) {
			case 'bare':
			case 'header':
				return payload;
			case 'event-data':
				return { event, data: payload };
			case 'event-payload':
				return { event, payload };
			case 'type-data':
				return { type: event, data: payload };
			case 'type-payload':
				return { type: event, payload };
			case 'flat':
				// Not `type`: an alert has a field of that name.
				return { event, ...payload };
			case 'array-bare':
				return [payload];
			case 'array-event-data':
				return [{ event, data: payload }];
			case 'array-flat':
				return [{ event, ...payload }];
		}
	}
}

export interface Page {
	/** Page number, from 1. */
	number: number;
	/** Full address of the list, for the addresses of further pages. */
	address: URL;
}

/** A list in the dialect's shape, cut into pages where the dialect has them; `link` is the Link header's value. */
export function wireList(
	resource: 'sites' | 'exchanges' | 'watchdog',
	records: Json[],
	page: Page,
	dialect: Dialect,
): { body: unknown; link: string | undefined } {
	const key = resource === 'watchdog' ? dialect.watchdogKey : resource;
	const { pagination, pageSize } = dialect;
	if (pagination === 'none')
		return { body: shaped(records, key, resource, dialect, {}), link: undefined };
	const onPage = records.slice((page.number - 1) * pageSize, page.number * pageSize);
	const hasMore = page.number * pageSize < records.length;
	const next = new URL(page.address);
	next.searchParams.set('page', String(page.number + 1));
	if (pagination === 'link-other-origin')
		next.hostname = next.hostname === 'localhost' ? '127.0.0.1' : 'localhost';
	const inHeader = pagination === 'link' || pagination === 'link-other-origin';
	const signs: Json = inHeader ? {} : signsOfMore(pagination, hasMore, next.href, page.number + 1);
	return {
		body: shaped(onPage, key, resource, dialect, signs),
		link: inHeader && hasMore ? `<${next.href}>; rel="next"` : undefined,
	};
}

function signsOfMore(
	pagination: 'has-more' | 'next-url' | 'next-cursor' | 'next-page',
	hasMore: boolean,
	url: string,
	page: number,
): Json {
	switch (pagination) {
		case 'has-more':
			return { has_more: hasMore };
		case 'next-url':
			return { next: hasMore ? url : null };
		case 'next-cursor':
			return { next_cursor: hasMore ? String(page) : null };
		case 'next-page':
			return { next_page: hasMore ? page : null };
	}
}

/** An array cannot carry a sign of more; with one it becomes an object with the resource's key. */
function shaped(
	records: Json[],
	key: string,
	resource: string,
	{ listShape }: Dialect,
	signs: Json,
): unknown {
	if (resource === 'sites') return { sites: records, ...signs };
	switch (listShape) {
		case 'array':
			return Object.keys(signs).length === 0 ? records : { [key]: records, ...signs };
		case 'resource':
			return { [key]: records, ...signs };
		case 'data':
			return { data: records, ...signs };
		case 'items':
			return { items: records, ...signs };
		case 'results':
			return { results: records, ...signs };
		case 'data-resource':
			return { data: { [key]: records, ...signs } };
	}
}

/** A single record as the answer to a write: itself, under its name, under `data`, or nothing. */
export function wireAnswer(
	record: Json,
	name: 'site' | 'exchange',
	form: 'record' | 'envelope' | 'data' | 'empty',
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
