/** What the error of a request says about whether it was sent. */
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';

import { readNetworkError } from '../../../../nodes/shared/service/networkError.ts';

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

const neverSent = { neverSent: true };
const mayBeSent = { neverSent: false };
const certificate = { neverSent: true, obstacle: 'certificate' };

test.each([
	['ECONNREFUSED', 'connect', neverSent],
	['ECONNRESET', 'connect', neverSent],
	['ETIMEDOUT', 'connect', neverSent],
	['EHOSTUNREACH', 'connect', neverSent],
	['ENETUNREACH', 'connect', neverSent],
	['ENOTFOUND', 'getaddrinfo', neverSent],
	['EAI_AGAIN', 'getaddrinfo', neverSent],
	['EAI_FAIL', 'getaddrinfo', neverSent],
	['ECONNRESET', 'read', mayBeSent],
	['ECONNRESET', undefined, mayBeSent],
	['EHOSTUNREACH', 'read', mayBeSent],
	['ENETUNREACH', 'write', mayBeSent],
	['ETIMEDOUT', 'read', mayBeSent],
	['ETIMEDOUT', undefined, mayBeSent],
	['ECONNREFUSED', undefined, mayBeSent],
	['ECONNABORTED', undefined, mayBeSent],
	['EPIPE', 'write', mayBeSent],
	['HPE_INVALID_CONSTANT', undefined, mayBeSent],
	['ERR_HTTP2_STREAM_ERROR', undefined, mayBeSent],
	['CERT_HAS_EXPIRED', undefined, certificate],
	['DEPTH_ZERO_SELF_SIGNED_CERT', undefined, certificate],
	['SELF_SIGNED_CERT_IN_CHAIN', undefined, certificate],
	['UNABLE_TO_VERIFY_LEAF_SIGNATURE', undefined, certificate],
	['UNABLE_TO_GET_ISSUER_CERT_LOCALLY', undefined, certificate],
	['ERR_TLS_CERT_ALTNAME_INVALID', undefined, certificate],
	['HOSTNAME_MISMATCH', undefined, certificate],
])('%s at %s: %j', (code, syscall, read) => {
	expect(readNetworkError(asN8nThrows(nodeError(code, syscall)))).toEqual({ code, ...read });
});

test('of several addresses that were tried, each has to have failed to connect', () => {
	const errors = [nodeError('ECONNREFUSED', 'connect'), nodeError('ETIMEDOUT', 'connect')];
	const all = Object.assign(new AggregateError(errors), { code: 'ECONNREFUSED' });
	expect(readNetworkError(asN8nThrows(all)).neverSent).toBe(true);
	const mixed = Object.assign(new AggregateError([...errors, nodeError('ECONNRESET', 'read')]), {
		code: 'ECONNREFUSED',
	});
	expect(readNetworkError(asN8nThrows(mixed)).neverSent).toBe(false);
	expect(readNetworkError(asN8nThrows(new AggregateError([]))).neverSent).toBe(false);
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
	const thrown = fc.oneof(fc.anything(), fc.constantFrom(circular, undefined, null));
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
	])('by its text, %s, %j: %j', (code, text, read) => {
		expect(readNetworkError(withoutCause(code, text))).toEqual({ code, ...read });
	});

	test('one text of several that tells of something else is enough to doubt it, and so is none', () => {
		const error = withoutCause('ECONNRESET', 'read ECONNRESET');
		for (const messages of [['connect ECONNREFUSED 127.0.0.1:9', 'read ECONNRESET'], []]) {
			expect(readNetworkError(Object.assign(error, { messages })).neverSent).toBe(false);
		}
	});

	test('the status of an answer is no code, and a certificate is recognized by its code', () => {
		const error = withoutCause('CERT_HAS_EXPIRED', 'certificate has expired');
		expect(readNetworkError(error)).toMatchObject({ neverSent: true, obstacle: 'certificate' });
		for (const httpCode of [null, '', '502', 502, {}]) {
			expect(readNetworkError(Object.assign(error, { httpCode })).code).toBe('unknown');
		}
	});
});
