/**
 * The hosts to which n8n's own nodes may send the key of the credential. In a real n8n:
 * test/e2e/apiKeyScope.test.mts.
 */
import type { IHttpRequestOptions } from 'n8n-workflow';
import { expect, test } from 'vitest';

import { BacklinkExchangeApi } from '../../../credentials/BacklinkExchangeApi.credentials.ts';

const ours = 'https://app.example.com/api';
const evil = 'https://evil.example/api';

async function authenticated(
	baseUrl: unknown,
	request: Partial<IHttpRequestOptions> & { uri?: string },
): Promise<IHttpRequestOptions> {
	const credential = { baseUrl, apiKey: ' Bearer key_1 ' } as never;
	return await new BacklinkExchangeApi().authenticate(credential, request as IHttpRequestOptions);
}

test.each<[baseUrl: string, request: Partial<IHttpRequestOptions> & { uri?: string }]>([
	[ours, { url: 'https://app.example.com/other' }],
	[ours, { uri: 'https://app.example.com/api/sites' }],
	[ours, { url: '/api/sites', baseURL: 'https://app.example.com' }],
	['https://APP.Example.com:8443/api/', { url: 'https://app.example.com:8443/api/sites' }],
	['\u200b https://app.example.com// \u2060', { url: 'https://app.example.com/api/sites' }],
	['http://127.0.0.1:4100/api', { url: 'http://127.0.0.1:4100/api/sites' }],
	['http://[::1]:4100/api', { url: 'http://[::1]:4100/api/sites' }],
	['http://localhost', { url: 'http://localhost/sites' }],
])('sends the key of %j to %j, and to no other host after a redirect', async (baseUrl, request) => {
	const { headers, allowedDomains } = await authenticated(baseUrl, request);
	expect(headers).toEqual({ Authorization: 'Bearer key_1' });
	expect(allowedDomains).toBe(new URL(request.url ?? request.uri ?? '', request.baseURL).hostname);
});

test.each<[baseUrl: unknown, url: string]>([
	[ours, evil],
	[ours, 'http://app.example.com/api'],
	[ours, 'https://app.example.com:8443/api'],
	[ours, 'https://app.example.com.evil.example/api'],
	[ours, 'https://x.app.example.com/api'],
	[ours, 'https://example.com/api'],
	[ours, 'https://app.example.com@evil.example/api'],
	[ours, 'evil'],
	['https://app.example.com,evil.example/api', evil],
	['https://*.com/api', 'https://evil.com/api'],
	...['', 'evil.example', undefined, null, 5, {}, []].map((none): [unknown, string] => [
		none,
		evil,
	]),
])("doesn't send the key of %j to %s", async (baseUrl, url) => {
	await expect(authenticated(baseUrl, { url })).rejects.toThrow(/base URL|sent only to/);
});
