import type { IDataObject } from 'n8n-workflow';

import { tryParseUrl } from '../utils/url';

/**
 * The most characters of an address that is shown. A longer one is left out, because a part of it would be the address of
 * another page. WordPress allows 200 bytes for the name of a page; what is not ASCII takes three characters for each.
 */
const maxUrlLength = 1000;

/** A name of the DNS, in the form that `URL` gives it (ASCII, small letters), or an IPv4 address. */
const hostPattern = /^[a-z0-9]+(?:[._-]+[a-z0-9]+)*\.?$/;

/**
 * The whole address of the page that has the link, ready to be clicked: `live_url` of the payload, or of the record of its
 * exchange, as browsers write it, and without what Slack or HTML acts on.
 * @returns undefined where there is none, or no address that a browser opens over HTTP(S), or one that is too long
 */
export function getPageUrl(data: IDataObject, exchange: IDataObject = data): string | undefined {
	return [data.live_url, exchange.live_url].map(parsePageUrl).find((link) => link !== undefined);
}

function parsePageUrl(value: unknown): string | undefined {
	if (typeof value !== 'string' || value.length > maxUrlLength) return undefined;
	const url = tryParseUrl(value);
	if (url === undefined || !/^https?:$/.test(url.protocol)) return undefined;
	if (!hostPattern.test(url.hostname)) return undefined;
	// A name and password in an address are left out, because they are not needed to find the page, and look like its host.
	const link = `${url.protocol}//${url.host}${encodeUnsafe(url.pathname + url.search + url.hash)}`;
	return link.length > maxUrlLength ? undefined : link;
}

/**
 * What stands behind the host, with some signs percent-encoded, which leads to the same page: those that could end the address where
 * it is quoted or in brackets, a full stop at its end, which would be taken for the end of the sentence as an empty query would be, and the letter behind `&`,
 * because `&region=` in HTML is `®ion=`.
 */
function encodeUnsafe(pathAndQuery: string): string {
	return pathAndQuery
		.replace(/[^a-z0-9/.?&=#%+_~:@,;!-]/gi, percentEncode)
		.replace(/(?<=&)[a-z0-9]/gi, percentEncode)
		.replace(/^([^#?]*)\?$/, '$1')
		.replace(/[.,;:!?]$/, percentEncode);
}

function percentEncode(character: string): string {
	return `%${character.charCodeAt(0).toString(16).toUpperCase().padStart(2, '0')}`;
}
