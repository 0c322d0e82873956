import type { ICredentialDataDecryptedObject } from 'n8n-workflow';

import { type ErrorResult, errorResult } from '../errors';
import { trimInvisible, truncate } from '../utils/text';
import { tryParseUrl } from '../utils/url';

export const credentialName = 'backlinkExchangeApi';

/** Where the user finds the key, for messages. */
export const apiKeyLocation = 'Settings, then API Keys, in the dashboard of the service';

/** The account whose requests these are, and where they go. */
export interface ApiCredential {
	/** The base URL without a slash at the end. */
	baseUrl: string;
	apiKey: string;
}

/**
 * The one reader of base URL and API key: what is not seen around them, slashes at the end of the address and `Bearer` in front
 * of the key do no harm.
 */
export function parseCredential({
	baseUrl,
	apiKey,
}: ICredentialDataDecryptedObject): ApiCredential | ErrorResult {
	const url = typeof baseUrl === 'string' ? trimInvisible(baseUrl).replace(/(?<!\/)\/+$/, '') : '';
	const key = typeof apiKey === 'string' ? trimInvisible(apiKey).replace(/^Bearer\s+/i, '') : '';
	const baseUrlError = getBaseUrlError(url);
	if (baseUrlError !== undefined) {
		return errorResult({ message: 'The base URL is not a web address', description: baseUrlError });
	}
	if (isInsecureUrl(new URL(url))) {
		return errorResult({
			message: 'The base URL does not protect the API key',
			description:
				'Enter the base URL in the credential with https:// instead of http://. With http://, everybody on the way to the service can read the key, so http:// is only for this machine and private networks.',
		});
	}
	if (!/^[\x21-\x7e]+$/.test(key)) {
		return errorResult({
			message: 'The API key cannot be used',
			description:
				key === ''
					? `Enter the API key in the credential. It is under ${apiKeyLocation}. If it is an expression, check what it yields for this item.`
					: `It contains spaces, or characters that no key has. Copy it again from ${apiKeyLocation}. If it is an expression, check what it yields for this item.`,
		});
	}
	// One account has one address, however it was typed: with the host in lower case, and without the usual port.
	return { baseUrl: new URL(url).href.replace(/\/$/, ''), apiKey: key };
}

/** The base URL that may have been meant by an address: its host, and its path as far as /api. */
export function suggestBaseUrl({ origin, pathname }: URL): string {
	const [path = '/api'] = /^(\/[^/]+)*?\/api(?=\/|$)/.exec(pathname) ?? [];
	return truncate(origin + path, 110);
}

/** Names that no public host has: RFC 6761 and 6762, RFC 8375 and ICANN's `internal`, and `lan`, which routers give. */
const privateHostname = /^[^.]+$|(^|\.)(localhost|local|internal|lan|test|home\.arpa)$/;
/** Addresses that strangers do not share: this machine, private networks (RFC 1918, RFC 4193), and a single link. */
const privateIpAddress =
	/^(127|10|192\.168|169\.254|172\.(1[6-9]|2\d|3[01]))\.[\d.]+$|^\[(::1|f[cd][\da-f]{2}:.*|fe[89ab][\da-f]:.*)\]$/;

/** Whether strangers can read what is sent to this address: docs/decisions/0002-one-http-boundary.md. */
function isInsecureUrl({ protocol, hostname }: URL): boolean {
	if (protocol === 'https:') return false;
	const isIpAddress = /^[\d.]+$|^\[/.test(hostname);
	return !(isIpAddress ? privateIpAddress : privateHostname).test(hostname.replace(/\.$/, ''));
}

/** How to put the base URL right; undefined where nothing is wrong with it. */
function getBaseUrlError(baseUrl: string): string | undefined {
	if (baseUrl === '') {
		return 'Enter the base URL in the credential: the address of the service followed by /api, for example https://app.example.com/api.';
	}
	if (!/^https?:/i.test(baseUrl)) {
		const intendedUrl = tryParseUrl(`https://${baseUrl}`);
		return intendedUrl !== undefined && getBaseUrlError(intendedUrl.href) === undefined
			? `The base URL in the credential lacks https:// at its beginning. Enter it as ${suggestBaseUrl(intendedUrl)}.`
			: 'The base URL in the credential has to begin with https://.';
	}
	const url = tryParseUrl(baseUrl);
	if (url !== undefined && url.href !== `${url.origin}${url.pathname}`) {
		return `The base URL in the credential has to end in /api, without a user, a question mark or a number sign. Enter it as ${suggestBaseUrl(url)}.`;
	}
	return url !== undefined && /^(\/[\w.~-]+)*\/?$/.test(url.pathname)
		? undefined
		: 'Check the spelling of the base URL in the credential.';
}
