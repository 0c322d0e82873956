import type { INodeProperties } from 'n8n-workflow';

/** The field of whatever makes several items at once. */
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
