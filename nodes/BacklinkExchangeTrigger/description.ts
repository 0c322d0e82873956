import type { INodeProperties } from 'n8n-workflow';

import { optionFields, triggerOn } from './settings';

/** What the editor shows of the trigger. */
export const properties: INodeProperties[] = [
	{
		displayName:
			"Open Webhook URLs above. To try it: click the button to listen, enter the <b>Test URL</b> in the dashboard of the service under Settings, then Webhooks, and make an event happen. For good: publish the workflow and enter the <b>Production URL</b> there instead. The secret shown there belongs into the credential. An address that begins with http://localhost cannot be reached by a service on the internet: set n8n's WEBHOOK_URL to one that can. A delivery that is refused is answered with 401, and n8n's log says why; while you listen, so does this panel.",
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
