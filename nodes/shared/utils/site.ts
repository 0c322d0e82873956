import { isNonBlankScalar } from './ids';
import { isObject } from './isObject';
import { tryParseUrl } from './url';

/** A host that is read for certain: a name of at least two parts, or IPv6. `*.tea.example` and `a.example;b.example` are neither. */
const hostPattern = /^([a-z\d_-]+(\.[a-z\d_-]+)+|\[[\da-f:.]+\])$/;

/** The ID of a site is a number, or begins with the documented prefix (service-api.md, "Site"). */
const siteIdPattern = /^(\d+|site_[\w-]+)$/;

/**
 * The host of a site's address, or its ID, in lower case: `tea.example`, `site_1a2b`, `17`. A word such as com or tea-blog2 is
 * neither.
 * @returns undefined when it cannot be read for certain
 */
export function parseSiteId(site: unknown): string | undefined {
	if (typeof site !== 'string' && !Number.isSafeInteger(site)) return undefined;
	const text = String(site).trim();
	if (siteIdPattern.test(text.toLowerCase())) return text.toLowerCase();
	// A single word is no address here, although browsers read 0x11, for example, as the host 0.0.0.17.
	const isAddress = !/^[\w-]*$|[\p{C}\s]/u.test(text);
	const host = isAddress ? (parseSiteUrl(text)?.host ?? '') : '';
	return hostPattern.test(host) ? host : undefined;
}

/**
 * All hosts and IDs by which a site is called. The format of from_site and to_site is not documented (service-api.md,
 * "Exchange"): a text, a number, or an object with a URL, an ID or both.
 */
export function getSiteIds(site: unknown): string[] {
	const identifiers = isObject(site) ? [site.url, site.id] : [site];
	return identifiers.map(parseSiteId).filter((host) => host !== undefined);
}

/**
 * How a host, a `siteName` or an ID is written; what is written in different forms cannot be compared, because the service
 * does not say which ID belongs to which address. Undefined for anything else, such as 127.0.0.1.
 */
export function getSiteIdKind(name: string): 'address' | 'id' | 'number' | undefined {
	if (/^\d+$/.test(name)) return 'number';
	if (name.startsWith('site_')) return 'id';
	return /^[^/]+\.[a-z]/.test(name) ? 'address' : undefined;
}

/** Whether a host is one of these, or below one of them. */
export function matchesSite(
	host: string,
	hosts: readonly string[],
	{ includeSubdomains }: { includeSubdomains: boolean },
): boolean {
	const isSubdomainOf = (each: string) => each.includes('.') && host.endsWith(`.${each}`);
	return hosts.some((each) => host === each || (includeSubdomains && isSubdomainOf(each)));
}

/** A site's address as it is compared: host without `www.`, port and path, in lower case. What is no address stays as it is. */
export function normalizeSite(site: string): string {
	const text = site.trim().toLowerCase();
	const address = siteIdPattern.test(text) ? undefined : parseSiteUrl(text);
	if (address === undefined) return text;
	const { host, url } = address;
	// Looked for from the first slash of a run alone: from each of them, it would take a time that grows with the square.
	return `${host}${url.port === '' ? '' : `:${url.port}`}${url.pathname.replace(/(?<!\/)\/+$/, '')}`;
}

/** The URL, the ID and the name of a site, as `siteName` writes them. */
export function getNormalizedSites(site: unknown): string[] {
	const names = isObject(site) ? [site.url, site.id, site.name] : [site];
	return names.filter(isNonBlankScalar).map((name) => normalizeSite(String(name)));
}

/**
 * The one reader of a site's address, with or without a scheme, as browsers read it. `host` is what two ways
 * to write it have in common: without user, port, `www.` and the dot at the end, in lower case.
 */
function parseSiteUrl(address: string): { host: string; url: URL } | undefined {
	// Browsers read further slashes behind the scheme, and backslashes, as if there were two slashes.
	const absoluteUrl = /^https?:[\\/]{2}/i.test(address) ? address : `https://${address}`;
	const url = tryParseUrl(absoluteUrl);
	return url && { host: url.hostname.replace(/\.$/, '').replace(/^www\.(?=[^.]+\.)/, ''), url };
}
