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

const delayField: INodeProperties = {
	displayName: 'Delay (Minutes)',
	name: 'delay',
	type: 'number',
	typeOptions: { minValue: 0, maxValue: 1440 },
	default: 0,
	description:
		'Number of minutes to delay a new event, so that the webhook trigger of the same workflow can report it first',
};

const includeExistingField: INodeProperties = {
	displayName: 'Include Existing Events',
	name: 'includeExisting',
	type: 'boolean',
	default: false,
	description:
		'Whether to start the workflow for events that happened before the first poll of an account',
};

const retryFailedExecutionsField: INodeProperties = {
	displayName: 'Retry Failed Executions',
	name: 'retryFailedExecutions',
	type: 'boolean',
	default: false,
	description:
		'Whether to give each event (or message) its own execution. If the execution fails, later polls start it again from the beginning, for up to a day.',
};

/** Fields of the trigger; n8n adds the poll times. */
export const properties: INodeProperties[] = [
	eventsToTriggerOn,
	lowCreditThresholdField,
	eventFilters,
	optionsField([
		delayField,
		includeExistingField,
		includeRecord,
		outputFormat,
		retryFailedExecutionsField,
	]),
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
		eventDelayMs: options.number(delayField) * 60_000,
		includeExisting: options.boolean(includeExistingField),
		includesRecord: options.boolean(includeRecord),
		isDigest: options.option(outputFormat) === 'digest',
		retryFailedExecutions: options.boolean(retryFailedExecutionsField),
		filters: getEventFilters(parameters),
	};
}
