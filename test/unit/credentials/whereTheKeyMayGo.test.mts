/** Which hosts n8n's own nodes may send the key to, by n8n's own check; in a real n8n: test/e2e/workflows/whereTheKeyMayGo.test.mts. */
import fc from 'fast-check';
import {
	getCredentialAllowedDomains,
	type ICredentialDataDecryptedObject,
	injectDomainRestrictionFields,
	type INode,
	type INodeParameters,
	isDomainAllowed,
	NodeHelpers,
	Workflow,
} from 'n8n-workflow';
import { describe, expect, test } from 'vitest';

import { BacklinkExchangeApi } from '../../../credentials/BacklinkExchangeApi.credentials.ts';
import { readAccount } from '../../../nodes/shared/service/credential.ts';

const node: INode = {
	id: '1',
	name: 'HTTP Request',
	type: 'n8n-nodes-base.httpRequest',
	typeVersion: 1,
	position: [0, 0],
	parameters: {},
};
const workflow = new Workflow({
	nodes: [node],
	connections: {},
	active: false,
	nodeTypes: {
		getByName: () => ({ description: { properties: [] } }) as never,
		getByNameAndVersion: () => ({ description: { properties: [] } }) as never,
		getKnownTypes: () => ({}),
	},
});

/** The credential as n8n's CredentialsHelper gives it to a node: with its defaults, and its expressions resolved for the item. */
function decrypted(
	entered: ICredentialDataDecryptedObject,
	item: Record<string, string> = {},
): ICredentialDataDecryptedObject {
	const properties = injectDomainRestrictionFields(new BacklinkExchangeApi());
	const values = NodeHelpers.getNodeParameters(
		properties,
		entered as INodeParameters,
		true,
		false,
		null,
		null,
	) as INodeParameters;
	return workflow.expression.getParameterValue(
		values,
		null,
		0,
		0,
		node.name,
		[{ json: item }],
		'manual',
		{},
		undefined,
		false,
		values,
	) as ICredentialDataDecryptedObject;
}

/** Whether the HTTP Request node may use the credential for this address. */
function maySend(
	url: string,
	entered: ICredentialDataDecryptedObject,
	item?: Record<string, string>,
): boolean {
	try {
		const allowedDomains = getCredentialAllowedDomains({
			node,
			credentialData: decrypted(entered, item),
		});
		return allowedDomains === undefined || isDomainAllowed({ url, allowedDomains });
	} catch {
		return false;
	}
}

test.each([
	['https://app.example.com/api', 'https://app.example.com/other'],
	['https://APP.Example.com:8443/api/', 'https://app.example.com/api/sites'],
	['\u200b https://app.example.com// \u2060', 'https://app.example.com/api/sites'],
	['http://127.0.0.1:4100/api', 'http://127.0.0.1:4100/api/sites'],
	['http://[::1]:4100/api', 'http://[::1]:4100/api/sites'],
	['http://localhost', 'http://localhost/sites'],
])('the key of %s may go to %s', (baseUrl, url) => {
	expect(maySend(url, { baseUrl, apiKey: 'key_1' })).toBe(true);
});

test.each([
	['https://app.example.com/api', 'https://evil.example/api'],
	['https://app.example.com/api', 'https://app.example.com.evil.example/api'],
	['https://app.example.com/api', 'https://x.app.example.com/api'],
	['https://app.example.com/api', 'https://example.com/api'],
	['https://app.example.com/api', 'https://app.example.com@evil.example/api'],
	['https://app.example.com,evil.example/api', 'https://evil.example/api'],
	['https://*.com/api', 'https://evil.com/api'],
	['', 'https://evil.example/api'],
	['evil.example', 'https://evil.example/api'],
])('the key of %j may not go to %s', (baseUrl, url) => {
	expect(maySend(url, { baseUrl, apiKey: 'key_1' })).toBe(false);
});

test('no base URL at all, or one that is not a text: nowhere', () => {
	for (const baseUrl of [undefined, null, 5, {}, []] as never[]) {
		expect(maySend('https://evil.example/', { baseUrl, apiKey: 'key_1' })).toBe(false);
	}
});

test('a base URL that is an expression: the host that it yields for the item, and no other', () => {
	const entered = { baseUrl: '={{ $json.address }}', apiKey: 'key_1' };
	const item = { address: 'https://one.example/api' };
	expect(maySend('https://one.example/api/sites', entered, item)).toBe(true);
	expect(maySend('https://two.example/api/sites', entered, item)).toBe(false);
	expect(maySend('https://one.example/api/sites', entered, {})).toBe(false);
});

test('the fields of n8n, with which a person could allow all hosts, are not added', () => {
	const names = injectDomainRestrictionFields(new BacklinkExchangeApi()).map(
		({ name, type }) => [name, type] as const,
	);
	expect(names.filter(([name]) => name.startsWith('allowed'))).toEqual([
		['allowedHttpRequestDomains', 'hidden'],
		['allowedDomains', 'hidden'],
	]);
});

describe('whatever the base URL', () => {
	const host = fc.oneof(
		fc.domain(),
		fc.ipV4(),
		fc.ipV6().map((address) => `[${address}]`),
		fc.string({ maxLength: 12 }),
	);
	const baseUrl = fc
		.tuple(
			fc.constantFrom('https://', 'http://', 'HTTPS://', ' https://', ''),
			host,
			fc.constantFrom('', ':8080', '/api', '/api/', ':1/api', '\\api', '?x', '@evil.example/api'),
		)
		.map((parts) => parts.join(''));

	test('reading the credential does not throw, and the nodes and n8n agree where the key may go', () => {
		fc.assert(
			fc.property(baseUrl, host, (entered, other) => {
				const credential = { baseUrl: entered, apiKey: 'key_1' };
				expect(decrypted(credential)).toMatchObject({ apiKey: 'key_1' });
				const account = readAccount(credential);
				const own = 'baseUrl' in account ? new URL(account.baseUrl).hostname : undefined;
				const url = `https://${other}/`;
				if (own === undefined || !URL.canParse(url) || new URL(url).hostname === own) return;
				expect(maySend(url, credential)).toBe(false);
			}),
		);
	});
});
