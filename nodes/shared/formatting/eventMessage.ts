import type { IDataObject } from 'n8n-workflow';

import { parseEpochSeconds } from '../utils/time';
import { describeExchange, formatSite, joinParts, quote, withLabel } from './message';
import { getPageUrl } from './pageUrl';

/** For third-party sentences. */
const maxDetailLength = 300;
/** For identifiers that are shown as words, without quotation marks. */
const maxIdentifierLength = 40;

/**
 * Status of a link by the humanized type of an alert. The types aren't documented (service-api.md,
 * "Watchdog event").
 */
const linkStatusPhrases: Array<[type: RegExp, statusPhrase: string]> = [
	[/^(link )?(broken|deleted|gone|lost|missing|not found|removed)$/, 'is gone'],
	[/^(link )?no ?follow( added)?$/, 'is marked nofollow'],
];

/**
 * Formats an event as one sentence that is ready for Slack, an email or a spreadsheet, with the
 * full URL of the page if it is known. Each fact appears once, and the ID only if nothing else
 * identifies the exchange: `Link removed (critical): the link from
 * https://kettle-review.example/tea to tea.example is gone, anchor “green tea”`.
 *
 * @param event name of the event; an undocumented one is quoted
 * @param data payload or record
 * @param exchange record of the exchange, if `data` isn't that record
 * @param alertTime time of an alert, if its record shows one
 */
export function eventMessage(
	event: string,
	data: IDataObject,
	exchange = data,
	alertTime?: unknown,
): string {
	if (event === 'watchdog.alert') return alertMessage(data, exchange, alertTime);
	const exchangeLabel = withLabel('exchange', quote(data.id));
	const linkPhrases = new Map([
		['exchange.published', ['Link published', 'is live']],
		['exchange.broken', ['Link broken', 'is no longer live']],
	]).get(event);
	if (linkPhrases !== undefined) {
		const [headline = '', statusPhrase = ''] = linkPhrases;
		const link = describeLink(data, exchange, statusPhrase) ?? exchangeLabel;
		const publishedAt = event === 'exchange.published' ? formatTime(data.published_at) : undefined;
		const anchor = withLabel('anchor', quote(exchange.anchor));
		return withHeadline(headline, joinParts(link, anchor, withLabel('at', publishedAt)));
	}
	const exchangeDescription = describeExchange(exchange) ?? exchangeLabel;
	if (event === 'exchange.requested') {
		return withHeadline('Exchange requested', joinParts(exchangeDescription));
	}
	if (event === 'exchange.accepted') {
		return withHeadline(
			'Exchange accepted',
			joinParts(exchangeDescription, withLabel('at', formatTime(data.accepted_at))),
		);
	}
	return withHeadline(`Event ${quote(event) ?? 'without a name'}`, joinParts(exchangeDescription));
}

function alertMessage(alert: IDataObject, exchange: IDataObject, time: unknown): string {
	const type = humanize(alert.type);
	const severity = humanize(alert.severity) ?? quote(alert.severity);
	const headline = type === undefined ? 'Watchdog alert' : capitalize(type);
	const [, statusPhrase] = linkStatusPhrases.find(([pattern]) => pattern.test(type ?? '')) ?? [];
	const facts = joinParts(
		type === undefined ? withLabel('type', quote(alert.type)) : undefined,
		describeLink(alert, exchange, statusPhrase) ?? withLabel('exchange', quote(alert.exchange_id)),
		withLabel('anchor', quote(exchange.anchor)),
		withLabel('at', formatTime(time)),
	);
	const message = withHeadline(
		severity === undefined ? headline : `${headline} (${severity})`,
		facts,
	);
	const detail = hasNewWords(message, alert.detail)
		? quote(alert.detail, maxDetailLength)
		: undefined;
	return detail === undefined ? message : joinParts(message, withLabel('detail', detail));
}

/**
 * Formats a link: `the link from https://kettle-review.example/tea to tea.example is gone`.
 *
 * @returns `undefined` if the record contains neither end
 */
function describeLink(
	data: IDataObject,
	exchange: IDataObject,
	statusPhrase?: string,
): string | undefined {
	const { from_site, to_site, live_url } = exchange;
	const page =
		getPageUrl(data, exchange) ?? formatSite(data.live_url ?? live_url) ?? formatSite(from_site);
	const ends = [withLabel('from', page), withLabel('to', formatSite(to_site))];
	const knownEnds = ends.filter((end) => end !== undefined);
	if (knownEnds.length === 0) return undefined;
	return ['the link', ...knownEnds, statusPhrase].filter((part) => part !== undefined).join(' ');
}

/** Returns whether third-party text contains a word that the message lacks. */
function hasNewWords(message: string, detail: unknown): boolean {
	if (typeof detail !== 'string') return typeof detail === 'number';
	const splitWords = (text: string) => text.toLowerCase().match(/[\p{L}\p{N}]+/gu) ?? [];
	const messageWords = new Set(splitWords(message));
	return splitWords(detail).some((word) => !messageWords.has(word));
}

/**
 * Formats a timestamp: `1 Jul 2026, 12:00 UTC`.
 *
 * @returns `undefined` if the value isn't a timestamp
 */
function formatTime(value: unknown): string | undefined {
	const seconds = parseEpochSeconds(value);
	return seconds === undefined ? undefined : `${dateTimeFormat.format(seconds * 1000)} UTC`;
}

const dateTimeFormat = new Intl.DateTimeFormat('en-GB', {
	day: 'numeric',
	month: 'short',
	year: 'numeric',
	hour: '2-digit',
	minute: '2-digit',
	timeZone: 'UTC',
});

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

function capitalize(text: string): string {
	return text.charAt(0).toUpperCase() + text.slice(1);
}

function withHeadline(headline: string, rest: string): string {
	return rest === '' ? headline : `${headline}: ${rest}`;
}
