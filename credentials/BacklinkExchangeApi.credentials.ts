import type {
	Icon,
	ICredentialDataDecryptedObject,
	ICredentialType,
	IHttpRequestOptions,
	INodeProperties,
} from 'n8n-workflow';

/**
 * Yields the host of the base URL, or an empty text, with which n8n sends the key nowhere. It must not throw, because n8n
 * cannot read a credential whose expression does.
 */
const hostOfBaseUrl =
	'={{ (/^[^a-z]*https?:\\/\\/([\\w.-]+|\\[[\\da-f:]+\\])(?=[:\\/]|$)/i.exec(String($self["baseUrl"]).trim()) || ["", ""])[1] }}';

/**
 * Bearer key of the REST API and secrets of the webhook (service-api.md, "Authentication").
 * Blanks around a pasted value and a slash at the end of the address do no harm: they are removed before use. The nodes
 * test it (nodes/shared/reading/credentialTest.ts), because n8n's declarative test cannot say what is wrong. n8n's own nodes may
 * send the key to the host of the base URL only (docs/decisions/0002-one-http-boundary.md).
 */
export class BacklinkExchangeApi implements ICredentialType {
	name = 'backlinkExchangeApi';

	displayName = 'Backlink Exchange API';

	icon: Icon = {
		light: 'file:../icons/backlinkExchange.svg',
		dark: 'file:../icons/backlinkExchange.dark.svg',
	};

	documentationUrl =
		'https://github.com/n8n-nodes-backlink-exchange/n8n-nodes-backlink-exchange#credentials';

	properties: INodeProperties[] = [
		{
			displayName: 'Base URL',
			name: 'baseUrl',
			type: 'string',
			required: true,
			default: '',
			placeholder: 'e.g. https://backlink-exchange.example/api',
			description: 'Address of the service, followed by /api',
		},
		{
			displayName: 'API Key',
			name: 'apiKey',
			type: 'string',
			typeOptions: { password: true },
			required: true,
			default: '',
			description:
				'Generate it in the dashboard of the service, under Settings, then API Keys. It needs the Pro or the Agency plan.',
		},
		{
			displayName: 'Webhook Secret',
			name: 'webhookSecret',
			type: 'string',
			typeOptions: { password: true },
			default: '',
			description:
				'Only for the webhook trigger: the secret shown in the dashboard of the service, under Settings, then Webhooks. It proves that an event really comes from the service.',
		},
		{
			displayName: 'Previous Webhook Secret',
			name: 'previousWebhookSecret',
			type: 'string',
			typeOptions: { password: true },
			default: '',
			description:
				'Leave empty unless you are changing the webhook secret. While you do, enter the old secret here, so that events signed with either one are accepted, and empty this field afterwards.',
		},
		// Without these, n8n adds fields of these names, with which a workflow may send the key to any host.
		{
			displayName: 'Allowed HTTP Request Domains',
			name: 'allowedHttpRequestDomains',
			type: 'hidden',
			default: 'domains',
		},
		{
			displayName: 'Allowed Domains',
			name: 'allowedDomains',
			type: 'hidden',
			default: hostOfBaseUrl,
		},
	];

	/**
	 * A function, because n8n 2.41 cannot evaluate the usual expression where two polls of a workflow overlap: the first one that
	 * ends takes away what the other one needs for it ("No bridge acquired for this context").
	 */
	async authenticate(
		{ apiKey }: ICredentialDataDecryptedObject,
		request: IHttpRequestOptions,
	): Promise<IHttpRequestOptions> {
		const key = String(apiKey)
			.trim()
			.replace(/^Bearer\s+/i, '');
		return { ...request, headers: { ...request.headers, Authorization: `Bearer ${key}` } };
	}
}
