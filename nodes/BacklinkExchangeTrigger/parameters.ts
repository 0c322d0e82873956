import type { INodeProperties, IPollFunctions } from 'n8n-workflow';

import { optionsField } from '../shared/descriptions/collections';
import { eventFiltersField, getSeverityFilter } from '../shared/descriptions/eventFilters';
import { createEventsField } from '../shared/descriptions/eventsField';
import { includeRecord } from '../shared/descriptions/includeRecord';
import { outputFormat } from '../shared/descriptions/outputFormat';
import { events } from '../shared/events/events';
import { lowCredits } from '../shared/events/lowCredits';
import { ParameterReader } from '../shared/parameters/parameterReader';
import { sitesField } from './siteFilter';

const eventsToTriggerOn = createEventsField('polling');

const lowCreditThresholdField: INodeProperties = {
	displayName: 'Low Credit Threshold',
	name: 'lowCreditThreshold',
	type: 'number',
	typeOptions: { minValue: 1, numberPrecision: 0 },
	default: 10,
	displayOptions: { show: { events: [lowCredits.name] } },
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

const filtersField = eventFiltersField(sitesField);

/** Fields of the trigger; n8n adds the poll times. */
export const properties: INodeProperties[] = [
	eventsToTriggerOn,
	lowCreditThresholdField,
	filtersField,
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
	const filters = parameters.collection(filtersField);
	const names = parameters.multiOptions(eventsToTriggerOn);
	return {
		/** In the order in which the user selected them. */
		events: names.flatMap((name) => events.filter((event) => event.name === name)),
		// Not read while hidden: n8n has no value for a hidden field.
		lowCreditThreshold: names.includes(lowCredits.name)
			? parameters.number(lowCreditThresholdField)
			: 0,
		includesRecord: options.boolean(includeRecord),
		outputFormat: options.option(pollOutputFormat),
		severityFilter: getSeverityFilter(filters),
		/** The sites that pass; empty: all, which a filter that was added must not become. */
		sites: parameters.collection(filtersField, { ignoreBlank: false }).sites(sitesField),
	};
}
