import type { IDataObject } from 'n8n-workflow';

import { isObject } from '../utils/isObject';
import { stripInvisible, truncate } from '../utils/text';
import { tryParseUrl } from '../utils/url';
import { getPageUrl } from './pageUrl';

/** The most characters of a name that a message repeats, such as an anchor text or an ID. */
const maxNameLength = 80;
/** The most characters of a stranger's words that are read. */
const maxInputLength = 10_000;

/**
 * A stranger's words for a sentence that ends up in Slack, an email or a spreadsheet: in “quotation marks”, on one line,
 * shortened, and otherwise as they were written.
 * @returns undefined where there is nothing to quote: no text or number, or nothing that can be seen
 */
export function quote(words: unknown, maxLength = maxNameLength): string | undefined {
	const text = isScalar(words) ? sanitize(String(words), maxLength) : '';
	return text === '' ? undefined : `“${text}”`;
}

/** Any value of a field, for a sentence that says why it cannot be read. */
export function quoteValue(value: unknown): string {
	return sanitize(JSON.stringify(value) ?? '', 60);
}

/**
 * The address of a site or page as a stranger names it (the format of from_site and to_site is not documented: a text, or
 * an object with a URL, a name or an id), without its scheme: `kettle-review.example/blog`. What is no address is quoted.
 */
export function formatSite(site: unknown): string | undefined {
	const identifier = isObject(site)
		? [site.url, site.name, site.id].find((value) => quote(value) !== undefined)
		: site;
	const text = sanitize(isScalar(identifier) ? String(identifier) : '', maxNameLength);
	const shortUrl = text.replace(/^https?:\/\//i, '').replace(/\/$/, '');
	const isAddress =
		/^[^\s/?#@][^\s/?#@.]*\.[^\s/?#@]+([/?#]\S*)?$/.test(shortUrl) &&
		tryParseUrl(`https://${shortUrl}`) !== undefined;
	return isAddress ? shortUrl : quote(identifier);
}

/**
 * `from.example → to.example, anchor “green tea”, page https://from.example/tea`, or as much of it as the record names;
 * undefined for nothing.
 */
export function describeExchange(record: IDataObject): string | undefined {
	const anchor = withLabel('anchor', quote(record.anchor));
	return joinParts(formatRoute(record), anchor, withLabel('page', getPageUrl(record))) || undefined;
}

/** The two sites of an exchange, as `from.example → to.example`; undefined where neither is named. */
export function formatRoute({ from_site, to_site }: IDataObject): string | undefined {
	const ends = [from_site, to_site].map(formatSite);
	const isNamed = ends.some((end) => end !== undefined);
	return isNamed ? ends.map((end) => end ?? 'an unknown site').join(' → ') : undefined;
}

/** `1 link`, `2 links`. */
export function pluralize(count: number, singular: string): string {
	return `${count} ${singular}${count === 1 ? '' : 's'}`;
}

/** The parts that are there, joined with commas. */
export function joinParts(...parts: Array<string | undefined>): string {
	return parts.filter((part) => part !== undefined).join(', ');
}

/** `name “quoted words”`; undefined where there are no words. */
export function withLabel(name: string, quoted: string | undefined): string | undefined {
	return quoted === undefined ? undefined : `${name} ${quoted}`;
}

/** Our own words with a stranger's in them, such as the reason that a service gives: as safe as a quotation, and at most so long. */
export function sanitize(words: string, maxLength: number): string {
	return truncate(escapeMarkup(words), maxLength);
}

/**
 * Sentences in which others chose the names, on one line and without what cannot be seen. Slack and HTML act on `<` and `>`, so these
 * become `‹` and `›`: then no mention, no markup and no hidden link comes of what strangers wrote. Every other character stays.
 */
export function escapeMarkup(sentences: string): string {
	return stripInvisible(sentences.slice(0, maxInputLength))
		.replaceAll('<', '‹')
		.replaceAll('>', '›');
}

function isScalar(value: unknown): value is string | number {
	return typeof value === 'string' || typeof value === 'number';
}
