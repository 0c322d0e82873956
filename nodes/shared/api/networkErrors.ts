import { type ErrorResult, errorResult } from '../errors';
import type { GetResult } from '../transport/requestCache';

/**
 * Builds the error for a request without a response.
 *
 * @param action the purpose of the request, in the user's words
 */
export function toNetworkError(
	{ error: { code, neverSent, permanentCause }, url }: GetResult & { kind: 'networkError' },
	action: string,
): ErrorResult {
	const failedAction = `Could not ${action}`;
	const nothingSentBecause = `${failedAction}: nothing was sent, because`;
	if (permanentCause !== undefined) {
		const { message, reason } = permanentCauses[permanentCause];
		return errorResult({
			message,
			description: `${nothingSentBecause} ${reason(code)}`,
			// If n8n blocks the URL, there is no network code.
			code: permanentCause === 'blocked' ? undefined : code,
			failure: { cause: 'configuration-invalid' },
		});
	}
	const cause = neverSent
		? `${nothingSentBecause} no connection was made (${code}).`
		: `${failedAction}: the connection was cut or gave no answer (${code}).`;
	return errorResult({
		message: 'The service could not be reached',
		description: `${cause}${getLikelyReason(code, new URL(url))} Check the base URL in the credential and that n8n can reach it, then run again.`,
		code,
		failure: { cause: 'temporarily-unavailable' },
	});
}

/** Causes that last until someone fixes them. Each reason follows "nothing was sent, because". */
const permanentCauses = {
	certificate: {
		message: 'The certificate of the service is not valid',
		reason: (code: string) =>
			`${getCertificateReason(code)} (${code}). Check the base URL in the credential. If the service is behind a proxy or server of your own, install a valid certificate there.`,
	},
	tls: {
		message: 'No protected connection to the service can be made',
		reason: (code: string) =>
			`the server at the base URL does not speak TLS there, or no version of it in common with n8n (${code}). If it is a local server without TLS, the base URL begins with http:// instead of https://; otherwise check its port.`,
	},
	blocked: {
		message: 'n8n does not allow requests to the address of the service',
		reason: () =>
			'this n8n is set to block requests to private or listed addresses. Check the base URL in the credential, or ask the administrator of n8n to allow it.',
	},
};

function getCertificateReason(code: string): string {
	if (code === 'CERT_HAS_EXPIRED') return 'it has expired';
	if (/ALTNAME|HOSTNAME/.test(code)) return 'it was issued for another host';
	if (code.includes('SELF_SIGNED')) return 'it is self-signed';
	return 'n8n cannot verify it';
}

/**
 * Explains a network error code as a trailing sentence.
 *
 * @returns `''` for codes that need no explanation
 */
function getLikelyReason(code: string, { protocol, hostname, host }: URL): string {
	if (code === 'ECONNREFUSED') {
		const isLocal = /^(localhost|127\.|\[::1\])/.test(hostname);
		return ` Nothing answers at ${host}: it refused the connection.${isLocal ? ' If n8n runs in Docker, localhost is its own container: use host.docker.internal or the name of the other container.' : ''}`;
	}
	if (/^(ENOTFOUND|EAI_)/.test(code)) return ` The host ${hostname} is not known.`;
	if (['ETIMEDOUT', 'ECONNABORTED', 'ESOCKETTIMEDOUT', 'ERR_CANCELED'].includes(code)) {
		return ` ${host} did not answer in time; a firewall may be in between.`;
	}
	if (code === 'EHOSTUNREACH' || code === 'ENETUNREACH') {
		return ` n8n has no way through the network to ${host}.`;
	}
	if (/^(EPROTO|ERR_SSL_|ERR_TLS_)/.test(code)) {
		return ` ${host} does not speak TLS, so perhaps the base URL begins with http:// there.`;
	}
	return protocol === 'http:' ? ' Does the base URL have to begin with https://?' : '';
}
