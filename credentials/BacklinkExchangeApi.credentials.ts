import type {
	Icon,
	ICredentialDataDecryptedObject,
	ICredentialTestRequest,
	ICredentialType,
	IHttpRequestOptions,
	INodeProperties,
} from 'n8n-workflow';

import { errorMessages } from '../nodes/shared/errorMessages';
import { withDescriptionInMessage } from '../nodes/shared/errors';
import {
	type ApiCredential,
	apiKeyLocation,
	parseCredential,
} from '../nodes/shared/transport/credential';
import { tryParseUrl } from '../nodes/shared/utils/url';

/** How to fix a wrong base URL. */
const baseUrlHint = 'The base URL must end in /api, for example https://app.example.com/api.';

const redirectMessage = `${errorMessages.baseUrlRedirects}. Open the base URL in a browser, copy the URL that the browser then shows, and enter it in the credential.`;

/** Messages of the credential test for HTTP status codes. n8n shows the others by their name. */
const messagesByStatusCode: Record<number, string> = {
	301: redirectMessage,
	302: redirectMessage,
	307: redirectMessage,
	308: redirectMessage,
	401: `${errorMessages.apiKeyNotAccepted}. Copy the key again from ${apiKeyLocation}.`,
	403: `${errorMessages.accessDenied}. Check that your account has the Pro or Agency plan, and copy the key again from ${apiKeyLocation}. If a firewall protects the service, ask its administrator to allow requests from n8n.`,
	404: `The base URL doesn't lead to the API. ${baseUrlHint}`,
	429: `${errorMessages.rateLimitReached}. Wait a minute, and test the credential again.`,
};

/** Holds the API key and the webhook secrets (service-api.md, "Authentication"). */
export class BacklinkExchangeApi implements ICredentialType {
	name = 'backlinkExchangeApi';

	displayName = 'Backlink Exchange API';

	icon: Icon = {
		light: 'file:../icons/backlinkExchange.svg',
		dark: 'file:../icons/backlinkExchange.dark.svg',
	};

	documentationUrl =
		'https://github.com/n8n-nodes-backlink-exchange/n8n-nodes-backlink-exchange#credentials';

	// n8n's fields for allowed domains would be superfluous: `authenticate` checks the origin.
	hideDomainRestrictionFields = true;

	properties: INodeProperties[] = [
		{
			displayName: 'Base URL',
			name: 'baseUrl',
			type: 'string',
			required: true,
			default: '',
			placeholder: 'e.g. https://backlink-exchange.example/api',
			description: 'URL of the service, followed by /api',
		},
		{
			displayName: 'API Key',
			name: 'apiKey',
			type: 'string',
			typeOptions: { password: true },
			required: true,
			default: '',
			description:
				'Generate it in your dashboard under Settings > API Keys. This requires the Pro or Agency plan.',
		},
		{
			displayName: 'Webhook Secret',
			name: 'webhookSecret',
			type: 'string',
			typeOptions: { password: true },
			default: '',
			description:
				'Only for the webhook trigger. Copy it from your dashboard under Settings > Webhooks. It proves that an event comes from the service.',
		},
		{
			displayName: 'Previous Webhook Secret',
			name: 'previousWebhookSecret',
			type: 'string',
			typeOptions: { password: true },
			default: '',
			description:
				'Leave empty unless you change the webhook secret. Then enter the old secret here, so that the trigger accepts both secrets, and clear this field afterward.',
		},
	];

	/**
	 * Lists the sites. The nodes have more detailed messages, but n8n's verification requires a
	 * declarative test.
	 *
	 * As text, because n8n 2.41 can't evaluate a rule on an empty JSON array, and a rule can only
	 * compare for equality, so it can't accept all forms of a list
	 * (nodes/shared/api/forms/lists.ts). A rule reads a character of the text by its index.
	 */
	test: ICredentialTestRequest = {
		request: {
			baseURL: '={{$credentials.baseUrl}}',
			url: '/sites',
			headers: { Accept: 'application/json' },
			encoding: 'text',
			// The API key must not follow a redirect.
			disableFollowRedirect: true,
		},
		rules: [
			...Object.entries(messagesByStatusCode).map(([statusCode, message]) => ({
				type: 'responseCode',
				properties: { value: Number(statusCode), message: `${message} (HTTP ${statusCode})` },
			})),
			// A web page, also after a byte order mark or a line break. JSON has "<" only inside strings.
			...['0', '1', '2'].map((key) => ({
				type: 'responseSuccessBody',
				properties: {
					key,
					value: '<',
					message: `The base URL leads to a web page, not to the API. ${baseUrlHint}`,
				},
			})),
		] as ICredentialTestRequest['rules'],
	};

	/**
	 * Adds the API key to a request, but only for the host and port of the base URL
	 * (docs/decisions/0002-one-http-boundary.md). n8n calls it for its own nodes, too.
	 *
	 * A function, not the usual expression: n8n can't evaluate that when two polls of a workflow
	 * overlap ("No bridge acquired for this context").
	 *
	 * The test passes the base URL as it was entered, so it's normalized here.
	 *
	 * @throws {Error} if the request goes to another origin, or the credential isn't valid
	 */
	async authenticate(
		credential: ICredentialDataDecryptedObject,
		request: IHttpRequestOptions & { uri?: string },
	): Promise<IHttpRequestOptions> {
		const account = parseOrThrow(credential);
		const { origin, hostname } = new URL(account.baseUrl);
		const { url, uri = url, headers } = request;
		const isEnteredUrl = request.baseURL !== undefined && request.baseURL === credential.baseUrl;
		const baseURL = isEnteredUrl ? account.baseUrl : request.baseURL;
		if (tryParseUrl(uri, baseURL)?.origin !== origin) {
			throw new Error(
				`${errorMessages.apiKeyOfOtherUrl(origin)}. Change the URL of the request, or select another credential`,
			);
		}
		const authorized = { ...headers, Authorization: `Bearer ${account.apiKey}` };
		// With it, n8n doesn't follow redirects to other hosts.
		return {
			...request,
			...(isEnteredUrl && { baseURL }),
			headers: authorized,
			allowedDomains: hostname,
		};
	}
}

/** @throws {Error} whose message contains how to fix it, because n8n shows nothing else */
function parseOrThrow(credential: ICredentialDataDecryptedObject): ApiCredential {
	try {
		return parseCredential(credential);
	} catch (error) {
		throw withDescriptionInMessage(error);
	}
}
