import type { IHookFunctions, INodeProperties, IWebhookFunctions } from 'n8n-workflow';

import { optionsField } from '../shared/descriptions/collections';
import { eventFilters, getEventFilters } from '../shared/descriptions/eventFilters';
import { eventsField } from '../shared/descriptions/events';
import { includeRecord } from '../shared/descriptions/includeRecord';
import { ParameterReader } from '../shared/parameters/parameterReader';

const triggerOn = eventsField('webhook');

export const properties: INodeProperties[] = [
	{
		displayName: 'Enter the production URL from above in your dashboard, under Settings > Webhooks',
		name: 'notice',
		type: 'notice',
		default: '',
	},
	triggerOn,
	eventFilters,
	optionsField([includeRecord]),
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
		includesRecord: parameters.collection().boolean(includeRecord),
	};
}
