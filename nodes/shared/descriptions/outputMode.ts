import type { INodeProperties } from 'n8n-workflow';

/** For operations and triggers that return several items at the same time. */
export const outputModeField: INodeProperties = {
	displayName: 'Output',
	name: 'output',
	type: 'options',
	options: [
		{
			name: 'Digest',
			value: 'digest',
			description:
				'One item for all of them: one message for Slack or an email, a title for its subject, and the items',
		},
		{ name: 'Items', value: 'items', description: 'One item for each result or event' },
	],
	default: 'items',
	description: 'Whether to return each result or event, or one message about all of them',
};
