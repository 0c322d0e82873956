import type { Operation } from '../../operation';
import { getMany, listFields } from '../../readOperations';
import { filters, readFilters } from './filters';

/** GET /watchdog/events (service-api.md, "Endpoints"). */
export const getAll: Operation = {
	value: 'getAll',
	name: 'Get Many',
	action: 'Get many watchdog events',
	description: 'List watchdog events for the earned links of the account',
	fields: [...listFields, filters],
	...getMany('watchdogEvents', readFilters),
};
