import type { ICredentialDataDecryptedObject } from 'n8n-workflow';

import { type ErrorResult, errorResult } from '../errors';
import { trimInvisible, truncate } from '../utils/text';
import { tryParseUrl } from '../utils/url';

export const credentialName = 'backlinkExchangeApi';

export const apiKeyLocation = 'Settings, then API Keys, in the dashboard of the service';

export interface ApiCredential {
	/** Normalized, without a trailing slash. */
	baseUrl: string;
	apiKey: string;
}

/**
 * Validates and normalizes base URL and API key. Removes whitespace and invisible characters around
 * them, trailing slashes, and `Bearer` in front of the key.
 *
 * @returns the credential, or an error that explains how to fix it
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
	// Normalized (host in lower case, no default port), so that one account has one base URL.
	return { baseUrl: new URL(url).href.replace(/\/$/, ''), apiKey: key };
}

/** Suggests the base URL that the user may have meant: the origin, and the path up to /api. */
export function suggestBaseUrl({ origin, pathname }: URL): string {
	const [path = '/api'] = /^(\/[^/]+)*?\/api(?=\/|$)/.exec(pathname) ?? [];
	return truncate(origin + path, 110);
}

/**
 * Names that no public host has: RFC 6761 and 6762, RFC 8375, ICANN's `internal`, and `lan`, which
 * routers assign.
 */
const privateHostname = /^[^.]+$|(^|\.)(localhost|local|internal|lan|test|home\.arpa)$/;
/** This machine, private networks (RFC 1918, RFC 4193) and link-local addresses. */
const privateIpAddress =
	/^(127|10|192\.168|169\.254|172\.(1[6-9]|2\d|3[01]))\.[\d.]+$|^\[(::1|f[cd][\da-f]{2}:.*|fe[89ab][\da-f]:.*)\]$/;

/**
 * Returns whether requests to this URL would send the key unencrypted over a public network
 * (docs/decisions/0002-one-http-boundary.md).
 */
function isInsecureUrl({ protocol, hostname }: URL): boolean {
	if (protocol === 'https:') return false;
	const isIpAddress = /^[\d.]+$|^\[/.test(hostname);
	return !(isIpAddress ? privateIpAddress : privateHostname).test(hostname.replace(/\.$/, ''));
}

/**
 * Validates the base URL.
 *
 * @returns how to fix it, or `undefined` if it is valid
 */
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
