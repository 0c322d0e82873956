import type { INodeProperties } from 'n8n-workflow';

import { eventsField } from '../shared/events';

/** What the editor shows of the trigger besides its events. */
export const properties: INodeProperties[] = [
	{
		displayName:
			'Open Webhook URLs above and copy the Production URL into the dashboard of the service, under Settings, then Webhooks; copy the secret shown there into the credential. If the URL begins with http://localhost, the service on the internet cannot reach it: n8n then needs an address that is reachable from outside, in its setting WEBHOOK_URL.',
		name: 'notice',
		type: 'notice',
		default: '',
	},
	eventsField('webhook', 'The events that start the workflow. Others are answered and ignored.'),
	{
		displayName: 'Options',
		name: 'options',
		type: 'collection',
		placeholder: 'Add option',
		default: {},
		options: [
			{
				displayName: 'Deduplicate',
				name: 'deduplicate',
				type: 'number',
				typeOptions: { minValue: 0, maxValue: 1440 },
				default: 5,
				description:
					'For how many minutes a delivery with exactly the same content counts as a repetition and starts nothing. 0 turns this off. For lasting protection, use the Remove Duplicates node on the field eventKey.',
			},
			{
				displayName: 'Signature Encoding',
				name: 'signatureEncoding',
				type: 'options',
				options: [
					{ name: 'Any', value: 'auto', description: 'Recognize the encoding by its form' },
					{ name: 'Base64', value: 'base64' },
					{ name: 'Base64url', value: 'base64url' },
					{ name: 'Hex', value: 'hex' },
				],
				default: 'auto',
				description: 'How the signature in the header X-PB-Signature is written',
			},
			{
				displayName: 'Signed Content',
				name: 'signedContent',
				type: 'options',
				options: [
					{ name: 'Any', value: 'auto', description: 'Either of the two, as the header suggests' },
					{ name: 'Body', value: 'body', description: 'The body of the delivery' },
					{
						name: 'Timestamp and Body',
						value: 'timestampBody',
						description: 'The timestamp in the header, a dot, and the body',
					},
				],
				default: 'auto',
				description: 'What the service computes the signature of',
			},
			{
				displayName: 'Tolerance',
				name: 'tolerance',
				type: 'number',
				typeOptions: { minValue: 0 },
				default: 300,
				description:
					'How many seconds the timestamp in the signature may be away from the time of this machine. It applies only when the service sends a timestamp. 0 accepts any.',
			},
			{
				displayName: 'Unknown Events',
				name: 'unknownEvents',
				type: 'options',
				options: [
					{ name: 'Ignore', value: 'ignore', description: 'Answer the delivery and start nothing' },
					{ name: 'Trigger', value: 'trigger', description: 'Start the workflow with the event' },
				],
				default: 'ignore',
				description: 'What to do with a signed event that is none of those above',
			},
		],
	},
];
