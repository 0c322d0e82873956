import type { IHookFunctions, INodeProperties, IWebhookFunctions } from 'n8n-workflow';

import { optionsField } from '../shared/descriptions/collections';
import { eventFiltersField, getSeverityFilter } from '../shared/descriptions/eventFilters';
import { createEventsField } from '../shared/descriptions/eventsField';
import { includeRecord } from '../shared/descriptions/includeRecord';
import { ParameterReader } from '../shared/parameters/parameterReader';

const triggerOn = createEventsField('webhook');

const filtersField = eventFiltersField();

const lookUpExchange: INodeProperties = {
	displayName: 'Look Up Exchange',
	name: 'lookUpExchange',
	type: 'boolean',
	default: true,
	description:
		"Whether to add the direction, sites, anchor and link, which most deliveries lack. If the service can't be reached, the item has only what was delivered.",
};

export const properties: INodeProperties[] = [
	{
		displayName: 'Enter the production URL from above in your dashboard, under Settings > Webhooks',
		name: 'notice',
		type: 'notice',
		default: '',
	},
	triggerOn,
	filtersField,
	optionsField([includeRecord, lookUpExchange]),
];

export type WebhookParameters = ReturnType<typeof getParameters>;

/**
 * Reads and validates the parameters of the trigger.
 *
 * @throws {NodeOperationError} with the label of the field, if a value isn't valid
 */
export function getParameters(context: IHookFunctions | IWebhookFunctions) {
	const parameters = ParameterReader.forNode(context);
	const options = parameters.collection();
	return {
		events: parameters.multiOptions(triggerOn),
		severityFilter: getSeverityFilter(parameters.collection(filtersField)),
		includesRecord: options.boolean(includeRecord),
		looksUpExchange: options.boolean(lookUpExchange),
	};
}
