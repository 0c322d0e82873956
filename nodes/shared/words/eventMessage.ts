import type { IDataObject } from 'n8n-workflow';

import { address, describeExchange, labelled, quote, sentence } from './message';
import { linkOf } from './pageAddress';

/** The most characters of a stranger's sentences that a message repeats. */
const mostOfAText = 300;
/** The most characters of an identifier that is shown as words, without quotation marks. */
const mostOfWords = 40;
/** The most events that the message of a digest lists; it counts the others. */
const mostLines = 20;

/** What became of a link, by the type of an alert in words. Which types there are is not documented (service-api.md, "Watchdog event"). */
const whatBecame: Array<[type: RegExp, became: string]> = [
	[/^(link )?(broken|deleted|gone|lost|missing|not found|removed)$/, 'is gone'],
	[/^(link )?no ?follow( added)?$/, 'is marked nofollow'],
];

/**
 * What happened, in one plain sentence that is ready for Slack, an email or a spreadsheet, with the whole address of the
 * page where it is known:
 * `Link removed (critical): the link from https://kettle-review.example/tea to tea.example is gone`.
 * @param event its name; one that is not documented is quoted
 * @param data the payload or record
 * @param exchange the record of the exchange that the event is about, where `data` is not that record
 */
export function eventMessage(event: string, data: IDataObject, exchange = data): string {
	if (event === 'watchdog.alert') return alertMessage(data, exchange);
	const what = labelled('exchange', quote(data.id));
	const aboutLink = new Map([
		['exchange.published', ['Link published', 'is live']],
		['exchange.broken', ['Link broken', 'is no longer live']],
	]).get(event);
	if (aboutLink !== undefined) {
		const [headline = '', became = ''] = aboutLink;
		const link = theLink(data, exchange, became);
		return headed(headline, sentence(link, labelled('anchor', quote(exchange.anchor)), what));
	}
	const headlines = new Map([
		['exchange.requested', 'Exchange requested'],
		['exchange.accepted', 'Exchange accepted'],
	]);
	const headline = headlines.get(event) ?? `Event ${quote(event) ?? 'without a name'}`;
	return headed(headline, sentence(describeExchange(exchange), what));
}

/** The messages of several events, one on each line; where there are many, the first ones and how many more there are. */
export function digestMessage(messages: readonly string[]): string {
	if (messages.length === 1) return messages[0] ?? '';
	const shown = messages.slice(0, mostLines).map((message) => `- ${message}`);
	const more = messages.length - shown.length;
	if (more > 0) shown.push(`- and ${more} more`);
	return [`${messages.length} events:`, ...shown].join('\n');
}

function alertMessage(alert: IDataObject, exchange: IDataObject): string {
	const type = nameInWords(alert.type);
	const severity = nameInWords(alert.severity) ?? quote(alert.severity);
	const headline = type === undefined ? 'Watchdog alert' : capitalized(type);
	const [, became] = whatBecame.find(([pattern]) => pattern.test(type ?? '')) ?? [];
	const facts = sentence(
		type === undefined ? labelled('type', quote(alert.type)) : undefined,
		theLink(alert, exchange, became),
		labelled('anchor', quote(exchange.anchor)),
		labelled('exchange', quote(alert.exchange_id)),
		labelled('detail', quote(alert.detail, mostOfAText)),
	);
	return headed(severity === undefined ? headline : `${headline} (${severity})`, facts);
}

/** `the link from https://kettle-review.example/tea to tea.example is gone`, as far as the record names its ends. */
function theLink(data: IDataObject, exchange: IDataObject, became?: string): string | undefined {
	const { from_site, to_site, live_url } = exchange;
	const page = linkOf(data, exchange) ?? address(data.live_url ?? live_url) ?? address(from_site);
	const ends = [labelled('from', page), labelled('to', address(to_site))];
	const link = ['the link', ...ends, became].filter((words) => words !== undefined);
	return link.length === 1 ? undefined : link.join(' ');
}

/** An identifier in words, such as `link removed` for `link_removed`; undefined for anything else, and for a long one. */
function nameInWords(name: unknown): string | undefined {
	if (typeof name !== 'string' || name.length > mostOfWords) return undefined;
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
