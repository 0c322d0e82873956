import type { INodeProperties } from 'n8n-workflow';

import { optionFields, triggerOn } from './settings';

/** What the editor shows of the trigger besides its poll times. */
export const properties: INodeProperties[] = [
	{
		displayName:
			'The first look after publishing takes note of what is there; what happens after it starts the workflow. To try it now, fetch a test event: it shows the newest that is there. The ready-made workflow "Event inbox" puts it beside the webhook trigger.',
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
