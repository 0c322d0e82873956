/**
 * Exchanges and their transitions: pending → accepted → live ⇄ broken. All others are rejected.
 *
 * `setStatus` gives an exchange any other status, because service-api.md doesn't show which ones
 * there are besides the values of its filter.
 */
import { randomBytes } from 'node:crypto';

import type { Dialect } from '../dialects.mts';
import { ServiceError } from '../errors.mts';
import {
	type Direction,
	type Exchange,
	type ExchangeStatus,
	exchangeStatuses,
	type Site,
} from '../store/records.mts';
import type { Store } from '../store/store.mts';
import { addLedgerEntry, getBalance, notYet } from './credits.mts';

export interface NewExchange {
	id?: string;
	/** URL of the partner's site, or the user's if the offer is outgoing. */
	fromSite?: string;
	/** URL of the user's site, or the partner's if the offer is outgoing. */
	toSite?: string;
	anchor?: string;
	/** Credits that accepting costs, in steps of a half. */
	cost?: number;
}

const defaultPartner = 'https://partner.example/';

/** How much later the dialect confirms or charges. */
const laterMilliseconds = 4000;

/**
 * Creates an offer from a partner, or to a partner if it is outgoing.
 *
 * @throws {ServiceError} for an invalid cost, or an ID that is empty or in use
 */
export function createOffer(
	store: Store,
	offer: NewExchange,
	direction: Direction = 'incoming',
): Exchange {
	const { id = `exc_${randomBytes(6).toString('hex')}`, cost = 10 } = offer;
	if (!isCost(cost)) {
		const message = 'The cost must be 0 or more credits, in steps of a half.';
		throw new ServiceError(422, 'invalid_cost', message);
	}
	if (id === '' || findExchange(store, id)) {
		const message =
			id === ''
				? 'The ID of an exchange must not be empty.'
				: `An exchange with the ID "${id}" already exists.`;
		throw new ServiceError(409, 'exchange_exists', message);
	}
	const ownSite = store.rows<Site>('sites')[0]?.url ?? 'https://your-site.example/';
	const isIncoming = direction === 'incoming';
	store.insert('exchanges', {
		id,
		direction,
		fromSite: offer.fromSite ?? (isIncoming ? defaultPartner : ownSite),
		toSite: offer.toSite ?? (isIncoming ? ownSite : defaultPartner),
		anchor: offer.anchor ?? 'a good read',
		status: 'pending',
		cost,
		createdAt: store.now(),
	});
	return getExchange(store, id);
}

/**
 * Returns whether a value is a possible cost of an offer.
 *
 * Halves are exact in binary, so no sum of them needs rounding.
 */
export function isCost(value: unknown): value is number {
	return typeof value === 'number' && value >= 0 && Number.isInteger(value * 2);
}

/**
 * Accepts an incoming offer.
 *
 * service-api.md, "Endpoints": credits are deducted on confirmation, so status and ledger change
 * together or not at all, unless the dialect charges later. It doesn't show what a repeated accept
 * does. With `acceptAgain=charged` it costs credits again, so that the ledger shows a double
 * payment; the exchange itself stays as it is. A closed exchange was never accepted, so its accept
 * is always rejected.
 *
 * @param dialect forms of a repeated accept, and of one that costs more than the balance
 * @returns the exchange, whether it had been accepted before, and whether credits were deducted
 * @throws {ServiceError} exchange_not_found, exchange_not_incoming, exchange_not_pending or
 * insufficient_credits
 */
export function acceptExchange(
	store: Store,
	id: string,
	dialect: Pick<Dialect, 'accept' | 'acceptAgain' | 'charge' | 'insufficientCredits'>,
): { exchange: Exchange; isAgain: boolean; isCharged: boolean } {
	const exchange = getExchange(store, id);
	const { cost } = exchange;
	if (exchange.direction === 'outgoing') throw createOutgoingError(exchange);
	const isAgain = parseStatus(exchange) !== 'pending';
	const canRepeat = parseStatus(exchange) !== undefined;
	if (isAgain && !(canRepeat && dialect.acceptAgain === 'charged')) {
		if (canRepeat && dialect.acceptAgain === '200') return { exchange, isAgain, isCharged: false };
		const message = `The exchange ${id} is ${formatStatus(exchange)}. Only pending offers can be accepted.`;
		const status = Number(dialect.acceptAgain);
		throw new ServiceError(status >= 400 ? status : 409, 'exchange_not_pending', message);
	}
	const { balance } = getBalance(store);
	if (balance < cost) {
		const message = `You need ${cost} credits to accept this exchange, but you have ${balance}.`;
		throw new ServiceError(Number(dialect.insufficientCredits), 'insufficient_credits', message);
	}
	const acceptedAt = store.now() + (dialect.accept === '202-pending' ? laterMilliseconds : 0);
	const chargedAt = {
		'on-accept': acceptedAt,
		'seconds-later': acceptedAt + laterMilliseconds,
		'when-live': notYet,
	}[dialect.charge];
	addLedgerEntry(store, -cost, 'exchange_accepted', id, chargedAt);
	if (!isAgain) store.update('exchanges', id, { status: 'accepted', acceptedAt });
	return { exchange: getExchange(store, id), isAgain, isCharged: true };
}

/** Returns an exchange as responses show it: it's still pending until it is confirmed. */
export function asListed(exchange: Exchange, now: number): Exchange {
	const isConfirmed = (exchange.acceptedAt ?? 0) <= now;
	return isConfirmed ? exchange : { ...exchange, status: 'pending', acceptedAt: undefined };
}

