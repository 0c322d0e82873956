import type { IDataObject } from 'n8n-workflow';

import { isId } from './ids';
import { isObject } from './isObject';
import { trimInvisible } from './text';
import { tryParseUrl } from './url';

/** A site or page, named by its URL. Two spellings of the same URL have the same parts. */
export interface SiteUrl {
	kind: 'url';
	/** Lower case, punycode, without `www.` and a dot at the end. */
	host: string;
	/** Empty for 80 and 443. */
	port: string;
	/** Percent-encoded, in its own letter case, without a slash at the end. */
	path: string;
	/** With `?`; empty without a query. */
	query: string;
}

/** A site that is named by its ID, as written. */
export interface SiteId {
	/**
	 * An ID that is a number can't be compared with one that has the prefix `site_`, nor either with
	 * other text, which may be an ID, a name or anything else.
	 */
	kind: 'id' | 'number' | 'text';
	id: string;
}

export type SiteIdentity = SiteUrl | SiteId;

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
 * Parses the URL or ID of a site or page as browsers read it. A single word such as `com` or
 * `tea-blog2` is neither, although browsers read `0x11`, for example, as the host 0.0.0.17.
 *
 * @param value with or without a scheme
 * @returns `undefined` if it can't be read without doubt
 */
export function parseSiteIdentity(value: unknown): SiteIdentity | undefined {
	if (typeof value !== 'string' && !Number.isSafeInteger(value)) return undefined;
	const text = trimInvisible(String(value));
	if (/^\d+$/.test(text)) return { kind: 'number', id: text };
	if (siteId.test(text)) return { kind: 'id', id: text };
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
	return { kind: 'url', host, port, path, query };
}

/**
 * Parses an end of an exchange. The service doesn't document the format of `from_site` and
 * `to_site` (service-api.md, "Exchange"): text, a number, or an object with a URL, an ID or both.
 */
export function parseSiteIdentities(site: unknown): SiteIdentity[] {
	const values = isObject(site) ? [site.url, site.id] : [site];
	return values.map(parseSiteIdentity).filter((identity) => identity !== undefined);
}

/** Returns a key that is equal for two spellings of the same site, and different for two sites. */
export function getSiteKey(identity: SiteIdentity): string {
	if (identity.kind !== 'url') return identity.id;
	const { host, port, path, query } = identity;
	return `${host}${port === '' ? '' : `:${port}`}${path}${query}`;
}

/**
 * Returns the key of the site with this URL.
 *
 * @returns `undefined` if it isn't a URL
 */
export function getUrlKey(url: unknown): string | undefined {
	const identity = parseSiteIdentity(url);
	return identity?.kind === 'url' ? getSiteKey(identity) : undefined;
}

/**
 * Returns whether an identity is a site that somebody entered, or a page or subdomain of it. An
 * entry with a path covers that path and what is below it, on its own host; one with a query covers
 * that page alone.
 *
 * @param entry what the user, or the list of the account's sites, names
 */
export function coversSite(
	entry: SiteIdentity,
	identity: SiteIdentity,
	{ includeSubdomains }: { includeSubdomains: boolean },
): boolean {
	if (entry.kind !== 'url' || identity.kind !== 'url') {
		return entry.kind === identity.kind && getSiteKey(entry) === getSiteKey(identity);
	}
	if (entry.port !== identity.port) return false;
	const isSameHost = entry.host === identity.host;
	const isWholeHost = entry.path === '' && entry.query === '';
	const isBelow = includeSubdomains && isWholeHost && isSubdomain(identity.host, entry.host);
	if (!isSameHost && !isBelow) return false;
	if (entry.query !== '') return entry.path === identity.path && entry.query === identity.query;
	return isPathBelow(identity.path, entry.path);
}

/** A site of the account (service-api.md, "Site"). */
export interface OwnSite {
	record: IDataObject;
	url: SiteUrl | undefined;
}

/** Finds the account's site that an end of an exchange belongs to. */
export class OwnSites {
	readonly #byId = new Map<string, OwnSite>();

	readonly #byHost = new Map<string, OwnSite[]>();

	/** The kinds of IDs that the sites have. */
	readonly #idKinds = new Set<string>();

	readonly #hasUrls: boolean;

	constructor(records: readonly IDataObject[]) {
		let hasUrls = true;
		for (const record of records) {
			const identity = parseSiteIdentity(record.url);
			const url = identity?.kind === 'url' ? identity : undefined;
			const site: OwnSite = { record, url };
			if (isId(record.id)) {
				const id = String(record.id).trim();
				this.#byId.set(id, site);
				this.#idKinds.add(getIdKind(id));
			}
			if (url === undefined) hasUrls = false;
			else this.#byHost.set(url.host, [...(this.#byHost.get(url.host) ?? []), site]);
		}
		this.#hasUrls = hasUrls;
	}

	/**
	 * Returns the site that an end belongs to: the one with its ID or URL, or the most specific one
	 * that it is a page or a subdomain of.
	 *
	 * @param end `from_site` or `to_site`
	 */
	find(end: unknown): OwnSite | undefined {
		const byId = this.#findById(end);
		if (byId !== undefined) return byId;
		const identities = parseSiteIdentities(end);
		for (const identity of identities) {
			const found = identity.kind === 'url' ? this.#findByUrl(identity) : undefined;
			if (found !== undefined) return found;
		}
		return undefined;
	}

	/** Returns whether an end that isn't found is certainly not one of the account's sites. */
	isForeign(end: unknown): boolean {
		if (this.find(end) !== undefined) return false;
		return parseSiteIdentities(end).some((identity) =>
			identity.kind === 'url' ? this.#hasUrls : this.#idKinds.has(identity.kind),
		);
	}

	#findById(end: unknown): OwnSite | undefined {
		const id = isObject(end) ? end.id : end;
		return isId(id) ? this.#byId.get(String(id).trim()) : undefined;
	}

	#findByUrl(identity: SiteUrl): OwnSite | undefined {
		const labels = identity.host.split('.');
		// The longest host is the most specific one.
		for (let index = 0; index < labels.length - 1; index++) {
			const candidates = this.#byHost.get(labels.slice(index).join('.')) ?? [];
			const covering = candidates.filter(({ url }) => url && belongsTo(identity, url));
			// On a site's own host, the longest path is the most specific one; a subdomain belongs to the
			// site without a path, if there is one.
			const sign = index === 0 ? -1 : 1;
			const [site] = covering.sort(
				(one, other) => sign * (getPathLength(one) - getPathLength(other)),
			);
			if (site !== undefined) return site;
		}
		return undefined;
	}
}

/** Returns whether a URL is that of a site, a page below it, or on a subdomain of its host. */
function belongsTo(identity: SiteUrl, site: SiteUrl): boolean {
	if (identity.host !== site.host) return identity.port === site.port;
	return coversSite(site, identity, { includeSubdomains: false });
}

function getPathLength({ url }: OwnSite): number {
	return url === undefined ? 0 : url.path.length + url.query.length;
}

function isSubdomain(host: string, parent: string): boolean {
	return parent.includes('.') && host.endsWith(`.${parent}`);
}

function isPathBelow(path: string, parent: string): boolean {
	return path === parent || path.startsWith(`${parent}/`);
}

function getIdKind(id: string): string {
	return parseSiteIdentity(id)?.kind ?? 'text';
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
