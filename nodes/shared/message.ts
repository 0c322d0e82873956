import type { IDataObject } from 'n8n-workflow';

import { linkOf } from './pageAddress';
import { isObject, shorten } from './response';

/** The most characters of a name that a message repeats, such as an anchor text or an ID. */
const mostOfAName = 80;
/** Of a stranger's sentences. */
const mostOfAText = 300;
/** No more than this is read of either. */
const mostRead = 1000;
/** Of an identifier that is shown as words, without quotation marks. */
const mostOfWords = 40;
/** Marks above or below one letter; more of them cover the lines around. */
const mostMarks = 3;
/** Of a digest. */
const mostLines = 20;

/**
 * A stranger's words for a plain sentence that ends up in Slack, an email or a spreadsheet: in quotation marks, on one
 * line, shortened. What may stay is a list, because what may do harm has none: letters, digits, currency signs, pictures
 * and common punctuation. So no control, bidirectional or invisible character and none of `<`, `>`, `&`, `@`, `*`, `` ` ``,
 * `~`, `|`, `=` and `"` gets through. What acts by its position is taken out there: `+` and `-` where a cell of a
 * spreadsheet could begin, `_` at the edge of a word, `:` of an emoji name, `#` of a channel, and the scheme and the dots
 * of an address, which becomes `evil[.]example`.
 * @returns undefined where there is nothing to quote: no text or number, or nothing of it may stay
 */
export function quote(words: unknown, most = mostOfAName): string | undefined {
	const text = shorten(clean(words), most);
	return text === '' ? undefined : `"${text}"`;
}

/**
 * The address of a site or page as a stranger names it (the format of from_site and to_site is not documented: a text, or
 * an object with a URL, a name or an id), without its scheme: `kettle-review.example/blog`. What is no plain address is
 * quoted as words.
 */
export function address(site: unknown): string | undefined {
	const named = isObject(site)
		? [site.url, site.name, site.id].find((value) => quote(value) !== undefined)
		: site;
	const text = typeof named === 'string' ? named : '';
	const [, plainAddress = ''] =
		/^(?:https?:\/\/)?([a-z0-9][a-z0-9.-]*(?::\d+)?(?:\/[a-z0-9./%-]*)?)$/i.exec(text) ?? [];
	if (!plainAddress.includes('.')) return quote(named);
	return shorten(plainAddress.replace(/\/$/, ''), mostOfAName);
}

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

/** What became of a link, by the type of an alert in words; its values are not documented (service-api.md). */
const whatBecame: Array<[type: RegExp, became: string]> = [
	[/^(link )?(broken|deleted|gone|lost|missing|not found|removed)$/, 'is gone'],
	[/^(link )?no ?follow( added)?$/, 'is marked nofollow'],
];

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

/** `link_removed` as `link removed`; undefined where it is no identifier, or a long one. */
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

/** The messages of several events, one on each line; of many, the first. */
export function digestMessage(messages: readonly string[]): string {
	if (messages.length === 1) return messages[0] ?? '';
	const shown = messages.slice(0, mostLines).map((message) => `- ${message}`);
	const more = messages.length - shown.length;
	if (more > 0) shown.push(`- and ${more} more`);
	return [`${messages.length} events:`, ...shown].join('\n');
}

/**
 * `from.example → to.example, anchor "green tea", page https://from.example/tea`, or as much of it as the record names;
 * undefined for nothing.
 */
export function describeExchange(record: IDataObject): string | undefined {
	const anchor = labelled('anchor', quote(record.anchor));
	return sentence(route(record), anchor, labelled('page', linkOf(record))) || undefined;
}

/** The sites alone. */
export function route({ from_site, to_site }: IDataObject): string | undefined {
	const ends = [from_site, to_site].map(address);
	const isNamed = ends.some((end) => end !== undefined);
	return isNamed ? ends.map((end) => end ?? 'an unknown site').join(' → ') : undefined;
}

/** The words joined with commas, without those that are not there. */
export function sentence(...parts: Array<string | undefined>): string {
	return parts.filter((part) => part !== undefined).join(', ');
}

/** `name "quoted words"`; undefined where there are none. */
export function labelled(name: string, quoted: string | undefined): string | undefined {
	return quoted === undefined ? undefined : `${name} ${quoted}`;
}

/** Our own words with a stranger's in them, such as the reason of a service: as safe as a quotation, and of this length. */
export function plain(words: string, most: number): string {
	return shorten(clean(words), most);
}

function clean(words: unknown): string {
	if (typeof words !== 'string' && typeof words !== 'number') return '';
	const text = String(words).slice(0, mostRead);
	// One word, such as an ID, has nothing that acts; who searches for it needs it as it is.
	if (/^[a-z\d][\w-]*$/i.test(text)) return text;
	return (
		text
			.normalize('NFC')
			.replace(/[a-z][a-z0-9+.-]{0,30}:\/\//gi, '')
			.replace(/["'`\u00b4\u2018-\u201f\u00ab\u00bb\u2039\u203a]/gu, "'")
			.replace(/&/g, ' and ')
			.replace(/@/g, '(at)')
			.replace(/\p{Pd}/gu, '-')
			.replace(/\p{Default_Ignorable_Code_Point}/gu, '')
			.replace(
				/[^\p{L}\p{M}\p{N}\p{Sc}\p{Emoji_Presentation} .,;:!?'()/+#%_\-\u2026\u3001\u3002\u30fb\uff01\uff0c\uff1f]/gu,
				' ',
			)
			// A mark on nothing: what stands behind it would be taken for the inside of a word.
			.replace(/(?<![\p{L}\p{M}\p{N}])\p{M}+/gu, '')
			.replace(/(?<!\p{M})\p{M}{4,}/gu, (marks) => [...marks].slice(0, mostMarks).join(''))
			// Signs that act where they stand.
			.replace(/(?<![\p{L}\p{M}\p{N}])_+|_+(?![\p{L}\p{M}\p{N}])/gu, ' ')
			.replace(/:(?! |$)(?!(?<=\p{N}:)\p{N})/gu, ' ')
			.replace(/#(?!\p{N})/gu, ' ')
			.replace(/(?<![\p{L}\p{N}+]|\p{L} (?=-\p{N}))[+-]+(?! +\S)/gu, ' ')
			.replace(/\s+/g, ' ')
			.replace(/^[\s+-]+/, '')
			.trimEnd()
			// An address in free words must not become a link.
			.replace(/(?<=[\p{L}\p{M}\p{N}])\.(?=\p{L}[\p{L}\p{M}])/gu, '[.]')
	);
}
