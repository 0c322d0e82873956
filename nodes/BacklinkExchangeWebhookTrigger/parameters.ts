import type { IHookFunctions, INodeProperties, IWebhookFunctions } from 'n8n-workflow';

import { optionsField } from '../shared/descriptions/collections';
import { eventFilters, getEventFilters } from '../shared/descriptions/eventFilters';
import { eventsField } from '../shared/descriptions/events';
import { ParameterReader } from '../shared/parameters/parameterReader';

const triggerOn = eventsField('webhook');

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
			'Enter a URL from above in the dashboard of the service, under Settings, then Webhooks.',
		name: 'notice',
		type: 'notice',
		default: '',
	},
	triggerOn,
	eventFilters,
	optionsField([unknownEventsField]),
];

export type WebhookParameters = ReturnType<typeof getParameters>;

/** @throws NodeOperationError that names the setting which cannot be read */
export function getParameters(context: IHookFunctions | IWebhookFunctions) {
	const parameters = ParameterReader.forNode(context);
	return {
		events: parameters.multiOptions(triggerOn),
		filters: getEventFilters(parameters),
		/** Whether unknown events start the workflow. */
		acceptsUnknownEvents: parameters.collection().option(unknownEventsField) === 'trigger',
	};
}
