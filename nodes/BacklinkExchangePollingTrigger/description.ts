import type { INodeProperties } from 'n8n-workflow';

/** What the editor shows of the trigger besides its poll times. */
export const properties: INodeProperties[] = [
	{
		displayName:
			'The first look only takes note of what is there; events after it start the workflow. Together with the webhook trigger and a Remove Duplicates node on the field eventKey, no event is missed and none is processed twice.',
		name: 'notice',
		type: 'notice',
		default: '',
	},
	{
		displayName: 'Trigger On',
		name: 'events',
		type: 'multiOptions',
		required: true,
		default: [
			'exchange.accepted',
			'exchange.broken',
			'exchange.published',
			'exchange.requested',
			'watchdog.alert',
		],
		options: [
			{
				name: 'Exchange Accepted',
				value: 'exchange.accepted',
				description: 'An exchange offer was accepted',
			},
			{
				name: 'Exchange Broken',
				value: 'exchange.broken',
				description: 'The link of an exchange is no longer live',
			},
			{
				name: 'Exchange Published',
				value: 'exchange.published',
				description: 'The link of an exchange went live',
			},
			{
				name: 'Exchange Requested',
				value: 'exchange.requested',
				description: 'Somebody offers an exchange',
			},
			{
				name: 'Watchdog Alert',
				value: 'watchdog.alert',
				description: 'The watchdog noticed something about a link',
			},
		],
		description: 'The events that start the workflow',
	},
	{
		// The editor has no previews for triggers, so what comes out is shown here before the first event.
		displayName:
			'An event comes out like this: { "event": "exchange.accepted", "eventKey": "exchange.accepted:exc_1:1782907200", "data": { "accepted_at": "2026-07-01T12:00:00Z", … }, "source": "poll" }',
		name: 'sample',
		type: 'notice',
		default: '',
	},
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
