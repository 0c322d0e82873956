/** Requests that must not control the sandbox. */
import { describe, expect, test } from 'vitest';

import { askUrl, control, openSandbox } from './harness.mts';

describe('cross-origin pages', () => {
	const crossOriginRequests: [string, Record<string, string>, number][] = [
		['from another origin', { origin: 'https://evil.example' }, 403],
		['from an opaque origin', { origin: 'null' }, 403],
		['from another port', { origin: 'http://127.0.0.1:1' }, 403],
		['marked cross-site by the browser', { 'sec-fetch-site': 'cross-site' }, 403],
		['marked same-site by the browser', { 'sec-fetch-site': 'same-site' }, 403],
		['under a rebound name', { host: 'evil.example' }, 403],
		['with a form', { 'content-type': 'application/x-www-form-urlencoded' }, 415],
		['with plain text', { 'content-type': 'text/plain' }, 415],
	];

	test.each(crossOriginRequests)("can't change anything: %s", async (_name, headers, status) => {
		const sandbox = await openSandbox();
		const answer = await control(sandbox, '/offers', {}, headers);
		expect([answer.status, sandbox.books.exchanges()]).toEqual([status, []]);
		if (status !== 403) return;
		// Nor read anything, such as the webhook's secret.
		const state = await askUrl('GET', `${sandbox.origin}/control/state`, { headers });
		expect(state.status).toBe(403);
	});

	test('get no CORS permission, and the dashboard needs none', async () => {
		const sandbox = await openSandbox();
		const preflight = await askUrl('OPTIONS', `${sandbox.origin}/control/offers`, {
			headers: { origin: 'https://evil.example' },
		});
		expect(preflight.headers['access-control-allow-origin']).toBeUndefined();
		const own = { origin: sandbox.origin, 'sec-fetch-site': 'same-origin' };
		expect((await control(sandbox, '/offers', {}, own)).status).toBe(200);
	});

	test("can't frame the dashboard", async () => {
		const sandbox = await openSandbox();
		const { headers } = await askUrl('GET', `${sandbox.origin}/`);
		expect(headers['content-security-policy']).toContain("frame-ancestors 'none'");
	});

	test('need this machine, because the sandbox listens on loopback', async () => {
		const { origin } = await openSandbox();
		expect(new URL(origin).hostname).toBe('127.0.0.1');
	});
});
