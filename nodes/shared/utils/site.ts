import { isNonBlankScalar } from './ids';
import { isObject } from './isObject';
import { tryParseUrl } from './url';

/**
 * An unambiguous host: a name of at least two parts, or IPv6. `*.tea.example` and
 * `a.example;b.example` are neither.
 */
const hostPattern = /^([a-z\d_-]+(\.[a-z\d_-]+)+|\[[\da-f:.]+\])$/;

/** A number, or the documented prefix and more (service-api.md, "Site"). */
const siteIdPattern = /^(\d+|site_[\w-]+)$/;

/**
 * Parses a site into its host or ID, in lower case: `tea.example`, `site_1a2b`, `17`. Single words
 * such as com or tea-blog2 are neither.
 *
 * @returns `undefined` if the host or ID isn't unambiguous
 */
export function parseSiteId(site: unknown): string | undefined {
	if (typeof site !== 'string' && !Number.isSafeInteger(site)) return undefined;
	const text = String(site).trim();
	if (siteIdPattern.test(text.toLowerCase())) return text.toLowerCase();
	// A single word isn't a URL here, although browsers parse 0x11, for example, as the host
	// 0.0.0.17.
	const isAddress = !/^[\w-]*$|[\p{C}\s]/u.test(text);
	const host = isAddress ? (parseSiteUrl(text)?.host ?? '') : '';
	return hostPattern.test(host) ? host : undefined;
}

/**
 * Returns all hosts and IDs of a site.
 *
 * service-api.md, "Exchange": the format of from_site and to_site isn't documented. It may be text,
 * a number, or an object with a URL, an ID or both.
 */
export function getSiteIds(site: unknown): string[] {
	const identifiers = isObject(site) ? [site.url, site.id] : [site];
	return identifiers.map(parseSiteId).filter((host) => host !== undefined);
}

/**
 * Returns how a site is identified, given the result of `parseSiteId` or `normalizeSite`. Sites
 * that are identified in different ways can't be compared, because the service doesn't show which
 * ID belongs to which URL.
 *
 * @returns `undefined` for anything else, such as 127.0.0.1
 */
export function getSiteIdKind(name: string): 'address' | 'id' | 'number' | undefined {
	if (/^\d+$/.test(name)) return 'number';
	if (name.startsWith('site_')) return 'id';
	return /^[^/]+\.[a-z]/.test(name) ? 'address' : undefined;
}

/** Returns whether a host is in the list or, with `includeSubdomains`, below an entry of it. */
export function matchesSite(
	host: string,
	hosts: readonly string[],
	{ includeSubdomains }: { includeSubdomains: boolean },
): boolean {
	const isSubdomain = (each: string) => each.includes('.') && host.endsWith(`.${each}`);
	return hosts.some((each) => host === each || (includeSubdomains && isSubdomain(each)));
}

/**
 * Normalizes a site for comparison: host without `www.`, port and path, in lower case. An ID, or
 * text that isn't a URL, is only trimmed and converted to lower case.
 */
export function normalizeSite(site: string): string {
	const text = site.trim().toLowerCase();
	const siteUrl = siteIdPattern.test(text) ? undefined : parseSiteUrl(text);
	if (siteUrl === undefined) return text;
	const { host, url } = siteUrl;
	// The lookbehind matches a run of slashes only from its first one. Otherwise the time would grow
	// quadratically.
	return `${host}${url.port === '' ? '' : `:${url.port}`}${url.pathname.replace(/(?<!\/)\/+$/, '')}`;
}

/** Returns the normalized URL, ID and name of a site, leaving out those it lacks. */
export function getNormalizedSites(site: unknown): string[] {
	const names = isObject(site) ? [site.url, site.id, site.name] : [site];
	return names.filter(isNonBlankScalar).map((name) => normalizeSite(String(name)));
}

/**
 * Parses the URL of a site, with or without a scheme, as browsers do. `host` is normalized: without
 * user, port, `www.` and trailing dot, in lower case.
 *
 * @returns `undefined` if it isn't a URL
 */
function parseSiteUrl(siteUrl: string): { host: string; url: URL } | undefined {
	// Browsers treat any number of slashes and backslashes after the scheme as two slashes.
	const absoluteUrl = /^https?:[\\/]{2}/i.test(siteUrl) ? siteUrl : `https://${siteUrl}`;
	const url = tryParseUrl(absoluteUrl);
	return url && { host: url.hostname.replace(/\.$/, '').replace(/^www\.(?=[^.]+\.)/, ''), url };
}
