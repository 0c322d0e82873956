import type { IDataObject } from 'n8n-workflow';

import { readFieldTime } from '../utils/time';
import { address, describeExchange, labelled, quote, sentence } from './message';
import { linkOf } from './pageUrl';

/** The most characters of a stranger's sentences that a message repeats. */
const maxDetailLength = 300;
/** The most characters of an identifier that is shown as words, without quotation marks. */
const maxIdentifierLength = 40;

/** What became of a link, by the type of an alert in words. Which types there are is not documented (service-api.md, "Watchdog event"). */
const whatBecame: Array<[type: RegExp, became: string]> = [
	[/^(link )?(broken|deleted|gone|lost|missing|not found|removed)$/, 'is gone'],
	[/^(link )?no ?follow( added)?$/, 'is marked nofollow'],
];

/**
 * What happened, in one plain sentence that is ready for Slack, an email or a spreadsheet, with the whole address of the
 * page where it is known. It says a fact once, and names an ID only where nothing else tells which exchange it is:
 * `Link removed (critical): the link from https://kettle-review.example/tea to tea.example is gone, anchor “green tea”`.
 * @param event its name; one that is not documented is quoted
 * @param data the payload or record
 * @param exchange the record of the exchange that the event is about, where `data` is not that record
 * @param alertTime when an alert came up, where its record shows it
 */
export function eventMessage(
	event: string,
	data: IDataObject,
	exchange = data,
	alertTime?: unknown,
): string {
	if (event === 'watchdog.alert') return alertMessage(data, exchange, alertTime);
	const what = labelled('exchange', quote(data.id));
	const aboutLink = new Map([
		['exchange.published', ['Link published', 'is live']],
		['exchange.broken', ['Link broken', 'is no longer live']],
	]).get(event);
	if (aboutLink !== undefined) {
		const [headline = '', became = ''] = aboutLink;
		const link = theLink(data, exchange, became) ?? what;
		const at = event === 'exchange.published' ? timeOf(data.published_at) : undefined;
		const anchor = labelled('anchor', quote(exchange.anchor));
		return headed(headline, sentence(link, anchor, labelled('at', at)));
	}
	const which = describeExchange(exchange) ?? what;
	if (event === 'exchange.requested') return headed('Exchange requested', sentence(which));
	if (event === 'exchange.accepted') {
		return headed('Exchange accepted', sentence(which, labelled('at', timeOf(data.accepted_at))));
	}
	return headed(`Event ${quote(event) ?? 'without a name'}`, sentence(which));
}

function alertMessage(alert: IDataObject, exchange: IDataObject, time: unknown): string {
	const type = nameInWords(alert.type);
	const severity = nameInWords(alert.severity) ?? quote(alert.severity);
	const headline = type === undefined ? 'Watchdog alert' : capitalized(type);
	const [, became] = whatBecame.find(([pattern]) => pattern.test(type ?? '')) ?? [];
	const facts = sentence(
		type === undefined ? labelled('type', quote(alert.type)) : undefined,
		theLink(alert, exchange, became) ?? labelled('exchange', quote(alert.exchange_id)),
		labelled('anchor', quote(exchange.anchor)),
		labelled('at', timeOf(time)),
	);
	const message = headed(severity === undefined ? headline : `${headline} (${severity})`, facts);
	const detail = addsTo(message, alert.detail) ? quote(alert.detail, maxDetailLength) : undefined;
	return detail === undefined ? message : sentence(message, labelled('detail', detail));
}

/** `the link from https://kettle-review.example/tea to tea.example is gone`, as far as the record names its ends. */
function theLink(data: IDataObject, exchange: IDataObject, became?: string): string | undefined {
	const { from_site, to_site, live_url } = exchange;
	const page = linkOf(data, exchange) ?? address(data.live_url ?? live_url) ?? address(from_site);
	const ends = [labelled('from', page), labelled('to', address(to_site))];
	const known = ends.filter((words) => words !== undefined);
	if (known.length === 0) return undefined;
	return ['the link', ...known, became].filter((words) => words !== undefined).join(' ');
}

/** Whether a stranger's sentence has a word that the message lacks. */
function addsTo(message: string, words: unknown): boolean {
	if (typeof words !== 'string') return typeof words === 'number';
	const wordsOf = (text: string) => text.toLowerCase().match(/[\p{L}\p{N}]+/gu) ?? [];
	const messageWords = new Set(wordsOf(message));
	return wordsOf(words).some((word) => !messageWords.has(word));
}

/** `1 Jul 2026, 12:00 UTC`; undefined for what names no moment. */
function timeOf(value: unknown): string | undefined {
	const seconds = readFieldTime(value);
	return seconds === undefined ? undefined : `${minuteInWords.format(seconds * 1000)} UTC`;
}

const minuteInWords = new Intl.DateTimeFormat('en-GB', {
	day: 'numeric',
	month: 'short',
	year: 'numeric',
	hour: '2-digit',
	minute: '2-digit',
	timeZone: 'UTC',
});

/** An identifier in words, such as `link removed` for `link_removed`; undefined for anything else, and for a long one. */
function nameInWords(name: unknown): string | undefined {
	if (typeof name !== 'string' || name.length > maxIdentifierLength) return undefined;
	if (!/^[a-z][a-z0-9]*(?:[ _-][a-z0-9]+)*$/i.test(name)) return undefined;
	return name
		.replace(/(?<=[a-z0-9])(?=[A-Z])/g, ' ')
		.replace(/[_-]/g, ' ')
		.toLowerCase();
}

function capitalized(words: string): string {
	return words.charAt(0).toUpperCase() + words.slice(1);
}

function headed(headline: string, rest: string): string {
	return rest === '' ? headline : `${headline}: ${rest}`;
}
