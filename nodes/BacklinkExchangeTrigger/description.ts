import type { INodeProperties } from 'n8n-workflow';

import { optionFields, triggerOn } from './settings';

/** What the editor shows of the trigger. */
export const properties: INodeProperties[] = [
	{
		displayName:
			"Enter one of the Webhook URLs above in the dashboard of the service, under Settings, then Webhooks: the <b>Test URL</b> while you listen for a test event, the <b>Production URL</b> once the workflow is published. Copy the secret shown there into the credential. The service cannot reach an address that begins with http://localhost: set n8n's WEBHOOK_URL to one that it can. The service has <b>one webhook address</b>, so one workflow alone gets deliveries. Every other workflow uses the Backlink Exchange Polling Trigger.",
		name: 'notice',
		type: 'notice',
		default: '',
	},
	triggerOn,
	{
		displayName: 'Options',
		name: 'options',
		type: 'collection',
		placeholder: 'Add option',
		default: {},
		options: optionFields,
	},
];
