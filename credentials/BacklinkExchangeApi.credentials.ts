import type {
	IAuthenticateGeneric,
	Icon,
	ICredentialTestRequest,
	ICredentialType,
	INodeProperties,
} from 'n8n-workflow';

/**
 * Bearer key of the REST API and secrets of the webhook (service-api.md, "Authentication").
 * Blanks around a pasted value and a slash at the end of the address do no harm: both expressions below take them off.
 */
export class BacklinkExchangeApi implements ICredentialType {
	name = 'backlinkExchangeApi';

	displayName = 'Backlink Exchange API';

	icon: Icon = {
		light: 'file:../icons/backlinkExchange.svg',
		dark: 'file:../icons/backlinkExchange.dark.svg',
	};

	documentationUrl =
		'https://github.com/n8n-nodes-backlink-exchange/n8n-nodes-backlink-exchange#credential';

	properties: INodeProperties[] = [
		{
			displayName: 'Base URL',
			name: 'baseUrl',
			type: 'string',
			required: true,
			default: '',
			placeholder: 'e.g. https://app.example.com/api',
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
				'Generate it in the dashboard of the service under Settings, then API Keys. Needs the Pro or the Agency plan.',
		},
		{
			displayName: 'Webhook Secret',
			name: 'webhookSecret',
			type: 'string',
			typeOptions: { password: true },
			default: '',
			description:
				'Only for the trigger: the secret shown in the dashboard under Settings, then Webhooks. It proves that an event really comes from the service.',
		},
		{
			displayName: 'Previous Webhook Secret',
			name: 'previousWebhookSecret',
			type: 'string',
			typeOptions: { password: true },
			default: '',
			description:
				'Only while you change the webhook secret: put the old one here, so that events signed with either are accepted. Empty it afterwards.',
		},
	];

	authenticate: IAuthenticateGeneric = {
		type: 'generic',
		properties: {
			headers: {
				Authorization: '=Bearer {{ $credentials.apiKey.trim() }}',
			},
		},
	};

	test: ICredentialTestRequest = {
		request: {
			baseURL: '={{ $credentials.baseUrl.trim().replace(/[ /]+$/, "") }}',
			url: '/sites',
			method: 'GET',
			// The key is for this address alone (n8n would take it along to another origin).
			disableFollowRedirect: true,
		},
		// n8n evaluates both kinds of rule in one list; its type names one kind at a time.
		rules: [
			...[301, 302, 307, 308].map((value) => ({
				type: 'responseCode' as const,
				properties: {
					value,
					message:
						'This address redirects to another one. Enter the final address as the base URL, with https:// and ending in /api.',
				},
			})),
			{
				type: 'responseCode' as const,
				properties: {
					value: 401,
					message:
						'The service does not accept this API key. Copy it again from Settings, then API Keys.',
				},
			},
			{
				type: 'responseCode' as const,
				properties: {
					value: 403,
					message:
						'The service refuses this API key. Copy it again from Settings, then API Keys, and check that the account has the Pro or the Agency plan.',
				},
			},
			{
				type: 'responseCode' as const,
				properties: {
					value: 404,
					message: 'Nothing was found at this address. Does the base URL end in /api?',
				},
			},
			{
				// First character of an answer that is a web page instead of JSON.
				type: 'responseSuccessBody' as const,
				properties: {
					key: '0',
					value: '<',
					message: 'This address answers with a web page. Does the base URL end in /api?',
				},
			},
		] as ICredentialTestRequest['rules'],
	};
}
