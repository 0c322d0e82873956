import fc from 'fast-check';
import { expect, test } from 'vitest';

import { readNetworkError } from '../../../nodes/shared/networkError.ts';

/** As n8n passes it on: its own error around axios's around Node's. */
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

test.each([
	['ECONNREFUSED', 'connect'],
	['ECONNRESET', 'connect'],
	['ETIMEDOUT', 'connect'],
	['EHOSTUNREACH', 'connect'],
	['ENETUNREACH', 'connect'],
	['ENOTFOUND', 'getaddrinfo'],
	['EAI_AGAIN', 'getaddrinfo'],
	['EAI_FAIL', 'getaddrinfo'],
])('never sent: %s at %s', (code, syscall) => {
	expect(readNetworkError(asN8nThrows(nodeError(code, syscall)))).toEqual({
		code,
		neverSent: true,
	});
});

test.each([
	['ECONNRESET', 'read'],
	['ECONNRESET', undefined],
	['EHOSTUNREACH', 'read'],
	['ENETUNREACH', 'write'],
	['ETIMEDOUT', 'read'],
	['ETIMEDOUT', undefined],
	['ECONNREFUSED', undefined],
	['ECONNABORTED', undefined],
	['EPIPE', 'write'],
	['HPE_INVALID_CONSTANT', undefined],
])('may have been sent: %s at %s', (code, syscall) => {
	expect(readNetworkError(asN8nThrows(nodeError(code, syscall)))).toEqual({
		code,
		neverSent: false,
	});
});

test('of several addresses that were tried, each has to have failed to connect', () => {
	const errors = [nodeError('ECONNREFUSED', 'connect'), nodeError('ETIMEDOUT', 'connect')];
	const all = Object.assign(new AggregateError(errors), { code: 'ECONNREFUSED' });
	expect(readNetworkError(asN8nThrows(all)).neverSent).toBe(true);
	const mixed = Object.assign(new AggregateError([...errors, nodeError('ECONNRESET', 'read')]), {
		code: 'ECONNREFUSED',
	});
	expect(readNetworkError(asN8nThrows(mixed)).neverSent).toBe(false);
});

test.each([
	'CERT_HAS_EXPIRED',
	'DEPTH_ZERO_SELF_SIGNED_CERT',
	'SELF_SIGNED_CERT_IN_CHAIN',
	'UNABLE_TO_VERIFY_LEAF_SIGNATURE',
	'UNABLE_TO_GET_ISSUER_CERT_LOCALLY',
	'ERR_TLS_CERT_ALTNAME_INVALID',
	'HOSTNAME_MISMATCH',
])('a certificate that is not valid: %s', (code) => {
	expect(readNetworkError(asN8nThrows(nodeError(code)))).toEqual({
		code,
		neverSent: true,
		obstacle: 'certificate',
	});
});

test('TLS counts as an obstacle only as long as it was not established', () => {
	const broken = nodeError('EPROTO', 'write');
	expect(readNetworkError(asN8nThrows(broken, { socket: { secureConnecting: true } }))).toEqual({
		code: 'EPROTO',
		neverSent: true,
		obstacle: 'tls',
	});
	for (const request of [
		undefined,
		{},
		{ socket: null },
		{ socket: { secureConnecting: false } },
	]) {
		expect(readNetworkError(asN8nThrows(broken, request))).toEqual({
			code: 'EPROTO',
			neverSent: false,
		});
	}
});

test('a connection that is cut before TLS is established has sent nothing', () => {
	const request = { socket: { secureConnecting: true } };
	expect(readNetworkError(asN8nThrows(nodeError('ECONNRESET', 'read'), request))).toEqual({
		code: 'ECONNRESET',
		neverSent: true,
	});
});

test('a request that n8n itself blocks was never sent', () => {
	const blocked = Object.assign(new Error('blocked'), { name: 'SsrfBlockedIpError' });
	expect(readNetworkError(asN8nThrows(blocked))).toMatchObject({
		neverSent: true,
		obstacle: 'blocked',
	});
});

test('whatever is thrown is read without a throw, and counts as sent', () => {
	const circular: { cause?: unknown } = {};
	circular.cause = circular;
	const thrown = fc.oneof(fc.anything(), fc.constant(circular), fc.constant(undefined));
	fc.assert(
		fc.property(thrown, (error) => {
			expect(readNetworkError(error).neverSent).toBe(false);
		}),
	);
});
