/** Errors of requests without a response: the reasons that users read, by network code. */
import { expect, test } from 'vitest';

import { createNetworkError } from '../../../../nodes/shared/api/networkErrors.ts';

const describe = (code: string, url: string) =>
	createNetworkError({ kind: 'networkError', error: { code, neverSent: true }, url }, 'x')
		.description;

test.each([
	['ECONNREFUSED', 'https://links.example/api', 'No server accepts connections at links.example.'],
	['ECONNREFUSED', 'http://localhost:4100/api', 'localhost is the container itself'],
	['ENOTFOUND', 'https://links.example/api', "The host links.example doesn't exist"],
	['EAI_AGAIN', 'https://links.example/api', "The host links.example doesn't exist"],
	['ETIMEDOUT', 'https://links.example/api', "links.example didn't respond in time"],
	['EHOSTUNREACH', 'https://links.example/api', 'n8n has no network route to links.example'],
	['EPROTO', 'https://links.example/api', 'Try http:// instead of https://'],
	['ECONNRESET', 'http://links.example/api', 'may need https:// instead of http://'],
])('%s at %s has the reason “%s”', (code, url, reason) => {
	expect(describe(code, url)).toContain(reason);
});

test('names no reason that the code does not show', () => {
	expect(describe('ECONNRESET', 'https://links.example/api')).toMatch(
		/^Couldn't x\. n8n couldn't connect, so no request was sent\. Check the base URL .*\(ECONNRESET\)$/,
	);
});
