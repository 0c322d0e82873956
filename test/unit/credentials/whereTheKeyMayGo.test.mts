/** Which hosts n8n's own nodes may send the key to, by n8n's own check; in a real n8n: test/e2e/workflows/whereTheKeyMayGo.test.mts. */
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
import { expect, test } from 'vitest';

import { BacklinkExchangeApi } from '../../../credentials/BacklinkExchangeApi.credentials.ts';

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
	const fields = entered as INodeParameters;
	const values = NodeHelpers.getNodeParameters(properties, fields, true, false, null, null) ?? {};
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

const ours = 'https://app.example.com/api';
const evil = 'https://evil.example/api';

test.each<[baseUrl: unknown, url: string, may: boolean]>([
	[ours, 'https://app.example.com/other', true],
	['https://APP.Example.com:8443/api/', 'https://app.example.com/api/sites', true],
	['\u200b https://app.example.com// \u2060', 'https://app.example.com/api/sites', true],
	['http://127.0.0.1:4100/api', 'http://127.0.0.1:4100/api/sites', true],
	['http://[::1]:4100/api', 'http://[::1]:4100/api/sites', true],
	['http://localhost', 'http://localhost/sites', true],
	[ours, evil, false],
	[ours, 'https://app.example.com.evil.example/api', false],
	[ours, 'https://x.app.example.com/api', false],
	[ours, 'https://example.com/api', false],
	[ours, 'https://app.example.com@evil.example/api', false],
	['https://app.example.com,evil.example/api', evil, false],
	['https://*.com/api', 'https://evil.com/api', false],
	...['', 'evil.example', undefined, null, 5, {}, []].map((none): [unknown, string, boolean] => [
		none,
		evil,
		false,
	]),
])('whether the key of %j may go to %s: %s', (baseUrl, url, may) => {
	expect(maySend(url, { baseUrl, apiKey: 'key_1' } as never)).toBe(may);
});

test('a base URL that is an expression: the host that it yields for the item, and no other', () => {
	const entered = { baseUrl: '={{ $json.address }}', apiKey: 'key_1' };
	const item = { address: 'https://one.example/api' };
	expect(maySend('https://one.example/api/sites', entered, item)).toBe(true);
	expect(maySend('https://two.example/api/sites', entered, item)).toBe(false);
	expect(maySend('https://one.example/api/sites', entered, {})).toBe(false);
});
