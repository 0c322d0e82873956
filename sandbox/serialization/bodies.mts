/** JSON bodies of the service's records. */
import type { Dialect } from '../dialects.mts';
import type { Balance, Exchange, LedgerEntry, Site, WatchdogEvent } from '../store/records.mts';

export type Json = Record<string, unknown>;

/** @param now in milliseconds since 1970 */
export function siteBody({ id, url, niche, dr, createdAt, verifiedAt }: Site, now: number): Json {
	const verified = verifiedAt !== undefined && verifiedAt <= now;
	return { id, url, niche, dr, verified, created_at: new Date(createdAt).toISOString() };
}

export function exchangeBody(exchange: Exchange, dialect: Dialect): Json {
	return {
		id: exchange.id,
		from_site: exchange.fromSite,
		to_site: exchange.toSite,
		anchor: exchange.anchor,
		...(exchange.status !== '' && { status: exchange.status }),
		created_at: formatTime(exchange.createdAt, dialect),
		accepted_at: formatTime(exchange.acceptedAt, dialect),
		live_url: exchange.liveUrl ?? null,
		published_at: formatTime(exchange.publishedAt, dialect),
	};
}

export function watchdogEventBody(event: WatchdogEvent, dialect: Dialect): Json {
	const { id, exchangeId, severity, type, detail, createdAt } = event;
	const created_at = formatTime(createdAt, dialect);
	return { id, exchange_id: exchangeId, severity, type, detail, created_at };
}

/** @param entries newest first */
export function balanceBody(balance: Balance, entries: LedgerEntry[], dialect: Dialect): Json {
	const format = (figure: number) => (dialect.balance === 'text' ? String(figure) : figure);
	return {
		balance: format(balance.balance),
		lifetime_earned: format(balance.lifetimeEarned),
		lifetime_spent: format(balance.lifetimeSpent),
		[dialect.ledgerKey]: entries.map((entry) => ({
			id: `led_${entry.id}`,
			amount: entry.amount,
			type: entry.kind,
			exchange_id: entry.exchangeId ?? null,
			created_at: formatTime(entry.createdAt, dialect),
		})),
	};
}

/**
 * Builds the response to a POST.
 *
 * @param variant status and form, such as `201-record`: the record itself, under its name
 * (`envelope`), under `data`, or an empty body
 */
export function writeResponse(
	record: Json,
	name: 'site' | 'exchange',
	variant: Dialect['createSite' | 'accept'],
): { status: number; body: Json | undefined } {
	const [status, form = ''] = variant.split('-');
	const bodies: Record<string, Json> = {
		record,
		pending: record,
		envelope: { [name]: record },
		data: { data: record },
	};
	return { status: Number(status), body: bodies[form] };
}

const timeFormatters: Record<Dialect['times'], (time: Date) => string | number> = {
	'iso-8601-milliseconds': (time) => time.toISOString(),
	'iso-8601-seconds': (time) => time.toISOString().replace(/\.\d+Z$/, 'Z'),
	'epoch-seconds': (time) => Math.floor(time.getTime() / 1000),
	'epoch-milliseconds': (time) => time.getTime(),
	'http-date': (time) => time.toUTCString(),
	'iso-8601-offset': (time) => time.toISOString().replace('Z', '+0000'),
	'iso-8601-space': (time) =>
		time
			.toISOString()
			.replace('T', ' ')
			.replace(/\.\d+Z$/, '+00'),
};

/** Formats a timestamp of an exchange or event; `null` if it has none yet. */
function formatTime(time: number | undefined, { times }: Dialect): string | number | null {
	return time === undefined ? null : timeFormatters[times](new Date(time));
}
