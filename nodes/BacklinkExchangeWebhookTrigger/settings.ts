import type { IHookFunctions, INodeProperties, IWebhookFunctions } from 'n8n-workflow';

import { eventFilters, readEventFilters } from '../shared/fields/eventFilters';
import { eventsField } from '../shared/fields/events';
import { optionsField, Settings } from '../shared/fields/settings';

const triggerOn = eventsField('webhook');

const deduplicateField: INodeProperties = {
	displayName: 'Deduplicate (Minutes)',
	name: 'deduplicate',
	type: 'number',
	typeOptions: { minValue: 0, maxValue: 1440 },
	default: 5,
	description:
		'Number of minutes during which an identical delivery, such as a test event that you send again, starts nothing. 0 turns this off. Each n8n process remembers only its own deliveries.',
};

const toleranceField: INodeProperties = {
	displayName: 'Tolerance (Seconds)',
	name: 'tolerance',
	type: 'number',
	typeOptions: { minValue: 0 },
	default: 300,
	description:
		'Maximum number of seconds by which the timestamp in the signature may differ from the clock of this machine, if the service sends one. 0 accepts any timestamp.',
};

const unknownEventsField: INodeProperties = {
	displayName: 'Unknown Events',
	name: 'unknownEvents',
	type: 'options',
	options: [
		{ name: 'Ignore', value: 'ignore', description: 'Answer the delivery and start nothing' },
		{ name: 'Trigger', value: 'trigger', description: 'Start the workflow with the event' },
	],
	default: 'ignore',
	description: 'What to do with a signed event that Trigger On does not offer',
};

/** What the editor shows of the trigger. */
export const properties: INodeProperties[] = [
	{
		displayName:
			"Enter a Webhook URL from above in the dashboard of the service, under Settings, then Webhooks: the <b>Test URL</b> to listen for a test event, the <b>Production URL</b> once the workflow is published. Copy the secret from there into the credential. Only <b>one workflow</b> gets deliveries; use the Backlink Exchange Polling Trigger in all others. If the address begins with http://localhost, the service cannot reach it: set n8n's WEBHOOK_URL.",
		name: 'notice',
		type: 'notice',
		default: '',
	},
	triggerOn,
	eventFilters,
	optionsField([deduplicateField, toleranceField, unknownEventsField]),
];

export type TriggerSettings = ReturnType<typeof readSettings>;

/** @throws NodeOperationError that names the setting which cannot be read */
export function readSettings(context: IHookFunctions | IWebhookFunctions) {
	const settings = Settings.ofNode(context);
	const options = settings.collection();
	return {
		events: settings.choices(triggerOn),
		/** Minutes; 0 for off. */
		deduplicate: options.number(deduplicateField),
		/** Seconds; 0 for any. */
		tolerance: options.number(toleranceField),
		filters: readEventFilters(settings),
		/** Whether unknown events start the workflow. */
		takesUnknown: options.choice(unknownEventsField) === 'trigger',
	};
}
