import type {
	Icon,
	ICredentialDataDecryptedObject,
	ICredentialType,
	IHttpRequestOptions,
	INodeProperties,
} from 'n8n-workflow';

import { formatError, isErrorResult } from '../nodes/shared/errors';
import { parseCredential } from '../nodes/shared/transport/credential';
import { tryParseUrl } from '../nodes/shared/utils/url';

/**
 * Holds the API key and the webhook secrets (service-api.md, "Authentication").
 *
 * The nodes test it (nodes/shared/methods/credentialTest.ts), because n8n's declarative test can't
 * explain which setting is wrong.
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
		// Without this field, n8n adds its own fields for allowed domains, which `authenticate` checks.
		{
			displayName: 'Allowed HTTP Request Domains',
			name: 'allowedHttpRequestDomains',
			type: 'hidden',
			default: 'all',
		},
	];

	/**
	 * Adds the API key to a request, but only for the host and port of the base URL
	 * (docs/decisions/0002-one-http-boundary.md). n8n calls it for its own nodes, too.
	 *
	 * A function, not the usual expression: n8n can't evaluate that when two polls of a workflow
	 * overlap ("No bridge acquired for this context").
	 *
	 * n8n 2.41: evaluating an expression takes about 50 ms each time the credential is read, for
	 * every forged delivery, too. So no field contains one for n8n's check of hosts.
	 *
	 * @throws {Error} if the request goes to another origin, or the credential isn't valid
	 */
	async authenticate(
		credential: ICredentialDataDecryptedObject,
		request: IHttpRequestOptions & { uri?: string },
	): Promise<IHttpRequestOptions> {
		const account = parseCredential(credential);
		if (isErrorResult(account)) throw new Error(formatError(account));
		const { origin, hostname } = new URL(account.baseUrl);
		const { url, uri = url, baseURL, headers } = request;
		if (tryParseUrl(uri, baseURL)?.origin !== origin) {
			throw new Error(`The API key of this credential goes to ${origin} only`);
		}
		const authorized = { ...headers, Authorization: `Bearer ${account.apiKey}` };
		// With it, n8n doesn't follow redirects to other hosts.
		return { ...request, headers: authorized, allowedDomains: hostname };
	}
}
