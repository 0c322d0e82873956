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

/**
 * Reads and validates the parameters of the trigger.
 *
 * @throws {NodeOperationError} with the label of the field, if a value isn't valid
 */
export function getParameters(context: IHookFunctions | IWebhookFunctions) {
	const parameters = ParameterReader.forNode(context);
	return {
		events: parameters.multiOptions(triggerOn),
		filters: getEventFilters(parameters),
		acceptsUnknownEvents: parameters.collection().option(unknownEventsField) === 'trigger',
	};
}
