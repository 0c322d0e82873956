import type { INodeProperties } from 'n8n-workflow';

/** An option of the operations and triggers that return several items at the same time. */
export const outputFormat: INodeProperties = {
	displayName: 'Output Format',
	name: 'outputFormat',
	type: 'options',
	options: [
		{
			name: 'One Message',
			value: 'digest',
			description:
				'One item with a message that lists all results or events, for Slack or an email, and a title for the subject',
		},
		{
			name: 'Separate Items',
			value: 'items',
			description: 'One item per result or event, for nodes that process them one by one',
		},
	],
	default: 'items',
	description: 'How to return several results or events',
};
