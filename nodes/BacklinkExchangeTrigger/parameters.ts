import type { INodeProperties, IPollFunctions } from 'n8n-workflow';

import { optionsField } from '../shared/descriptions/collections';
import { eventFilters, getEventFilters } from '../shared/descriptions/eventFilters';
import { eventsField } from '../shared/descriptions/events';
import { outputFormat } from '../shared/descriptions/outputFormat';
import { ParameterReader } from '../shared/parameters/parameterReader';

const eventsToTriggerOn = eventsField('polling');

const creditsLowBelowField: INodeProperties = {
	displayName: 'Credits Low Below',
	name: 'creditsLowBelow',
	type: 'number',
	typeOptions: { minValue: 1, numberPrecision: 0 },
	default: 50,
	displayOptions: { show: { events: ['credits.low'] } },
	description:
		'The workflow starts once when the balance is below this many credits, also at the first poll, and again only after the balance has recovered and fallen again. To fetch a test event, temporarily enter more than the balance.',
};

const emitExistingField: INodeProperties = {
	displayName: 'Emit Existing Events',
	name: 'emitExisting',
	type: 'boolean',
	default: false,
	description: 'Whether the first poll of an account emits events for everything already there',
};

const headStartField: INodeProperties = {
	displayName: 'Head Start (Minutes)',
	name: 'headStart',
	type: 'number',
	typeOptions: { minValue: 0, maxValue: 1440 },
	default: 0,
	description:
		'Number of minutes to hold back a new event, so that the webhook trigger of the same workflow can emit it first',
};

const tryAgainField: INodeProperties = {
	displayName: 'Try Again on Failure',
	name: 'tryAgain',
	type: 'boolean',
	default: false,
	description:
		'Whether each event (or digest) starts an execution of its own, and another one when that fails: with the first poll after 1, 5 and 15 minutes, then 1, 3 and 6 hours, for up to a day. The nodes before the one that failed run again.',
};

/** Fields of the trigger; n8n adds the poll times. */
export const properties: INodeProperties[] = [
	{
		displayName:
			'The first poll of an account only records what is already there; what happens afterwards starts the workflow. To try it now, fetch a test event: it shows the newest selected event.',
		name: 'notice',
		type: 'notice',
		default: '',
	},
	eventsToTriggerOn,
	creditsLowBelowField,
	eventFilters,
	optionsField([emitExistingField, headStartField, outputFormat, tryAgainField]),
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
		creditsLowBelow: events.includes('credits.low') ? parameters.number(creditsLowBelowField) : 0,
		isDigest: options.option(outputFormat) === 'digest',
		emitExisting: options.boolean(emitExistingField),
		headStartMs: options.number(headStartField) * 60_000,
		tryAgain: options.boolean(tryAgainField),
		filters: getEventFilters(parameters),
	};
}
