import type { IDataObject } from 'n8n-workflow';

import type { Site } from '../sites/site';
import { parseEpochSeconds } from '../utils/time';
import {
	compactParts,
	formatRoute,
	formatSite,
	joinWords,
	pluralize,
	quote,
	sanitize,
	withLabel,
} from './message';
import { getPageUrl } from './pageUrl';
import { formatTime } from './time';

/** For third-party sentences. */
const maxDetailLength = 300;
/** For identifiers that are shown as words, without quotation marks. */
const maxIdentifierLength = 40;
/** Mail programs truncate longer subjects. */
const maxTitleLength = 80;

const goneStatus = 'is gone';
/**
 * Status of a link by the humanized type of an alert. The types aren't documented (service-api.md,
 * "Watchdog event").
 */
const linkStatusPhrases: Array<[type: RegExp, statusPhrase: string]> = [
	[/^(link )?(broken|deleted|gone|lost|missing|not found|removed)$/, goneStatus],
	[/^(link )?no ?follow( added)?$/, 'is marked nofollow'],
];

/** What a message needs of an exchange. */
interface Ends {
	direction: 'incoming' | 'outgoing';
	partner: Site;
	site: Site;
}

/** Context of an event, beside its payload or record. */
interface EventContext {
	/** Record of the exchange, if the event's data isn't that record. */
	exchange?: IDataObject;
	/** Time of an alert, if its record shows one. */
	alertTime?: unknown;
	/** The two sites of the exchange. Without them, the message is the same for both directions. */
	ends?: Ends;
	/** Low credits are fewer than this. */
	lowCreditThreshold?: number;
	/** Of the workflow; UTC by default. */
	timeZone?: string;
}

/**
 * Formats an event for Slack, an email or a spreadsheet: a headline, what happened, and what to do.
 * It contains the full URL of the page if it is known, and the ID only if nothing else identifies
 * the exchange: `New alert (critical, link removed): the link from
 * https://kettle-review.example/tea to tea.example with the anchor “green tea” is gone. Ask
 * kettle-review.example to restore it.`
 *
 * @param event name of an event
 * @param data payload or record
 */
export function eventMessage(event: string, data: IDataObject, context: EventContext = {}): string {
	return joinWords(describeEvent(event, data, context), getLookupAdvice(event, data, context));
}

/**
 * Formats an event for the subject of an email, or a heading, with at most 80 characters:
 * `New alert (critical, link removed): kettle-review.example/tea`.
 *
 * @param exchange record of the exchange, if the event's data isn't that record
 */
export function eventTitle(event: string, data: IDataObject, exchange = data): string {
	return sanitize(createTitle(event, data, exchange), maxTitleLength);
}

/** Formats where to find an exchange of which only the ID is known, as in some webhook events. */
function getLookupAdvice(
	event: string,
	data: IDataObject,
	{ exchange = data }: EventContext,
): string | undefined {
	const id = quote(event === 'watchdog.alert' ? data.exchange_id : data.id);
	const { from_site, to_site, live_url, anchor } = exchange;
	const sites = [getPageUrl(data, exchange), data.live_url ?? live_url, from_site, to_site];
	const isNamed =
		quote(anchor) !== undefined || sites.some((site) => formatSite(site) !== undefined);
	return id === undefined || isNamed
		? undefined
		: 'To see more, look up the exchange in your dashboard.';
}

