import { tryParseUrl } from '../utils/url';

/**
 * A longer URL is omitted, because a truncated one would be the URL of another page. WordPress
 * allows 200 bytes for the name of a page, and each byte outside ASCII takes three characters.
 */
const maxUrlLength = 1000;

/** A DNS name as `URL` normalizes it (ASCII, lower case), or an IPv4 address. */
const hostPattern = /^[a-z0-9]+(?:[._-]+[a-z0-9]+)*\.?$/;

/**
 * Returns the full, clickable URL of the page that contains the link: `live_url` of the payload, or
 * else of the record of its exchange. It is normalized as in browsers, and escaped for Slack and
 * HTML.
 *
 * @returns `undefined` if there is no HTTP(S) URL, or it is too long
 */
export function parsePageUrl(value: unknown): string | undefined {
	if (typeof value !== 'string' || value.length > maxUrlLength) return undefined;
	const url = tryParseUrl(value);
	if (url === undefined || !/^https?:$/.test(url.protocol)) return undefined;
	if (!hostPattern.test(url.hostname)) return undefined;
	// Without user and password, which aren't needed to find the page, and can look like its host.
	const link = `${url.protocol}//${url.host}${encodeUnsafe(url.pathname + url.search + url.hash)}`;
	return link.length > maxUrlLength ? undefined : link;
}

/**
 * Percent-encodes characters after the host that text around a URL could change. The URL leads to
 * the same page.
 *
 * These are characters that could end the URL in quotes or brackets, punctuation at its end, which
 * would be taken for that of the sentence (the `?` of an empty query is removed for the same
 * reason), the `@` of a mention of everybody, and the character after `&`, because `&region=` is
 * `®ion=` in HTML.
 */
function encodeUnsafe(pathAndQuery: string): string {
	return pathAndQuery
		.replace(/[^a-z0-9/.?&=#%+_~:@,;!-]/gi, percentEncode)
		.replace(/@(?=(?:everyone|here|channel|all|team)(?![a-z0-9]))/gi, percentEncode)
		.replace(/(?<=&)[a-z0-9]/gi, percentEncode)
		.replace(/^([^#?]*)\?$/, '$1')
		.replace(/[.,;:!?]$/, percentEncode);
}

function percentEncode(character: string): string {
	return `%${character.charCodeAt(0).toString(16).toUpperCase().padStart(2, '0')}`;
}
