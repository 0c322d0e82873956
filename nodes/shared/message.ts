import type { IDataObject } from 'n8n-workflow';

import { isObject, shorten } from './response';

/** The most characters of a stranger's words that a message repeats; no more than this is read of them. */
const mostCharacters = 80;
const mostRead = 1000;
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
export function quote(words: unknown): string | undefined {
	return inQuotes(clean(words));
}

/**
 * The address of a site or page as a stranger names it (the format of from_site and to_site is not documented: a text, or
 * an object with a URL, a name or an id), quoted without its scheme: `"kettle-review.example/blog"`. What is no plain
 * address is quoted as words.
 */
export function quoteAddress(site: unknown): string | undefined {
	const named = isObject(site)
		? [site.url, site.name, site.id].find((value) => quote(value) !== undefined)
		: site;
	const text = typeof named === 'string' ? named : '';
	const [, address = ''] =
		/^(?:https?:\/\/)?([a-z0-9][a-z0-9.-]*(?::\d+)?(?:\/[a-z0-9./%-]*)?)$/i.exec(text) ?? [];
	if (!address.includes('.')) return quote(named);
	return inQuotes(address.replace(/\/$/, ''));
}

/**
 * What happened, in one plain sentence that is ready for Slack, an email or a spreadsheet.
 * @param event its name; one that is not documented is quoted
 * @param data the payload or record
 * @param exchange the record of the exchange that the event is about, where `data` is not that record
 */
export function eventMessage(event: string, data: IDataObject, exchange = data): string {
	const which = labelled(
		'exchange',
		quote(event === 'watchdog.alert' ? data.exchange_id : data.id),
	);
	const about = [describeExchange(exchange), which];
	const where = labelled('at', quoteAddress(data.live_url));
	const severity = labelled('severity', quote(data.severity));
	const known = new Map([
		['exchange.requested', ['Exchange requested']],
		['exchange.accepted', ['Exchange accepted']],
		['exchange.published', ['Link published', where]],
		['exchange.broken', ['Link broken', where]],
		['watchdog.alert', ['Watchdog alert', severity, quote(data.type), quote(data.detail)]],
	]);
	const [what, ...more] = known.get(event) ?? [`Event ${quote(event) ?? 'without a name'}`];
	const rest = sentence(...more, ...about);
	return rest === '' ? `${what}` : `${what}: ${rest}`;
}

/** The messages of several events, one on each line; of many, the first. */
export function digestMessage(messages: readonly string[]): string {
	if (messages.length === 1) return messages[0] ?? '';
	const shown = messages.slice(0, mostLines).map((message) => `- ${message}`);
	const more = messages.length - shown.length;
	if (more > 0) shown.push(`- and ${more} more`);
	return [`${messages.length} events:`, ...shown].join('\n');
}

/** `"from.example" → "to.example", anchor "green tea"`, or as much of it as the record names; undefined for nothing. */
export function describeExchange(record: IDataObject): string | undefined {
	return sentence(route(record), labelled('anchor', quote(record.anchor))) || undefined;
}

/** The sites alone. */
export function route({ from_site, to_site }: IDataObject): string | undefined {
	const ends = [from_site, to_site].map(quoteAddress);
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

function inQuotes(text: string): string | undefined {
	return text === '' ? undefined : `"${shorten(text, mostCharacters)}"`;
}
