/**
 * What a local server cannot show, on n8n's real request stack with the network closed: names that are not resolved,
 * an https host, a redirect to another origin. Everything else is tested over real HTTP.
 */
import nock from 'nock';
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest';

import { runNode } from '../engine.mts';
import { acceptParameters } from '../service.mts';
import { useVirtualTime } from '../virtualTime.mts';

// So that the pauses between tries take no time.
useVirtualTime();

const origin = 'https://service.example';
const credential = { baseUrl: `${origin}/api`, apiKey: 'key_1234567890' };

beforeAll(() => {
	// Another file in the same process may have restored the network.
	if (!nock.isActive()) nock.activate();
	nock.disableNetConnect();
});

afterEach(() => {
	nock.cleanAll();
});

afterAll(() => {
	nock.enableNetConnect();
	nock.restore();
});

const listSites = (baseUrl = credential.baseUrl) =>
	runNode({
		parameters: { resource: 'site', operation: 'getAll' },
		credential: { ...credential, baseUrl },
	});

const accept = () =>
	runNode({
		parameters: { resource: 'exchange', operation: 'accept', ...acceptParameters('exc_1') },
		credential,
	});

const networkError = (code: string, syscall: string) =>
	Object.assign(new Error(`${syscall} ${code} service.example`), { code, syscall });

const namesNotResolved = ['ENOTFOUND', 'EAI_AGAIN', 'EAI_FAIL', 'EAI_NODATA', 'EAI_NONAME'];

describe('a name that is not resolved', () => {
	test('is tried again, whichever code says so', async () => {
		const outcomes = namesNotResolved.map(async (code) => {
			const host = `https://${code.toLowerCase().replace('_', '-')}.example`;
			const failing = nock(host)
				.get('/api/sites')
				.times(3)
				.replyWithError(networkError(code, 'getaddrinfo'));
			const answering = nock(host).get('/api/sites').reply(200, { sites: [] });
			const { error } = await listSites(`${host}/api`);
			return [code, error?.message, failing.isDone(), answering.isDone()];
		});
		expect(await Promise.all(outcomes)).toEqual(
			namesNotResolved.map((code) => [code, undefined, true, true]),
		);
	});

	test('an accept that never left is sent again, and only that', async () => {
		const list = nock(origin)
			.get('/api/exchanges')
			.reply(200, [{ id: 'exc_1', status: 'pending' }]);
		const failing = nock(origin)
			.post('/api/exchanges/exc_1/accept')
			.replyWithError(networkError('EAI_AGAIN', 'getaddrinfo'));
		const answering = nock(origin)
			.post('/api/exchanges/exc_1/accept')
			.reply(200, { id: 'exc_1', status: 'accepted' });
		const { items } = await accept();
		expect(items[0]?.json).toMatchObject({ outcome: 'accepted', confirmedBy: 'response' });
		expect([list, failing, answering].map((scope) => scope.isDone())).toEqual([true, true, true]);
	});
});

test.each([
	['CERT_HAS_EXPIRED', 'it has expired'],
	['ERR_TLS_CERT_ALTNAME_INVALID', 'it was issued for another host'],
	['UNABLE_TO_VERIFY_LEAF_SIGNATURE', 'n8n cannot verify it'],
])('a certificate that is not valid is not tried again: %s', async (code, reason) => {
	// An exchange of its own: one that was posted before would be looked up first.
	const id = `exc_${code}`;
	nock(origin)
		.get('/api/exchanges')
		.reply(200, [{ id, status: 'pending' }]);
	const failing = nock(origin)
		.post(`/api/exchanges/${id}/accept`)
		.replyWithError(Object.assign(new Error(code), { code }));
	const { error } = await runNode({
		parameters: {
			resource: 'exchange',
			operation: 'accept',
			...acceptParameters(id),
		},
		credential,
	});
	expect(error?.message).toBe('The certificate of the service is not valid');
	expect(error?.description).toContain(`nothing was sent, because ${reason}`);
	expect(failing.isDone()).toBe(true);
});

describe('an https host', () => {
	test.each([301, 302, 303, 307, 308])(
		'that redirects to another origin with %i: the key stays where it is',
		async (status) => {
			nock(origin)
				.get('/api/sites')
				.reply(status, '', { location: 'https://elsewhere.example/api/sites?token=secret' });
			const elsewhere = nock('https://elsewhere.example')
				.get('/api/sites')
				.query(true)
				.reply(200, { sites: [] });
			const { error } = await listSites();
			expect(error?.message).toBe('The base URL redirects to another address');
			expect(error?.description).toContain('https://elsewhere.example/api/sites');
			expect(error?.description).not.toContain('token=secret');
			expect(elsewhere.isDone()).toBe(false);
		},
	);

	test('that redirects to itself without TLS: the key stays as well', async () => {
		nock(origin).get('/api/sites').reply(302, '', { location: 'http://service.example/api/sites' });
		const unprotected = nock('http://service.example').get('/api/sites').reply(200, { sites: [] });
		const { error } = await listSites();
		expect(error?.message).toBe('The base URL redirects to another address');
		expect(unprotected.isDone()).toBe(false);
	});
});
