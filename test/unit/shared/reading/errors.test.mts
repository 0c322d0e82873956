/** The message and the remedy for each answer, and for each way of getting none. */
import { expect, test } from 'vitest';

import {
	explainAnswer,
	explainOutcome,
	explainUnreadable,
	type Intent,
} from '../../../../nodes/shared/reading/errors.ts';

const url = 'https://service.example/api/sites';

function answer(statusCode: number, json: unknown, headers: Record<string, string> = {}) {
	return { statusCode, headers, json, text: JSON.stringify(json), url, askedAt: 0, receivedAt: 0 };
}

function explained(statusCode: number, json: unknown, intent: Partial<Intent> = {}) {
	return explainAnswer(answer(statusCode, json), { action: 'list the sites', ...intent });
}

const said = (statusCode: number, json: unknown) => explained(statusCode, json).description;

test('an answer without a message is described by its status and what it holds', () => {
	expect(said(418, {})).toMatch(/^The service answered HTTP 418 with an object with no fields\b/);
	expect(said(418, { error: { message: ' ' } })).toContain('The service answered HTTP 418 with');
});

test("the service's own words are quoted, with their code", () => {
	expect(said(418, { error: { code: 'teapot', message: 'I am short' } })).toContain(
		'The service says: "I am short" (teapot).',
	);
	expect(said(418, { error: { message: 'I am short' } })).toContain(
		'The service says: "I am short".',
	);
});

const copyTheKey = /Copy the key again from Settings, then API Keys/i;
const checkTheUrl = /Check the base URL in the credential/;
test.each([
	[300, {}, /redirects to another address/, /API key is meant/, 'configuration-invalid'],
	[401, {}, /does not accept the API key/, copyTheKey, 'credential-invalid'],
	[402, {}, /refuses access/, /needs the Pro or the Agency plan/, 'credential-invalid'],
	[402, { error: { code: 'insufficient_credits' } }, /credits/, /Earn or buy/, 'quota-exhausted'],
	[403, {}, /refuses access with this API key/, copyTheKey, 'credential-invalid'],
	[404, {}, /Nothing was found at this address/, checkTheUrl, 'configuration-invalid'],
	[405, {}, /Nothing was found at this address/, checkTheUrl, 'configuration-invalid'],
	[407, {}, /proxy of n8n asks for a login/, /proxy settings/, 'configuration-invalid'],
	[408, {}, /not available right now/, /Run again later/, 'temporarily-unavailable'],
	[500, {}, /not available right now/, /Run again later/, 'temporarily-unavailable'],
])(
	'HTTP %i with %j is described by what it is, to people and to n8n',
	(statusCode, json, message, description, cause) => {
		expect(explained(statusCode, json)).toMatchObject({
			statusCode,
			message: expect.stringMatching(message) as unknown,
			description: expect.stringMatching(description) as unknown,
			failure: { cause },
		});
	},
);

test.each([
	[404, { error: { code: 'not_found' } }, 'unknown'],
	[410, {}, 'unknown'],
	[404, {}, 'unknown'],
	[405, { error: { code: 'x' } }, 'Nothing was found at this address of the service'],
	[400, { error: { code: 'x' } }, 'The service declined to list the sites'],
])(
	'HTTP %i with %j, where something is asked for that may be unknown: %s',
	(status, json, message) => {
		const notFound = { message: 'unknown', description: '' };
		expect(explained(status, json, { notFound }).message).toBe(message);
		expect(explained(410, {}).message).toContain('Nothing was found');
	},
);

const useHttps = 'https:// instead of http://';
test.each([
	['http://a.example/api', 'https://a.example/api', useHttps],
	['http://a.example/api', 'https://b.example/c?d', 'names https://b.example/c.'],
	['http://a.example/api', '/login', 'names http://a.example/login.'],
	['https://a.example/api', 'https://a.example/login', 'names https://a.example/login.'],
	['https://a.example/api', 'http://[', 'Enter the final address in the credential.'],
	['https://a.example/api', '', 'Enter the final address in the credential.'],
])('a redirect from %s to "%s" says: %s', (from, location, expected) => {
	const response = { ...answer(302, {}, { location }), url: from };
	expect(explainAnswer(response, { action: 'read' }).description).toContain(expected);
});

test('a limit that resets after all dates is told as the last of them', () => {
	const outcome = { kind: 'limited', response: answer(429, {}), longestWait: 1000 } as const;
	const { description } = explainOutcome({ ...outcome, resetsAt: 9e15 }, { action: 'read' });
	expect(description).toContain('The limit resets at +275760-09-13T00:00:00.000Z');
});

test('a web page in the place of a list shows that the address is wrong only where /api is missing', () => {
	const page = { ...answer(200, undefined), text: ' <html>' };
	const website = { ...page, url: 'https://service.example/exchanges' };
	expect(explainUnreadable(website, 'a list')).toMatchObject({
		description: expect.stringMatching(
			/received a web page\. .+ end in \/api\. .+\/api\.$/,
		) as unknown,
		failure: { cause: 'configuration-invalid' },
	});
	const service = { ...page, url: 'https://service.example/api/exchanges' };
	const explained = explainUnreadable(service, 'a list');
	expect(explained.description).toMatch(/Check the base URL .+ may be in maintenance\.$/);
	expect(explained.failure).toBeUndefined();
	expect(explainUnreadable(answer(200, 'a <b>'), 'a list').failure).toBeUndefined();
});

test.each([
	['CERT_HAS_EXPIRED', 'certificate', 'it has expired'],
	['CERT_NOT_YET_VALID', 'certificate', 'it is not valid yet'],
	['CERT_REVOKED', 'certificate', 'it was revoked'],
	['ERR_TLS_CERT_ALTNAME_INVALID', 'certificate', 'it was issued for another host'],
	['HOSTNAME_MISMATCH', 'certificate', 'it was issued for another host'],
	['SELF_SIGNED_CERT_IN_CHAIN', 'certificate', 'it is self-signed'],
	['UNABLE_TO_VERIFY_LEAF_SIGNATURE', 'certificate', 'n8n cannot verify it'],
	['EPROTO', 'tls', 'does not speak TLS'],
	['EPROTO', undefined, 'does not speak TLS'],
	['ECONNRESET', undefined, '(ECONNRESET). Check the base URL'],
	['EHOSTUNREACH', undefined, 'no way through the network'],
	['ENETUNREACH', undefined, 'no way through the network'],
	['ECONNREFUSED', undefined, 'Nothing answers at service.example'],
	['ENOTFOUND', undefined, 'The host service.example is not known'],
	['EAI_AGAIN', undefined, 'The host service.example is not known'],
	['ETIMEDOUT', undefined, 'did not answer in time'],
	['ECONNABORTED', undefined, 'did not answer in time'],
] as const)('%s, in the way of which is %s, is said: %s', (code, obstacle, reason) => {
	const error = { code, neverSent: true, obstacle };
	const { description, failure } = explainOutcome(
		{ kind: 'unreachable', url, error },
		{ action: 'read' },
	);
	expect(description).toContain(reason);
	expect(failure).toEqual({
		cause: obstacle === undefined ? 'temporarily-unavailable' : 'configuration-invalid',
	});
});
