import type { IDataObject } from 'n8n-workflow';

import { isObject } from '../utils/isObject';

/** Why no answer came, as far as the network stack says. */
export interface NetworkError {
	/** The code that Node.js, OpenSSL or axios gives, for example ECONNREFUSED; `unknown` when there is none. */
	code: string;
	/** Nothing of the request has left, because no connection was made, or none that is protected. */
	neverSent: boolean;
	/**
	 * What stands in the way until somebody changes it: the server's certificate, TLS itself (an https address of a server
	 * that does not speak it, or no version in common), or n8n, which may be set to block requests to private addresses.
	 */
	permanentCause?: 'certificate' | 'tls' | 'blocked';
}

/** Codes for a certificate that fails its check (Node.js, "X509 certificate error codes"), which comes before anything is sent. */
const certificateCodes =
	/^(CERT_|CRL_|UNABLE_TO_|DEPTH_ZERO_|SELF_SIGNED_|ERROR_IN_C|INVALID_CA|INVALID_PURPOSE|PATH_LENGTH_|HOSTNAME_MISMATCH|ERR_TLS_CERT_)/;
const tlsCodes = /^(EPROTO|ERR_SSL_|ERR_TLS_)/;

/**
 * A failed connection as Node.js words it (util.ErrnoException): the system call, the code, the address. Several errors
 * that are joined into one text do not match.
 */
const connectFailureText = /^(connect|getaddrinfo) E[A-Z_]+( [^\s;]+)*$/;

/**
 * Reads what n8n's request helper throws. "Never sent" is only what shows that nothing left: the system call that failed
 * was the resolving of the name or the connecting, or TLS was not yet established (the request waits for it in the socket).
 * A code alone does not: a connection can be reset, and a host become unreachable, while the answer is read.
 */
export function parseNetworkError(error: unknown): NetworkError {
	const chain = getCauseChain(error);
	const codes = chain
		// Where no HTTP status came, n8n's own error has the code of the network in its place.
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

/** The error, with what n8n, axios and Node.js put around it and into it. */
function getCauseChain(error: unknown): IDataObject[] {
	const chain: IDataObject[] = [];
	for (let current = error; chain.length < 6 && isObject(current); current = current.cause) {
		chain.push(current);
	}
	return chain;
}

function isConnectFailure({ syscall, errors, cause, messages }: IDataObject): boolean {
	// Some versions of n8n (1.123 to 2.20 at least) leave out the cause and keep its text, which begins with the system call.
	if (cause === undefined && Array.isArray(messages) && messages.length > 0) {
		return messages.every((text) => typeof text === 'string' && connectFailureText.test(text));
	}
	// The errors of all addresses of the host that were tried.
	if (Array.isArray(errors) && errors.length > 0) {
		return errors.every((each: unknown) => getCauseChain(each).some(isConnectFailure));
	}
	return syscall === 'connect' || syscall === 'getaddrinfo';
}
