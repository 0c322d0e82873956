import type { INodeProperties, IPollFunctions } from 'n8n-workflow';

import {
	type EventFilters,
	readEventFilters,
	severityField,
	sitesField,
} from '../shared/eventFilters';
import { eventsField } from '../shared/events';
import { Settings } from '../shared/settings';

export const triggerOn = eventsField('polling', 'The events that start the workflow');

const emitExistingField: INodeProperties = {
	displayName: 'Emit Existing',
	name: 'emitExisting',
	type: 'boolean',
	default: false,
	description:
		'Whether the first look at an account gives out everything that has happened to the exchanges and alerts that are there already',
};

const repeatEventsField: INodeProperties = {
	displayName: 'Repeat Events',
	name: 'repeatEvents',
	type: 'boolean',
	default: false,
	description:
		'Whether each event comes again with every look of the following half hour, with the same time in "givenOutAt". For workflows that tell by "eventKey" and "givenOutAt" what they have worked on, such as the ready-made "Event inbox": they get an event although n8n was stopped before it had worked on it.',
};

export const optionFields = [emitExistingField, repeatEventsField, severityField, sitesField];

export interface PollingSettings {
	events: string[];
	emitExisting: boolean;
	repeatEvents: boolean;
	filters: EventFilters;
}

/** @throws NodeOperationError that names the setting which cannot be read */
export function readSettings(context: IPollFunctions): PollingSettings {
	const settings = Settings.ofNode(context);
	const options = settings.collection();
	return {
		events: settings.choices(triggerOn),
		emitExisting: options.boolean(emitExistingField),
		repeatEvents: options.boolean(repeatEventsField),
		filters: readEventFilters(options),
	};
}
