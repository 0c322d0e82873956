import type { IDataObject } from 'n8n-workflow';

import { isObject } from '../utils/isObject';

/** Network failure because of which there is no response, as reported by the network stack. */
export interface NetworkError {
	/** Code of Node.js, OpenSSL or axios, for example ECONNREFUSED. `unknown` if there is none. */
	code: string;
	/**
	 * Nothing of the request was sent, because no connection, or no TLS connection, was established.
	 */
	neverSent: boolean;
	/**
	 * Cause for which a retry is pointless: the server's certificate, TLS (the server doesn't support
	 * it, or no common version), or n8n, which can block requests to private addresses.
	 */
	permanentCause?: 'certificate' | 'tls' | 'blocked';
}

/**
 * Codes of an invalid certificate (Node.js, "X509 certificate error codes"). It is checked before
 * anything is sent.
 */
const certificateCodes =
	/^(CERT_|CRL_|UNABLE_TO_|DEPTH_ZERO_|SELF_SIGNED_|ERROR_IN_C|INVALID_CA|INVALID_PURPOSE|PATH_LENGTH_|HOSTNAME_MISMATCH|ERR_TLS_CERT_)/;
const tlsCodes = /^(EPROTO|ERR_SSL_|ERR_TLS_)/;

/**
 * Message of Node.js for a failed connection (util.ErrnoException): system call, code, address.
 * Several messages joined into one text don't match.
 */
const connectFailureText = /^(connect|getaddrinfo) E[A-Z_]+( [^\s;]+)*$/;

/**
 * Parses an error of n8n's request helper.
 *
 * `neverSent` is set only with proof: the failed system call resolved the host name or connected,
 * or TLS wasn't established yet (the socket holds the request back until then). A code alone is no
 * proof: a connection can be reset, and a host become unreachable, while the response is read.
 */
export function parseNetworkError(error: unknown): NetworkError {
	const chain = getCauseChain(error);
	const codes = chain
		// Without an HTTP status, n8n's own error has the network code in `httpCode`.
		.flatMap(({ code, httpCode }) => [code, httpCode])
		.filter((code): code is string => typeof code === 'string' && !/^\d/.test(code));
	const code = codes.find((each) => each !== '') ?? 'unknown';
	if (chain.some(({ name }) => typeof name === 'string' && name.startsWith('SsrfBlocked'))) {
		return { code: 'blocked by n8n', neverSent: true, permanentCause: 'blocked' };
	}
	if (codes.some((each) => certificateCodes.test(each))) {
		return { code, neverSent: true, permanentCause: 'certificate' };
	}
	const isTlsPending = chain.some(({ request }) => {
		const { socket } = (request ?? {}) as { socket?: { secureConnecting?: unknown } | null };
		return socket?.secureConnecting === true;
	});
	if (isTlsPending && tlsCodes.test(code)) return { code, neverSent: true, permanentCause: 'tls' };
	return { code, neverSent: isTlsPending || chain.some(isConnectFailure) };
}

/** Returns the error and its nested causes, as n8n, axios and Node.js wrap them. */
function getCauseChain(error: unknown): IDataObject[] {
	const chain: IDataObject[] = [];
	for (let current = error; chain.length < 6 && isObject(current); current = current.cause) {
		chain.push(current);
	}
	return chain;
}

function isConnectFailure({ syscall, errors, cause, messages }: IDataObject): boolean {
	// n8n 1.123 to at least 2.20: the cause is missing, but its text remains, and begins with the
	// system call.
	if (cause === undefined && Array.isArray(messages) && messages.length > 0) {
		return messages.every((text) => typeof text === 'string' && connectFailureText.test(text));
	}
	// One error for each IP address of the host that was tried.
	if (Array.isArray(errors) && errors.length > 0) {
		return errors.every((each: unknown) => getCauseChain(each).some(isConnectFailure));
	}
	return syscall === 'connect' || syscall === 'getaddrinfo';
}
