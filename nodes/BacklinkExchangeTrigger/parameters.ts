import type { INodeProperties, IPollFunctions } from 'n8n-workflow';

import { optionsField } from '../shared/descriptions/collections';
import { eventFilters, getEventFilters } from '../shared/descriptions/eventFilters';
import { eventsField } from '../shared/descriptions/events';
import { includeRecord } from '../shared/descriptions/includeRecord';
import { outputFormat } from '../shared/descriptions/outputFormat';
import { ParameterReader } from '../shared/parameters/parameterReader';

const eventsToTriggerOn = eventsField('polling');

const lowCreditThresholdField: INodeProperties = {
	displayName: 'Low Credit Threshold',
	name: 'lowCreditThreshold',
	type: 'number',
	typeOptions: { minValue: 1, numberPrecision: 0 },
	default: 50,
	displayOptions: { show: { events: ['credits.low'] } },
	description:
		'The workflow starts when the balance falls below this number of credits. It starts again only after the balance has recovered and fallen again.',
};

const pollOutputFormat: INodeProperties = {
	...outputFormat,
	options: [
		{
			name: 'One Execution per Event',
			value: 'executions',
			description:
				'An execution for each event, for nodes that wait for an approval. After a long outage, hundreds can start at the same time.',
		},
		...(outputFormat.options ?? []),
	],
};

/** Fields of the trigger; n8n adds the poll times. */
export const properties: INodeProperties[] = [
	eventsToTriggerOn,
	lowCreditThresholdField,
	eventFilters,
	optionsField([includeRecord, pollOutputFormat]),
];

export type PollingParameters = ReturnType<typeof getParameters>;

/**
 * Reads and validates the parameters of the trigger.
 *
 * @throws {NodeOperationError} with the label of the field, if a value isn't valid
 */
export function getParameters(context: IPollFunctions) {
	const parameters = ParameterReader.forNode(context);
	const options = parameters.collection();
	const events = parameters.multiOptions(eventsToTriggerOn);
	return {
		events,
		// Not read while hidden: n8n has no value for a hidden field.
		lowCreditThreshold: events.includes('credits.low')
			? parameters.number(lowCreditThresholdField)
			: 0,
		includesRecord: options.boolean(includeRecord),
		outputFormat: options.option(pollOutputFormat),
		filters: getEventFilters(parameters),
	};
}
