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
		conditions: readConditions(parameters.collection(filters)),
		missingField: {
			// Nobody would notice that an alert was left out, so one that cannot be compared is kept.
			keep: true,
			formatHint: (count) =>
				`Returned although a filtered field is missing: ${count} of the alerts.`,
		},
	})),
};

function readConditions(added: ParameterReader): Condition[] {
	const conditions: Condition[] = [];
	if (added.has(exchangeId)) {
		conditions.push(has('exchange_id', added.string(exchangeId), (value) => value));
	}
	const lowerCase = (value: string) => value.toLowerCase();
	if (added.has(severity)) conditions.push(has('severity', added.string(severity), lowerCase));
	if (added.has(since)) conditions.push(isOnOrAfter(added.dateTime(since), alertTimes));
	if (added.has(type)) conditions.push(has('type', added.string(type), lowerCase));
	return conditions;
}

function has(field: string, wanted: string, comparable: (value: string) => string): Condition {
	return ({ [field]: value }) =>
		isId(value) ? comparable(String(value).trim()) === comparable(wanted) : undefined;
}
