import { isNonBlankScalar } from './ids';
import { isObject } from './isObject';
import { tryParseUrl } from './url';

/** A number, or the documented prefix and more (service-api.md, "Site"). */
const siteIdPattern = /^(\d+|site_[\w-]+)$/;

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