function describeEvent(
	event: string,
	data: IDataObject,
	{ exchange = data, alertTime, ends, lowCreditThreshold, timeZone = 'UTC' }: EventContext,
): string {
	// Only a recognized end shows who made the offer.
	const knownEnds = ends?.site.own === undefined ? undefined : ends;
	switch (event) {
		case 'exchange.requested':
			return joinWords(
				`New offer: ${describeNewOffer(exchange)}.`,
				knownEnds?.direction === 'incoming' ? 'It waits for your decision.' : undefined,
			);
		case 'exchange.accepted': {
			const time = formatTimestamp(data.accepted_at, timeZone);
			return `Offer accepted: ${describeAcceptance(data, exchange, knownEnds, time)}`;
		}
		case 'exchange.published': {
			const time = formatTimestamp(data.published_at, timeZone);
			const status = time === undefined ? 'is live' : `went live on ${time}`;
			return `Link published: ${describeLink(data, exchange, data.id) ?? 'a link'} ${status}.`;
		}
		case 'exchange.broken': {
			const link = describeLink(data, exchange, data.id) ?? 'a link';
			const advice = getRepairAdvice(knownEnds) ?? "Check whether it's still on the page.";
			return `Link broken: ${link} is no longer live. ${advice}`;
		}
		case 'credits.low': {
			const balance = pluralize(Number(data.balance), 'credit');
			return `Low credits: your balance is ${balance}, below the threshold of ${lowCreditThreshold}. Check it before you accept more offers.`;
		}
		default: {
			const time = formatTimestamp(alertTime, timeZone);
			return alertMessage(data, exchange, knownEnds, time);
		}
	}
}

function createTitle(event: string, data: IDataObject, exchange: IDataObject): string {
	const route = formatRoute(exchange.from_site, exchange.to_site);
	const link = formatSite(getPageUrl(data, exchange)) ?? route;
	const id = withLabel('exchange', quote(event === 'watchdog.alert' ? data.exchange_id : data.id));
	const withSubject = (headline: string, subject = id) =>
		subject === undefined ? headline : `${headline}: ${subject}`;
	switch (event) {
		case 'exchange.requested': {
			const from = withLabel('from', formatSite(exchange.from_site));
			const to = withLabel('for', formatSite(exchange.to_site));
			return route === undefined ? withSubject('New offer') : joinWords('New offer', from, to);
		}
		case 'exchange.accepted':
			return withSubject('Offer accepted', route);
		case 'exchange.published':
			return withSubject('Link published', link);
		case 'exchange.broken':
			return withSubject('Link broken', link);
		case 'credits.low':
			return `Low credits: ${Number(data.balance)} left`;
		default:
			return withSubject(alertHeadline(data), link);
	}
}

/** The same for both directions: the site that the offer comes from offers the link. */
function describeNewOffer(offer: IDataObject): string {
	const from = formatSite(offer.from_site);
	const to = withLabel('to', formatSite(offer.to_site));
	const details = describeDetails(offer);
	if (from !== undefined) return joinWords(from, 'offers a link', to, details);
	if (to !== undefined || details !== undefined) {
		return joinWords('a link', to, details, 'was offered');
	}
	return joinWords(withLabel('the exchange', formatId(offer.id)) ?? 'an exchange', 'was offered');
}

/** Formats who accepted whose offer, as one or two sentences. */
function describeAcceptance(
	data: IDataObject,
	exchange: IDataObject,
	ends: Ends | undefined,
	acceptedAt: string | undefined,
): string {
	const time = withLabel('on', acceptedAt);
	const details = describeDetails(exchange);
	if (ends === undefined) {
		const route = formatRoute(exchange.from_site, exchange.to_site);
		const isNamed = route !== undefined || details !== undefined;
		const subject = isNamed ? joinWords(route, details) : formatId(data.id);
		const offer = withLabel('the offer', subject) ?? 'an offer';
		return `${joinWords(offer, 'was accepted', time)}.`;
	}
	const partner = formatPartner(ends);
	const site = formatSite(ends.site.label);
	if (ends.direction === 'outgoing') {
		const from = withLabel('from', site);
		return `${joinWords(partner, 'accepted your offer', from, details, time)}.`;
	}
	const subject = joinWords(withLabel('for', site), details);
	const acceptance = `${joinWords('the offer from', partner, 'was accepted', time)}.`;
	return subject === '' ? acceptance : `${acceptance} It's ${subject}.`;
}

function alertMessage(
	alert: IDataObject,
	exchange: IDataObject,
	ends: Ends | undefined,
	time: string | undefined,
): string {
	const type = humanize(alert.type) ?? '';
	const [, status] = linkStatusPhrases.find(([pattern]) => pattern.test(type)) ?? [];
	const link = describeLink(alert, exchange, alert.exchange_id);
	const fact =
		link === undefined
			? 'the watchdog raised an alert'
			: status === undefined
				? `the alert concerns ${link}`
				: `${link} ${status}`;
	const message = [
		`${alertHeadline(alert)}: ${fact}.`,
		toSentence('The alert was raised on', time),
	];
	const detail = hasNewWords(joinWords(...message), alert.detail)
		? quote(alert.detail, maxDetailLength)
		: undefined;
	const advice = status === goneStatus ? getRepairAdvice(ends) : undefined;
	return joinWords(...message, toSentence('The service reports', detail), advice);
}

