import type { IDataObject, INodeProperties } from 'n8n-workflow';

import { filtersField } from '../../../shared/descriptions/collections';
import { resourceLocator, severityLocator } from '../../../shared/descriptions/resourceLocator';
import type { EventData } from '../../../shared/events/event.types';
import { eventToItem } from '../../../shared/events/eventItem';
import { newAlert } from '../../../shared/events/newAlert';
import type { ParameterReader } from '../../../shared/parameters/parameterReader';
import { foldWords, trimWords } from '../../../shared/utils/text';
import outputSchema from '../../__schema__/v1.0.0/watchdogEvent/getAll.json';
import { type Condition, getMany, listFields } from '../../getMany';
import { withLeadingFields } from '../../helpers/withLeadingFields';
import type { Operation } from '../../operation.types';
import { exchangeLocator } from '../exchange/exchangeLocator';
import { fetchAlerts } from './fetchAlerts';

const exchangeId = exchangeLocator('searchExchanges', {
	required: false,
	description: 'Only alerts of this exchange',
	placeholder: 'Select an exchange…',
	hint: "The 'exchangeId' of an alert or exchange",
});

const severity = resourceLocator({
	displayName: 'Severity',
	name: 'severity',
	description: 'Only alerts of this severity. Upper and lower case are the same.',
	...severityLocator,
});

const since: INodeProperties = {
	displayName: 'Since',
	name: 'since',
	type: 'dateTime',
	default: '',
	description: 'Only alerts that were raised at or after this time',
};

const type: INodeProperties = {
	displayName: 'Type',
	name: 'type',
	type: 'string',
	default: '',
	placeholder: 'e.g. link_removed',
	description:
		"Only alerts of this type. Copy the type from an alert, because the service doesn't document the types. Upper and lower case are the same.",
};

/** The service documents no parameters (service-api.md, "Endpoints"). */
const filters = filtersField(
	"Alerts that don't have the field that you filter by are left out. A hint shows how many.",
	[exchangeId, severity, since, type],
);

/** GET /watchdog/events (service-api.md, "Endpoints"). */
export const getAll: Operation = {
	value: 'getAll',
	name: 'Get Many',
	action: 'Get many alerts',
	description: 'Retrieve a list of alerts',
	outputSchema,
	properties: [...listFields, filters],
	...getMany({
		fetch: fetchAlerts,
		getFilter: (parameters) => ({ conditions: createConditions(parameters.collection(filters)) }),
		toItem: alertToItem,
	}),
};

/** Builds the item of an alert: that of the triggers, and the service's other fields. */
function alertToItem(data: EventData, { timeZone }: { timeZone: string }): IDataObject {
	const item = eventToItem({ type: newAlert, data }, { timeZone, includesRecord: false });
	return withLeadingFields(item, data.record);
}

function createConditions(parameters: ParameterReader): Array<Condition<EventData>> {
	const conditions: Array<Condition<EventData>> = [];
	if (parameters.has(exchangeId)) {
		const id = parameters.string(exchangeId);
		conditions.push(({ alert }) => matchIfKnown(alert?.exchangeId, (value) => value === id));
	}
	if (parameters.has(severity)) {
		const isSeverity = createTextMatcher(parameters.string(severity));
		conditions.push(({ alert }) => matchIfKnown(alert?.comparableSeverity, isSeverity));
	}
	if (parameters.has(since)) {
		const seconds = Math.floor(parameters.dateTime(since) / 1000);
		conditions.push(({ alert }) =>
			matchIfKnown(alert?.raisedAt, (raisedAt) => raisedAt >= seconds),
		);
	}
	if (parameters.has(type)) {
		const isType = createTextMatcher(parameters.string(type));
		conditions.push(({ alert }) => matchIfKnown(alert?.type, isType));
	}
	return conditions;
}

function createTextMatcher(text: string): (value: string) => boolean {
	const expected = foldWords(text);
	return (value) => foldWords(trimWords(value)) === expected;
}

/** @returns `undefined` if the alert lacks the value */
function matchIfKnown<Value>(
	value: Value | undefined,
	matches: (value: Value) => boolean,
): boolean | undefined {
	return value === undefined ? undefined : matches(value);
}