/**
 * Accepts an outgoing offer, as its partner does.
 *
 * service-api.md, "Endpoints": credits are deducted for accepting an incoming offer, so nothing is
 * charged here.
 *
 * @throws {ServiceError} if there is no such exchange, it is incoming, or it isn't pending
 */
export function acceptAsPartner(store: Store, id: string): Exchange {
	const exchange = requireStatus(store, id, ['pending'], 'accepted by the partner');
	if (exchange.direction === 'incoming') {
		const message = `The exchange ${id} is an offer from a partner. Only you can accept it.`;
		throw new ServiceError(409, 'exchange_not_outgoing', message);
	}
	store.update('exchanges', id, { status: 'accepted', acceptedAt: store.now() });
	return getExchange(store, id);
}

/**
 * Makes an exchange older: its times move back, and the time of its charge.
 *
 * @param milliseconds how far
 */
export function moveBack(store: Store, id: string, milliseconds: number): Exchange {
	const { createdAt, acceptedAt, publishedAt } = getExchange(store, id);
	const before = (time: number | undefined) =>
		time === undefined ? undefined : time - milliseconds;
	store.update('exchanges', id, {
		createdAt: before(createdAt),
		acceptedAt: before(acceptedAt),
		publishedAt: before(publishedAt),
	});
	store.run('UPDATE ledger SET createdAt = createdAt - ? WHERE exchangeId = ?', milliseconds, id);
	return getExchange(store, id);
}

/**
 * Sets the status to any text, such as `declined` or `PENDING`. Nothing else of the exchange
 * changes.
 */
export function setStatus(store: Store, id: string, status: string): Exchange {
	getExchange(store, id);
	store.update('exchanges', id, { status });
	return getExchange(store, id);
}

/** @returns the documented status; `undefined` if the exchange is closed, or has no status */
export function parseStatus({ status }: Pick<Exchange, 'status'>): ExchangeStatus | undefined {
	return exchangeStatuses.find((documented) => documented === status.toLowerCase());
}

/** Formats a status for a sentence or a table: as it is listed. */
export function formatStatus({ status }: Pick<Exchange, 'status'>): string {
	return status === '' ? 'without a status' : status;
}

/** Publishes the link: accepted → live, or broken → live. */
export function publishExchange(store: Store, id: string, liveUrl?: string): Exchange {
	const exchange = requireStatus(store, id, ['accepted', 'broken'], 'published');
	store.update('exchanges', id, {
		status: 'live',
		liveUrl: liveUrl ?? exchange.liveUrl ?? getPageUrl(exchange, id),
		publishedAt: store.now(),
		isLinkGone: 0,
	});
	store.run(
		'UPDATE ledger SET createdAt = ? WHERE exchangeId = ? AND createdAt = ?',
		...[store.now(), id, notYet],
	);
	return getExchange(store, id);
}

/**
 * Removes the link from its page.
 *
 * The status changes when the watchdog's next check detects it.
 */
export function markLinkRemoved(store: Store, id: string): Exchange {
	const exchange = requireStatus(store, id, ['live'], 'broken');
	store.update('exchanges', id, { isLinkGone: 1 });
	return exchange;
}

/**
 * Checks all live links: live → broken if the link is gone.
 *
 * @returns how many were checked, and the broken ones
 */
export function checkLinks(store: Store): { checked: number; broken: Exchange[] } {
	const live = store.rows<Exchange & { isLinkGone: number }>('exchanges', { status: 'live' });
	const broken = live
		.filter(({ isLinkGone }) => isLinkGone === 1)
		.map(({ id }) => {
			store.update('exchanges', id, { status: 'broken' });
			return getExchange(store, id);
		});
	return { checked: live.length, broken };
}

/** @throws {ServiceError} exchange_not_found */
export function getExchange(store: Store, id: string): Exchange {
	const exchange = findExchange(store, id);
	if (exchange) return exchange;
	const message = `You have no exchange with the ID "${id}".`;
	throw new ServiceError(404, 'exchange_not_found', message);
}

/**
 * Returns the URL of a page on the site that the link comes from.
 *
 * The site may be written in any form, for example without https://.
 */
export function getPageUrl({ fromSite }: Pick<Exchange, 'fromSite'>, name: string): string {
	const site = URL.canParse(fromSite) ? fromSite : `https://${fromSite}`;
	const path = `/articles/${encodeURIComponent(name)}`;
	return (URL.parse(path, site) ?? new URL(path, 'https://partner.example/')).href;
}

/** service-api.md, "Endpoints": only an incoming offer can be accepted. */
function createOutgoingError(exchange: Exchange): ServiceError {
	const { id, toSite } = exchange;
	const state =
		parseStatus(exchange) === 'pending'
			? `Only ${toSite} can accept it.`
			: `It is ${formatStatus(exchange)}.`;
	const message = `The exchange ${id} is your own offer to a partner. ${state} You can accept only offers from partners.`;
	return new ServiceError(409, 'exchange_not_incoming', message);
}

function findExchange(store: Store, id: string): Exchange | undefined {
	return store.rows<Exchange>('exchanges', { id })[0];
}

/**
 * Returns the exchange if its status allows a change.
 *
 * @throws {ServiceError} if there is no such exchange, or its status is another one
 */
function requireStatus(
	store: Store,
	id: string,
	allowed: ExchangeStatus[],
	change: string,
): Exchange {
	const exchange = getExchange(store, id);
	const status = parseStatus(exchange);
	if (status !== undefined && allowed.includes(status)) return exchange;
	throw new ServiceError(
		409,
		'transition_refused',
		`The exchange ${id} is ${formatStatus(exchange)}. It can be ${change} only when it is ${allowed.join(' or ')}.`,
	);
}
