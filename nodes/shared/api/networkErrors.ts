import { errorMessages } from '../errorMessages';
import { ServiceError } from '../errors';
import { joinWords } from '../formatting/message';
import type { GetResult } from '../transport/requestCache';

/**
 * Builds the error for a request without a response.
 *
 * @param action the purpose of the request, in the user's words
 */
export function createNetworkError(
	{ error: { code, neverSent, permanentCause }, url }: GetResult & { kind: 'networkError' },
	action: string,
): ServiceError {
	if (permanentCause !== undefined) {
		const { message, describe } = permanentCauses[permanentCause];
		return new ServiceError({
			message,
			description: joinWords(`Couldn't ${action}.`, describe(code), 'No request was sent.'),
			// If n8n blocks the URL, there is no network code.
			code: permanentCause === 'blocked' ? undefined : code,
			failure: { cause: 'configuration-invalid' },
		});
	}
	const cause = neverSent
		? "n8n couldn't connect, so no request was sent."
		: 'The connection was interrupted, or there was no response.';
	return new ServiceError({
		message: errorMessages.unreachable,
		description: joinWords(
			`Couldn't ${action}.`,
			cause,
			getLikelyReason(code, new URL(url)),
			'Check the base URL in the credential, and that n8n can reach it. Then run the workflow again.',
			`(${code})`,
		),
		code,
		failure: { cause: 'temporarily-unavailable' },
	});
}

/** Causes that last until someone fixes them. */
const permanentCauses = {
	certificate: {
		message: errorMessages.certificateInvalid,
		describe: (code: string) =>
			`${getCertificateReason(code)} (${code}). Check the base URL in the credential. If your own proxy or server is in front of the service, install a valid certificate there.`,
	},
	tls: {
		message: errorMessages.tlsFailed,
		describe: (code: string) =>
			`The server at the base URL doesn't support https:// on this port, or supports only an old version of it (${code}). If the server is on your own computer or network, change https:// to http:// in the base URL. Otherwise, check the port.`,
	},
	blocked: {
		message: errorMessages.blockedByN8n,
		describe: () =>
			'Your n8n is configured to block requests to certain IP addresses, such as private ones. Check the base URL in the credential, or ask your n8n administrator to allow its host.',
	},
};

function getCertificateReason(code: string): string {
	if (code === 'CERT_HAS_EXPIRED') return 'The certificate has expired';
	if (/ALTNAME|HOSTNAME/.test(code)) return 'The certificate was issued for another host';
	if (code.includes('SELF_SIGNED')) return 'The certificate is self-signed';
	return "n8n can't verify the certificate";
}

/**
 * Explains a network error code in sentences.
 *
 * @returns `''` for codes that need no explanation
 */
function getLikelyReason(code: string, { protocol, hostname, host }: URL): string {
	if (code === 'ECONNREFUSED') {
		const isLocal = /^(localhost|127\.|\[::1\])/.test(hostname);
		return `No server accepts connections at ${host}.${isLocal ? ' If n8n runs in Docker, localhost is the container itself. Use host.docker.internal or the name of the other container.' : ''}`;
	}
	if (/^(ENOTFOUND|EAI_)/.test(code)) {
		return `The host ${hostname} doesn't exist, or n8n couldn't look it up.`;
	}
	if (['ETIMEDOUT', 'ECONNABORTED', 'ESOCKETTIMEDOUT', 'ERR_CANCELED'].includes(code)) {
		return `${host} didn't respond in time. A firewall may block the connection.`;
	}
	if (code === 'EHOSTUNREACH' || code === 'ENETUNREACH') {
		return `n8n has no network route to ${host}.`;
	}
	if (/^(EPROTO|ERR_SSL_|ERR_TLS_)/.test(code)) {
		return `The connection to ${host} isn't encrypted as expected. Try http:// instead of https:// at the start of the base URL.`;
	}
	return protocol === 'http:' ? 'The base URL may need https:// instead of http://.' : '';
}
