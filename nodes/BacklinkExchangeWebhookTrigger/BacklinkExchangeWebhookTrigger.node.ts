import type {
	IHookFunctions,
	INodeType,
	INodeTypeDescription,
	IWebhookFunctions,
	IWebhookResponseData,
} from 'n8n-workflow';
import { NodeConnectionTypes } from 'n8n-workflow';

import { eventsSubtitle } from '../shared/descriptions/eventsField';
import { formatOutputSchema } from '../shared/descriptions/outputSchema';
import { errorMessages } from '../shared/errorMessages';
import { toNodeOperationError, withPublishHint } from '../shared/errors';
import { credentialName } from '../shared/transport/credential';
import output from './__schema__/v2.0.0.json';
import { getParameters, properties } from './parameters';
import { parseSecret } from './verifySignature';
import { receive } from './webhook';

/** Starts the workflow with signed deliveries of the service (service-api.md, "Events"). */
export class BacklinkExchangeWebhookTrigger implements INodeType {
	description: INodeTypeDescription = {
		displayName: 'Backlink Exchange Webhook Trigger',
		name: 'backlinkExchangeWebhookTrigger',
		icon: {
			light: 'file:../../icons/backlinkExchange.svg',
			dark: 'file:../../icons/backlinkExchange.dark.svg',
		},
		group: ['trigger'],
		// n8n 2.41: version 1 of a trigger evaluates an expression for each request, which costs more
		// than everything else.
		version: 2,
		subtitle: eventsSubtitle,
		description: "Starts the workflow on the service's webhooks. Requires a public URL.",
		// Shown on the canvas while the editor listens for a test event.
		eventTriggerDescription:
			'Waiting for a test event. Enter the test URL in your dashboard, then cause an event there.',
		triggerPanel: {
			header: 'Receive events from the Backlink Exchange Service',
			executionsHelp: {
				inactive:
					"<b>To test it</b>, copy the <b>Test URL</b> into your dashboard, under Settings &gt; Webhooks, and copy the secret from there into the credential. Then click the button above and cause an event. The event appears here. If the trigger rejects the delivery, the reason appears instead.<br /><br /><b>To use it</b>, publish the workflow and enter the <b>Production URL</b> in your dashboard instead. Only <b>one workflow</b> gets deliveries, so use the Backlink Exchange Trigger in all others. If the URL begins with http://localhost, the service can't reach it. In that case, set n8n's variable WEBHOOK_URL to a URL that the service can reach.<br /><br />All executions are in the <a data-key=\"executions\">executions list</a>. n8n's log explains why a delivery was rejected.",
				active:
					'<b>The workflow is published</b>. Events at the <b>Production URL</b> start it. All executions are in the <a data-key="executions">executions list</a>. n8n\'s log explains why a delivery was rejected.<br /><br /><b>To test a change</b>, enter the <b>Test URL</b> in your dashboard for a while, click the button above and cause an event.',
			},
			activationHint: {
				inactive:
					'To test it, enter the test URL in your dashboard, click the button, and cause an event there. As soon as your workflow is finished, publish it, and enter the production URL instead.',
				active: 'The workflow also starts with every event at the production URL.',
			},
		},
		activationMessage:
			'Deliveries to the production URL now start this workflow. Enter that URL in your dashboard, under Settings > Webhooks.',
		defaults: { name: 'Backlink Exchange Webhook Trigger' },
		builderHint: {
			searchHint:
				'Use this trigger only if a workflow must start within seconds of an event. Otherwise use backlinkExchangeTrigger. This trigger needs an n8n instance with a public URL. The service sends events to only one webhook URL, so only one workflow gets them. Events that happen while n8n is down may be lost.',
			relatedNodes: [
				{
					nodeType: 'n8n-nodes-backlink-exchange.backlinkExchangeTrigger',
					relationHint:
						'Use it if a few minutes of delay are fine. It needs no public URL, works in any number of workflows, and finds events that happened while n8n was down.',
				},
			],
			extraTypeDefContent: [
				{
					content: `${formatOutputSchema(output)}\nTo use one URL for several workflows, add a Switch on expr('{{ $json.event }}') or, for each of your sites, on expr('{{ $json.site }}'), and an Execute Sub-workflow node for each workflow. Direction, partner, site, anchor and link are missing if the exchange couldn't be looked up.`,
				},
			],
		},
		inputs: [],
		outputs: [NodeConnectionTypes.Main],
		credentials: [{ name: 'backlinkExchangeApi', required: true }],
		webhooks: [
			{
				name: 'default',
				httpMethod: 'POST',
				responseMode: 'onReceived',
				// n8n 2.41: with an empty string, the response is the one that `receive` returns.
				responseData: '',
				path: 'webhook',
			},
			// The dashboard may check that a URL responds before it accepts the URL.
			...(['GET', 'HEAD'] as const).map((httpMethod) => ({
				name: 'setup' as const,
				httpMethod,
				responseMode: 'onReceived' as const,
				path: 'webhook',
				ndvHideUrl: true,
			})),
		],
		properties,
	};

	/**
	 * Nothing is registered at the service, which documents no endpoint for it: users enter the URL
	 * in the dashboard.
	 */
	webhookMethods = {
		default: {
			async checkExists(this: IHookFunctions): Promise<boolean> {
				return false;
			},
			async create(this: IHookFunctions): Promise<boolean> {
				try {
					getParameters(this);
					const credential = await this.getCredentials(credentialName);
					if (parseSecret(credential.webhookSecret).length === 0) {
						throw toNodeOperationError(this.getNode(), {
							message: errorMessages.webhookSecretMissing,
							description:
								"The workflow can't be published without a webhook secret. Copy the secret from Settings > Webhooks in your dashboard into 'Webhook Secret' of the credential.",
						});
					}
				} catch (error) {
					throw withPublishHint(error);
				}
				return true;
			},
			async delete(this: IHookFunctions): Promise<boolean> {
				return true;
			},
		},
	};

	async webhook(this: IWebhookFunctions): Promise<IWebhookResponseData> {
		if (this.getWebhookName() === 'setup') {
			return {
				webhookResponse: {
					message:
						'This URL receives events from the service. Enter it in your dashboard under Settings > Webhooks.',
				},
			};
		}
		return await receive(this);
	}
}
