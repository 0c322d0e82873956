import { isObject } from '../utils/isObject';
import { stripInvisible, truncate } from '../utils/text';
import { tryParseUrl } from '../utils/url';

/** Mail programs truncate longer subjects. */
const maxTitleLength = 80;

/** For names such as an anchor text or an ID. */
const maxNameLength = 80;
/** For third-party text, before it is escaped. */
const maxInputLength = 10_000;

/**
 * The `@` of a mention of everybody in Discord, Mattermost, Google Chat and other apps. In an email
 * address, a domain with a dot follows.
 */
const mention =
	/@(?=(?:everyone|here|channel|all|team)(?![\p{L}\p{N}]))(?!(?<=[\p{L}\p{N}._%+-]@)[\p{L}\p{N}-]{1,63}\.[\p{L}\p{N}])/giu;

/**
 * Quotes third-party text for a message in Slack, an email or a spreadsheet: in “quotation marks”,
 * on one line, sanitized and truncated. The rest stays as its author wrote it.
 *
 * @returns `undefined` if there is nothing to quote: neither text nor number, or nothing visible
 */
export function quote(value: unknown, maxLength = maxNameLength): string | undefined {
	const text = isScalar(value) ? sanitize(String(value), maxLength) : '';
	return text === '' ? undefined : `“${text}”`;
}

/** Formats any value of a field as JSON, for an error that describes what was received. */
export function quoteValue(value: unknown): string {
	return sanitize(JSON.stringify(value) ?? '', 60);
}

/**
 * Formats the URL of a site or page without its scheme: `kettle-review.example/blog`. Text that
 * isn't a URL is quoted.
 *
 * The format of from_site and to_site isn't documented: it may be text, or an object with a URL, a
 * name or an ID.
 *
 * @returns `undefined` if there is nothing to show
 */
export function formatSite(site: unknown): string | undefined {
	const identifier = isObject(site)
		? [site.url, site.name, site.id].find((value) => quote(value) !== undefined)
		: site;
	const text = sanitize(isScalar(identifier) ? String(identifier) : '', maxNameLength);
	const shortUrl = text.replace(/^https?:\/\//i, '').replace(/\/$/, '');
	const isUrl =
		/^[^\s/?#@][^\s/?#@.]*\.[^\s/?#@]+([/?#]\S*)?$/.test(shortUrl) &&
		tryParseUrl(`https://${shortUrl}`) !== undefined;
	return isUrl ? shortUrl : quote(identifier);
}

/**
 * Formats the two sites of an exchange: `from.example → to.example`.
 *
 * @returns `undefined` if neither is known
 */
export function formatRoute(from: unknown, to: unknown): string | undefined {
	const ends = [from, to].map(formatSite);
	const isNamed = ends.some((end) => end !== undefined);
	return isNamed ? ends.map((end) => end ?? 'an unknown site').join(' → ') : undefined;
}

/**
 * Formats the anchor of a link and its page, to follow the two sites: `with the anchor “green tea”
 * on the page https://kettle-review.example/tea`.
 *
 * @returns `undefined` if neither is known
 */
export function formatLinkDetails(
	anchor: string | undefined,
	pageUrl: string | undefined,
): string | undefined {
	const parts = [withLabel('with the anchor', quote(anchor)), withLabel('on the page', pageUrl)];
	return joinWords(...parts) || undefined;
}

/** Pluralizes a noun: `1 link`, `2 links`. */
export function pluralize(count: number, singular: string): string {
	return `${count} ${singular}${count === 1 ? '' : 's'}`;
}

/** A part of a text, or `undefined` or `false` to leave it out. */
type OptionalPart = string | undefined | false;

const listFormat = new Intl.ListFormat('en-US');

/** Lists the parts as in a sentence, without those to leave out: `a, b, and c`. */
export function formatList(...parts: OptionalPart[]): string {
	return listFormat.format(compactParts(...parts));
}

/** Joins the parts that aren't empty or `undefined` with spaces. */
export function joinWords(...parts: Array<string | undefined>): string {
	return parts.filter((part) => part !== undefined && part !== '').join(' ');
}

/** Returns the parts without those to leave out. */
export function compactParts(...parts: OptionalPart[]): string[] {
	return parts.filter((part) => part !== undefined && part !== false);
}

/**
 * Puts a label in front of quoted text: `anchor “green tea”`.
 *
 * @returns `undefined` if there is no text
 */
export function withLabel(name: string, text: string | undefined): string | undefined {
	return text === undefined ? undefined : `${name} ${text}`;
}

/**
 * Sanitizes text with third-party parts, such as the service's reason: on one line, truncated,
 * without invisible characters, with `‹` and `›` instead of `<` and `>`, which Slack and HTML
 * interpret, with `＠` in mentions of everybody, and with a space in `](`, which makes a link in
 * Markdown. So third-party text can't become a mention, markup or a hidden link. Every other
 * character stays.
 */
export function sanitize(text: string, maxLength: number): string {
	const visible = stripInvisible(text.slice(0, maxInputLength));
	const escaped = visible.replaceAll('<', '‹').replaceAll('>', '›').replaceAll('](', '] (');
	// Truncating may turn an email address into a mention, so this comes last.
	return truncate(escaped, maxLength).replace(mention, '＠');
}

/** Sanitizes a title, with at most 80 characters. */
export function sanitizeTitle(text: string): string {
	return sanitize(text, maxTitleLength);
}

function isScalar(value: unknown): value is string | number {
	return typeof value === 'string' || typeof value === 'number';
}
