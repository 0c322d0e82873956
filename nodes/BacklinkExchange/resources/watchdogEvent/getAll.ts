import type { INodeProperties } from 'n8n-workflow';

import { filtersField } from '../../../shared/descriptions/collections';
import { alertTimes } from '../../../shared/descriptions/events';
import { resourceLocator, severityLocator } from '../../../shared/descriptions/resourceLocator';
import type { ParameterReader } from '../../../shared/parameters/parameterReader';
import { isId } from '../../../shared/utils/ids';
import { isOnOrAfter } from '../../../shared/utils/time';
import outputSchema from '../../__schema__/v1.0.0/watchdogEvent/getAll.json';
import { type Condition, getMany, listFields } from '../../getMany';
import type { Operation } from '../../operation.types';
import { exchangeLocator } from '../exchange/exchangeLocator';

const exchangeId = exchangeLocator('searchExchanges', {
	required: false,
	description: 'Only alerts of this exchange',
	placeholder: 'Select an exchange…',
	hint: 'The "exchange_id" of an alert',
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
	description:
		'Only alerts whose "created_at", "detected_at" or "occurred_at" is this time or later. The service does not document which of these an alert has.',
};

const type: INodeProperties = {
	displayName: 'Type',
	name: 'type',
	type: 'string',
	default: '',
	placeholder: 'e.g. link_removed',
	description:
		'Only alerts of this type. Upper and lower case are the same. The service does not document which types there are.',
};

/** The service documents no parameters (service-api.md, "Endpoints"). */
const filters = filtersField(
	'Which alerts to return. The service has no such filters: the node reads the list and applies them itself. Alerts without the filtered field are returned too, and a note says so.',
	[exchangeId, severity, since, type],
);

/** GET /watchdog/events (service-api.md, "Endpoints"). */
export const getAll: Operation = {
	value: 'getAll',
	name: 'Get Many',
	action: 'Get many watchdog events',
	description: 'List the alerts about the earned links of the account',
	outputSchema,
	properties: [...listFields, filters],
	...getMany('watchdogEvents', (parameters) => ({
		conditions: createConditions(parameters.collection(filters)),
		missingField: {
			// Keep incomparable alerts: nobody would notice a missing one.
			keep: true,
			formatHint: (count) =>
				`Returned although a filtered field is missing: ${count} of the alerts.`,
		},
	})),
};

function createConditions(parameters: ParameterReader): Condition[] {
	const conditions: Condition[] = [];
	if (parameters.has(exchangeId)) {
		conditions.push(fieldEquals('exchange_id', parameters.string(exchangeId), (value) => value));
	}
	const lowerCase = (value: string) => value.toLowerCase();
	if (parameters.has(severity)) {
		conditions.push(fieldEquals('severity', parameters.string(severity), lowerCase));
	}
	if (parameters.has(since)) conditions.push(isOnOrAfter(parameters.dateTime(since), alertTimes));
	if (parameters.has(type)) {
		conditions.push(fieldEquals('type', parameters.string(type), lowerCase));
	}
	return conditions;
}

function fieldEquals(
	field: string,
	expected: string,
	normalize: (value: string) => string,
): Condition {
	return ({ [field]: value }) =>
		isId(value) ? normalize(String(value).trim()) === normalize(expected) : undefined;
}
