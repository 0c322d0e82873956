import fc from 'fast-check';
import { describe, expect, test } from 'vitest';

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

describe('an n8n that leaves out the cause', () => {
	/** As n8n 1.123 throws it. */
	const withoutCause = (httpCode: string, text: string) =>
		Object.assign(new Error('The service refused the connection'), {
			httpCode,
			cause: undefined,
			messages: [text, text],
		});

	test.each([
		['ECONNREFUSED', 'connect ECONNREFUSED 127.0.0.1:9'],
		['ENETUNREACH', 'connect ENETUNREACH 2001:db8::1:443 - Local (:::0)'],
		['EAI_AGAIN', 'getaddrinfo EAI_AGAIN service.example'],
	])('never sent: %s, by the text of the error', (code, text) => {
		expect(readNetworkError(withoutCause(code, text))).toEqual({ code, neverSent: true });
	});

	test.each([
		['ECONNRESET', 'read ECONNRESET'],
		['ECONNRESET', 'socket hang up'],
		['ECONNABORTED', 'timeout of 1000ms exceeded'],
		['ECONNREFUSED', ''],
		['ECONNREFUSED', 'ECONNREFUSED'],
		['ECONNRESET', 'connect ECONNREFUSED ::1:9; read ECONNRESET'],
		['ECONNRESET', 'read ECONNRESET, then connect ECONNREFUSED ::1:9'],
	])('may have been sent: %s, %j', (code, text) => {
		expect(readNetworkError(withoutCause(code, text))).toEqual({ code, neverSent: false });
	});

	test('one text of several that tells of something else is enough to doubt it', () => {
		const error = Object.assign(withoutCause('ECONNRESET', 'read ECONNRESET'), {
			messages: ['connect ECONNREFUSED 127.0.0.1:9', 'read ECONNRESET'],
		});
		expect(readNetworkError(error).neverSent).toBe(false);
	});

	test('the status of an answer is no code, and a certificate is recognised by its code', () => {
		const error = withoutCause('CERT_HAS_EXPIRED', 'certificate has expired');
		expect(readNetworkError(error)).toMatchObject({ neverSent: true, obstacle: 'certificate' });
		for (const httpCode of [null, '', '502', 502, {}]) {
			expect(readNetworkError(Object.assign(error, { httpCode })).code).toBe('unknown');
		}
	});
});
