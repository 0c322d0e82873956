import type { ICredentialDataDecryptedObject } from 'n8n-workflow';

import { errorMessages } from '../errorMessages';
import { ServiceError } from '../errors';
import { trimInvisible, truncate } from '../utils/text';
import { tryParseUrl } from '../utils/url';

export const credentialName = 'backlinkExchangeApi';

export const apiKeyLocation = 'Settings > API Keys in your dashboard';

export interface ApiCredential {
	/** Normalized, without a trailing slash. */
	baseUrl: string;
	apiKey: string;
}

/**
 * Validates and normalizes base URL and API key. Removes whitespace and invisible characters around
 * them, trailing slashes, and `Bearer` in front of the key.
 *
 * @throws {ServiceError} that explains how to fix the credential
 */
export function parseCredential({
	baseUrl,
	apiKey,
}: ICredentialDataDecryptedObject): ApiCredential {
	const url = typeof baseUrl === 'string' ? trimInvisible(baseUrl).replace(/(?<!\/)\/+$/, '') : '';
	const key = typeof apiKey === 'string' ? trimInvisible(apiKey).replace(/^Bearer\s+/i, '') : '';
	const baseUrlError = getBaseUrlError(url);
	if (baseUrlError !== undefined) {
		throw new ServiceError({
			message: errorMessages.baseUrlInvalid,
			description: `${baseUrlError} No request was sent.`,
		});
	}
	if (isInsecureUrl(new URL(url))) {
		throw new ServiceError({
			message: errorMessages.baseUrlInsecure,
			description:
				'Change http:// to https:// in the credential. Over http://, others on the network can read your API key, so it works only for this machine and private networks. No request was sent.',
		});
	}
	if (!/^[\x21-\x7e]+$/.test(key)) {
		throw new ServiceError({
			message: errorMessages.apiKeyInvalid,
			description: `${
				key === ''
					? `It's empty. Copy it from ${apiKeyLocation}`
					: `It contains spaces, or characters that an API key can't contain. Copy it again from ${apiKeyLocation}`
			} and save it in the credential. If you use an expression, check what it returns for this item. No request was sent.`,
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
		return "It's empty. Enter the URL of the service followed by /api in the credential, for example https://app.example.com/api.";
	}
	if (!/^https?:/i.test(baseUrl)) {
		const intendedUrl = tryParseUrl(`https://${baseUrl}`);
		return intendedUrl !== undefined && getBaseUrlError(intendedUrl.href) === undefined
			? `It must start with https://. Change it to ${suggestBaseUrl(intendedUrl)} in the credential.`
			: 'It must start with https://. Change it in the credential.';
	}
	const url = tryParseUrl(baseUrl);
	if (url !== undefined && url.href !== `${url.origin}${url.pathname}`) {
		return `It contains ${getExtraPart(url)}, but it must end in /api. Change it to ${suggestBaseUrl(url)} in the credential.`;
	}
	return url !== undefined && /^(\/[\w.~-]+)*\/?$/.test(url.pathname)
		? undefined
		: 'Check its spelling in the credential.';
}

/** Describes the part of a URL that a base URL can't have. */
function getExtraPart({ username, password, href }: URL): string {
	if (username !== '' || password !== '') return 'a username or a password';
	return href.includes('?') ? 'a question mark after the path' : 'a # after the path';
}
