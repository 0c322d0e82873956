import { isId } from './identity';
import { isObject } from './response';

/** What is left of an address is a name of at least two parts, or IPv6: `*.tea.example` and `a.example;b.example` are neither. */
const certainHost = /^([a-z\d_-]+(\.[a-z\d_-]+)+|\[[\da-f:.]+\])$/;

/**
 * The host name of a site. The format of from_site and to_site is not documented (service-api.md, "Exchange"): a text, or an
 * object with a URL or an ID. An ID such as site_1a2b is its own name; a word such as com is none.
 * @returns undefined when it cannot be read for certain
 */
export function hostOf(site: unknown): string | undefined {
	const address = isObject(site) ? (site.url ?? site.id) : site;
	if (typeof address !== 'string') return undefined;
	const text = address.trim();
	// No address has neither a dot nor a colon: 17 is an ID, not the host 0.0.0.17.
	if (/^[\w-]+$/.test(text) && /[\d_]/.test(text)) return text;
	const host = /[\p{C}\s]/u.test(text) ? '' : (readAddress(text)?.host ?? '');
	return certainHost.test(host) ? host : undefined;
}

/** Whether a host is one of these, or below one of them. */
export function isHostOf(
	host: string,
	hosts: readonly string[],
	{ includeSubdomains }: { includeSubdomains: boolean },
): boolean {
	return hosts.some((each) => host === each || (includeSubdomains && host.endsWith(`.${each}`)));
}

/** For filters: host, port and path, in lower case; what is no address as it is. */
export function siteName(site: string): string {
	const text = site.trim().toLowerCase();
	const address = readAddress(text);
	if (address === undefined) return text;
	const { host, url } = address;
	return `${host}${url.port === '' ? '' : `:${url.port}`}${url.pathname.replace(/\/+$/, '')}`;
}

/** The URL and the ID of a site, as `siteName` writes them. */
export function siteIdentifiersOf(site: unknown, fields = ['url', 'id']): string[] {
	const identifiers = isObject(site) ? fields.map((field) => site[field]) : [site];
	return identifiers.filter(isId).map((identifier) => siteName(String(identifier)));
}

/** All that a site is called by, in the same way. */
export function siteNamesOf(site: unknown): string[] {
	return siteIdentifiersOf(site, ['url', 'id', 'name']);
}

/**
 * A complete URL as browsers write it, without a fragment and a slash at the end: "HTTPS://Blog.example.com/caf%c3%a9/#top" is
 * "https://blog.example.com/caf%C3%A9".
 */
export function normalizedUrl(text: string): string {
	if (!URL.canParse(text)) return text;
	const { protocol, username, host, pathname, search } = new URL(text);
	const url = `${protocol}//${username}@${host}${pathname.replace(/\/$/, '')}${search}`;
	return url.replace(/%[\da-f]{2}/gi, (escape) => escape.toUpperCase());
}

export function isSameUrl(value: unknown, url: string): boolean {
	return typeof value === 'string' && normalizedUrl(value) === normalizedUrl(url);
}

/**
 * The one reader of a site's address, with or without a scheme, as browsers read it. `host` is what two ways
 * to write it have in common: without user, port, `www.` and the dot at the end, in lower case.
 */
function readAddress(address: string): { host: string; url: URL } | undefined {
	// Behind the scheme, browsers take as many slashes as there are for two.
	const complete = /^https?:[\\/]{2}/i.test(address) ? address : `https://${address}`;
	if (!URL.canParse(complete)) return undefined;
	const url = new URL(complete);
	return { host: url.hostname.replace(/\.$/, '').replace(/^www\.(?=[^.]+\.)/, ''), url };
}
