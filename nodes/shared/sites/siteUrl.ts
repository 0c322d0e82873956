import { trimInvisible } from '../utils/text';
import { tryParseUrl } from '../utils/url';

/** A site or page, named by its URL. Two spellings of the same URL have the same parts. */
export interface SiteUrl {
	/** Lower case, punycode, without `www.` and a dot at the end. */
	host: string;
	/** Empty for 80 and 443. */
	port: string;
	/** Percent-encoded, in its own letter case, without a slash at the end. */
	path: string;
	/** With `?`; empty without a query. */
	query: string;
}

/** The name of one site, as a user enters it: its URL or its ID. */
export type SiteName = { url: SiteUrl; id?: undefined } | { id: string; url?: undefined };

/**
 * The documented prefix (service-api.md, "Site"), in any letter case, because it's a typing error.
 */
const siteId = /^site_[\w-]+$/i;

/** A name of at least two parts, or IPv6. `*.tea.example` and `a.example;b.example` are neither. */
const hostName = /^([a-z\d_-]+(\.[a-z\d_-]+)+|\[[\da-f:.]+\])$/;

/** Characters that mean the same in a path, encoded or not (RFC 3986, section 3.3, "pchar"). */
const pathCharacter = /[\w.~!$&'()*+,;=:@-]/;

/** The same in a query, in which `&`, `=` and `+` have a meaning of their own. */
const queryCharacter = /[\w.~!$'()*,;:@/?-]/;

/** A step out of a folder that browsers don't see, but servers may. */
const hiddenDotSegment = /(?:%2F|%5C|\/)\.\.(?:%2F|%5C|;)|(?:%2F|%5C)\.\.(?:\/|$)/;

/**
 * Parses the URL or ID of a site or page, as browsers read it. A single word such as `com` or
 * `tea-blog2` is neither, although browsers read `0x11`, for example, as the host 0.0.0.17.
 *
 * @param value with or without a scheme
 * @returns `undefined` if it can't be read without doubt
 */
export function parseSiteName(value: unknown): SiteName | undefined {
	if (typeof value !== 'string' && !Number.isSafeInteger(value)) return undefined;
	const text = trimInvisible(String(value));
	if (/^\d+$/.test(text) || siteId.test(text)) return { id: text };
	const url = parseSiteUrl(text);
	return url && { url };
}

/**
 * Signs for "any" in other tools, in the place of a path or query: `*`, `{page}`, `[a-z]`, `:name`,
 * `.+`, a `%` that encodes nothing, and at the end `...` and `$`.
 */
const otherNotation = /[*{}<>[\]\\^]|\/:|\.\+|%(?![\da-f]{2})|(?:\.{3}|…)\/?$|\$$/i;

/**
 * Parses an entry of a list of sites, as a user enters it. A path or query with another tool's
 * signs for "any" would silently match nothing.
 *
 * @returns `undefined` if it isn't a URL or ID, or contains such signs
 */
export function parseSiteEntry(text: string): SiteName | undefined {
	const pathAndQuery = text.replace(/^(?:https?:[\\/]{2})?[^\\/?]*/i, '');
	return otherNotation.test(pathAndQuery) ? undefined : parseSiteName(text);
}

/** Returns whether a host is an IP address, and not a name. */
export function isIpAddress(host: string): boolean {
	return !/\.[a-z]/.test(host);
}

/** Returns a key that is equal for two spellings of the same URL, and different for two sites. */
export function getKey({ host, port, path, query }: SiteUrl): string {
	return `${host}${port === '' ? '' : `:${port}`}${path}${query}`;
}

/**
 * Returns the key of the site with this URL.
 *
 * @returns `undefined` if it isn't a URL
 */
export function getUrlKey(value: unknown): string | undefined {
	const url = parseSiteName(value)?.url;
	return url && getKey(url);
}

/**
 * Returns whether a URL is a site that somebody entered, or a page or subdomain of it. An entry
 * with a path covers that path and what is below it, on its own host; one with a query covers that
 * page alone.
 *
 * @param entry what the user, or the list of the account's sites, names
 */
export function coversUrl(
	entry: SiteUrl,
	url: SiteUrl,
	{ includeSubdomains }: { includeSubdomains: boolean },
): boolean {
	if (entry.port !== url.port) return false;
	const isSameHost = entry.host === url.host;
	const isWholeHost = entry.path === '' && entry.query === '';
	const isBelow = includeSubdomains && isWholeHost && isSubdomain(url.host, entry.host);
	if (!isSameHost && !isBelow) return false;
	if (entry.query !== '') return entry.path === url.path && entry.query === url.query;
	return url.path === entry.path || url.path.startsWith(`${entry.path}/`);
}

function parseSiteUrl(text: string): SiteUrl | undefined {
	if (/^[\w-]*$|[\p{C}\s]/u.test(text)) return undefined;
	// Browsers read backslashes, and further slashes after the scheme, as if there were two slashes.
	const isAbsolute = /^https?:[\\/]{2}/i.test(text);
	const url = tryParseUrl(isAbsolute ? text : `https://${text}`);
	if (url === undefined) return undefined;
	const host = url.hostname.replace(/\.$/, '').replace(/^www\.(?=[^.]+\.)/, '');
	if (!hostName.test(host)) return undefined;
	const port = ['80', '443'].includes(url.port) ? '' : url.port;
	const path = normalizePercentEncoding(url.pathname, pathCharacter).replace(/(?<!\/)\/+$/, '');
	if (hiddenDotSegment.test(path)) return undefined;
	const query = normalizePercentEncoding(url.search, queryCharacter);
	return { host, port, path, query };
}

function isSubdomain(host: string, parent: string): boolean {
	return parent.includes('.') && host.endsWith(`.${parent}`);
}

/**
 * Writes each character in one way: those in `unencoded` as they are, the others percent-encoded
 * with upper-case digits (RFC 3986, section 6.2.2).
 */
function normalizePercentEncoding(text: string, unencoded: RegExp): string {
	return text.replace(/%[\da-f]{2}|[|^[\]]/gi, (found) => {
		const isEncoded = found.length > 1;
		const code = isEncoded ? parseInt(found.slice(1), 16) : found.charCodeAt(0);
		const character = String.fromCharCode(code);
		return unencoded.test(character)
			? character
			: `%${code.toString(16).padStart(2, '0').toUpperCase()}`;
	});
}