/** Formats the headline of an alert: `New alert (critical, link removed)`. */
function alertHeadline({ severity, type }: IDataObject): string {
	const facts = compactParts(
		...[severity, type].map((value) => humanize(value) ?? quote(value)),
	).join(', ');
	return facts === '' ? 'New alert' : `New alert (${facts})`;
}

/**
 * Formats a link: `the link from https://kettle-review.example/tea to tea.example with the anchor
 * “green tea”`.
 *
 * @returns `undefined` if the record contains neither end, nor the ID of the exchange
 */
function describeLink(
	data: IDataObject,
	exchange: IDataObject,
	exchangeId: unknown,
): string | undefined {
	const { from_site, to_site, live_url } = exchange;
	const page =
		getPageUrl(data, exchange) ?? formatSite(data.live_url ?? live_url) ?? formatSite(from_site);
	const ends = [withLabel('from', page), withLabel('to', formatSite(to_site))];
	const isNamed = ends.some((end) => end !== undefined);
	const id = formatId(exchangeId);
	if (!isNamed && id === undefined) return undefined;
	const anchor = withLabel('with the anchor', quote(exchange.anchor));
	return joinWords('the link', ...(isNamed ? ends : [withLabel('of the exchange', id)]), anchor);
}

/** Formats the anchor and the page of an exchange, to follow its sites. */
function describeDetails(exchange: IDataObject): string | undefined {
	const anchor = withLabel('with the anchor', quote(exchange.anchor));
	return joinWords(anchor, withLabel('on the page', getPageUrl(exchange))) || undefined;
}

/**
 * Formats what to do about a link that is gone. That of an offer that you made may be on your page.
 *
 * @returns `undefined` if the direction isn't known
 */
function getRepairAdvice(ends: Ends | undefined): string | undefined {
	if (ends === undefined) return undefined;
	const partner = formatPartner(ends);
	return ends.direction === 'outgoing'
		? `Check your own page first, because the link may be there. Otherwise, ask ${partner} to restore it.`
		: `Ask ${partner} to restore it.`;
}

function formatPartner({ partner }: Ends): string {
	return formatSite(partner.label) ?? 'the partner';
}

function formatId(id: unknown): string | undefined {
	return withLabel('with the ID', quote(id));
}

function toSentence(start: string, end: string | undefined): string | undefined {
	if (end === undefined) return undefined;
	return `${start} ${end}${/[.!?…]”$/.test(end) ? '' : '.'}`;
}

/** Returns whether third-party text contains a word that the message lacks. */
function hasNewWords(message: string, detail: unknown): boolean {
	if (typeof detail !== 'string') return typeof detail === 'number';
	const splitWords = (text: string) => text.toLowerCase().match(/[\p{L}\p{N}]+/gu) ?? [];
	const messageWords = new Set(splitWords(message));
	return splitWords(detail).some((word) => !messageWords.has(word));
}

/** @returns `undefined` if the value isn't a timestamp */
function formatTimestamp(value: unknown, timeZone: string): string | undefined {
	const seconds = parseEpochSeconds(value);
	return seconds === undefined ? undefined : formatTime(seconds, timeZone);
}

/**
 * Converts an identifier to words: `link removed` for `link_removed`.
 *
 * @returns `undefined` if the value isn't an identifier, or is too long
 */
function humanize(name: unknown): string | undefined {
	if (typeof name !== 'string' || name.length > maxIdentifierLength) return undefined;
	if (!/^[a-z][a-z0-9]*(?:[ _-][a-z0-9]+)*$/i.test(name)) return undefined;
	return name
		.replace(/(?<=[a-z0-9])(?=[A-Z])/g, ' ')
		.replace(/[_-]/g, ' ')
		.toLowerCase();
}
