/** Whether an error shows that the request was never sent. */
import { describe, expect, test } from 'vitest';

import { parseNetworkError } from '../../../../nodes/shared/transport/networkError.ts';

/** Wraps an error as n8n does: n8n's error around axios's around Node's. */
function asN8nThrows(error: object, request?: object): Error {
	const axiosError = Object.assign(new Error('axios'), {
		code: (error as { code?: string }).code,
		request,
		cause: error,
	});
	return new Error('n8n', { cause: axiosError });
}

const nodeError = (code: string, syscall?: string) =>
	Object.assign(new Error(code), { code, ...(syscall !== undefined && { syscall }) });

const neverSent = { neverSent: true };
const mayBeSent = { neverSent: false };

test.each([
	...['ECONNREFUSED', 'ECONNRESET', 'ETIMEDOUT', 'EHOSTUNREACH', 'ENETUNREACH', 'ENOTFOUND'],
	...['EAI_AGAIN', 'EAI_FAIL', 'ECONNABORTED', 'EPIPE', 'EPROTO', 'HPE_INVALID_CONSTANT'],
	...['ERR_HTTP2_STREAM_ERROR', 'X_CERT_HAS_EXPIRED'],
])('%s: sets neverSent only if DNS or the connection failed', (code) => {
	for (const syscall of ['connect', 'getaddrinfo', 'read', 'write', undefined]) {
		const read = ['connect', 'getaddrinfo'].includes(syscall ?? '') ? neverSent : mayBeSent;
		expect(parseNetworkError(asN8nThrows(nodeError(code, syscall)))).toEqual({ code, ...read });
	}
});

test('sets neverSent only if every address of the host failed to connect', () => {
	const errors = [nodeError('ECONNREFUSED', 'connect'), nodeError('ETIMEDOUT', 'connect')];
	const all = Object.assign(new AggregateError(errors), { code: 'ECONNREFUSED' });
	const wrapped = new AggregateError(errors.map((cause) => new Error('address', { cause })));
	for (const neverSentError of [all, wrapped]) {
		expect(parseNetworkError(asN8nThrows(neverSentError)).neverSent).toBe(true);
	}
	const mixed = new AggregateError([...errors, nodeError('ECONNRESET', 'read')]);
	for (const uncertainError of [mixed, new AggregateError([])]) {
		expect(parseNetworkError(asN8nThrows(uncertainError)).neverSent).toBe(false);
	}
});

test("sets neverSent if TLS wasn't established, and isTls for an error of TLS", () => {
	const read = (code: string, socket?: object | null) =>
		parseNetworkError(asN8nThrows(nodeError(code, 'write'), { socket }));
	const connecting = { secureConnecting: true };
	expect(read('EPROTO', connecting)).toEqual({
		code: 'EPROTO',
		neverSent: true,
		permanentCause: 'tls',
	});
	expect(read('ECONNRESET', connecting)).toEqual({ code: 'ECONNRESET', neverSent: true });
	for (const socket of [undefined, null, { secureConnecting: false }]) {
		expect(read('EPROTO', socket)).toEqual({ code: 'EPROTO', neverSent: false });
	}
});

test('sets neverSent for a request that n8n itself blocks', () => {
	const blocked = Object.assign(new Error('blocked'), { name: 'SsrfBlockedIpError' });
	const read = { neverSent: true, permanentCause: 'blocked' };
	expect(parseNetworkError(asN8nThrows(blocked))).toMatchObject(read);
});

describe('an n8n that omits the cause', () => {
	/** Creates the error of n8n 1.123. */
	const withoutCause = (httpCode: unknown, ...messages: string[]) =>
		Object.assign(new Error('n8n'), { httpCode, cause: undefined, messages });

	test.each([
		['ECONNREFUSED', 'connect ECONNREFUSED 127.0.0.1:9', neverSent],
		['ENETUNREACH', 'connect ENETUNREACH 2001:db8::1:443 - Local (:::0)', neverSent],
		['EAI_AGAIN', 'getaddrinfo EAI_AGAIN service.example', neverSent],
		['ECONNRESET', 'read ECONNRESET', mayBeSent],
		['ECONNRESET', 'socket hang up', mayBeSent],
		['ECONNABORTED', 'timeout of 1000ms exceeded', mayBeSent],
		['ECONNREFUSED', '', mayBeSent],
		['ECONNREFUSED', 'ECONNREFUSED', mayBeSent],
		['ECONNRESET', 'connect ECONNREFUSED ::1:9; read ECONNRESET', mayBeSent],
		['ECONNRESET', 'read ECONNRESET, then connect ECONNREFUSED ::1:9', mayBeSent],
	])('parses the text: %s, %j: %j', (code, text, read) => {
		expect(parseNetworkError(withoutCause(code, text, text))).toEqual({ code, ...read });
		// One text about another failure makes the result uncertain, and so does a missing one.
		const mixed = withoutCause(code, text, 'read ECONNRESET');
		for (const uncertainError of [mixed, withoutCause(code)]) {
			expect(parseNetworkError(uncertainError)).toEqual({ code, ...mayBeSent });
		}
	});

	test('ignores an HTTP status as a code, and recognizes a certificate by its code', () => {
		const read = { neverSent: true, permanentCause: 'certificate' };
		expect(parseNetworkError(withoutCause('CERT_HAS_EXPIRED'))).toMatchObject(read);
		for (const httpCode of [null, '', '502', 502, {}]) {
			expect(parseNetworkError(withoutCause(httpCode)).code).toBe('unknown');
		}
	});
});
