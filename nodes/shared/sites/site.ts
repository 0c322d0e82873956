import { isId, isNonBlankScalar } from '../utils/ids';
import { isObject } from '../utils/isObject';
import { truncate } from '../utils/text';
import type { OwnSite, OwnSites } from './ownSites';
import { coversUrl, getKey, parseSiteName, type SiteName, type SiteUrl } from './siteUrl';

const maxLabelLength = 500;

/**
 * A site of an exchange. The service doesn't document whether `from_site` and `to_site` contain
 * URLs or IDs (service-api.md, "Exchange"), so a partner may have only one of the two; one of the
 * account's sites has both.
 */
export interface Site {
	/** As the service writes it: its URL, name or ID. */
	label?: string;
	id?: string;
	url?: SiteUrl;
	/** The account's site that it is, that it is a page of, or on whose subdomain it is. */
	own?: OwnSite;
}

/**
 * Parses a site of an exchange: text, a number, or an object with a URL or host, an ID or both.
 *
 * @returns a site without an ID and a URL if it can't be read without doubt
 */
export function parseSite(value: unknown, ownSites: OwnSites): Site {
	const { url: siteUrl, host, name, id: siteId } = isObject(value) ? value : {};
	const fields = isObject(value) ? [siteUrl ?? host, siteId] : [value];
	const label = isObject(value) ? [siteUrl, host, name, siteId].find(isNonBlankScalar) : value;
	const names = fields.map(parseSiteName);
	const [url, otherUrl] = names.flatMap((each) => each?.url ?? []);
	const id = names.find((each) => each?.id !== undefined)?.id;
	// An ID that is the URL of another site.
	if (url && otherUrl && getKey(url) !== getKey(otherUrl)) return { label: toLabel(label) };
	const ownId = fields.at(-1);
	const own = ownSites.find({ url, id: isId(ownId) ? String(ownId).trim() : undefined });
	return {
		label: toLabel(label),
		id: own?.id ?? id,
		url: url ?? own?.url,
		own,
	};
}

/** Returns whether a site is the one that was entered, or a page or subdomain of it. */
export function coversSite(entry: SiteName, { id, url }: Site): boolean {
	if (entry.url === undefined) return entry.id === id;
	return url !== undefined && coversUrl(entry.url, url, { includeSubdomains: true });
}

/**
 * Returns whether a site is the one that was chosen or entered, or a page of it. If another one of
 * your sites lies below an entry, its pages don't belong to the entry.
 */
export function isOfSite(
	entry: SiteName,
	{ id, url, own }: Site,
	options: { includeSubdomains: boolean },
): boolean {
	const isOwnId = entry.id !== undefined && entry.id === own?.id;
	const entryUrl = isOwnId ? own?.url : entry.url;
	if (entryUrl === undefined || url === undefined) return entry.id !== undefined && entry.id === id;
	const isInOwn = !own?.url || coversUrl(own.url, entryUrl, { includeSubdomains: true });
	return isInOwn && coversUrl(entryUrl, url, options);
}

function toLabel(value: unknown): string | undefined {
	return isNonBlankScalar(value) ? truncate(String(value), maxLabelLength) : undefined;
}
