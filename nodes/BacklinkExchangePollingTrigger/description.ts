import type { INodeProperties } from 'n8n-workflow';

import { eventsField } from '../shared/events';

/** What the editor shows of the trigger besides its poll times. */
export const properties: INodeProperties[] = [
	{
		displayName:
			'The first look only takes note of what is there; events after it start the workflow. The ready-made workflow "Event inbox" puts it beside the webhook trigger, so that no event is missed and each is worked on once.',
		name: 'notice',
		type: 'notice',
		default: '',
	},
	eventsField('polling', 'The events that start the workflow'),
	{
		displayName: 'Options',
		name: 'options',
		type: 'collection',
		placeholder: 'Add option',
		default: {},
		options: [
			{
				displayName: 'Emit Existing',
				name: 'emitExisting',
				type: 'boolean',
				default: false,
				description:
					'Whether the first look at an account gives out everything that has happened to the exchanges and alerts that are there already',
			},
		],
	},
];
