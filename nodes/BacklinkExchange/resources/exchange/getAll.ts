import type { INodeProperties } from 'n8n-workflow';

import type { Operation } from '../../operation';
import { getMany, listFields } from '../../readOperations';
import { filters, readFilters } from './filters';

const status: INodeProperties = {
	displayName: 'Status',
	name: 'status',
	type: 'options',
	options: [
		{ name: 'Accepted', value: 'accepted', description: 'Accepted, the link is not live yet' },
		{ name: 'All', value: 'all', description: 'Every exchange, whatever its status' },
		{ name: 'Broken', value: 'broken', description: 'The link was live and is not any more' },
		{ name: 'Live', value: 'live', description: 'The link is published' },
		{ name: 'Pending', value: 'pending', description: 'Offers waiting to be accepted' },
	],
	default: 'all',
	description: 'Return only exchanges with this status',
};

/** GET /exchanges with the documented status filter (service-api.md, "Endpoints"). */
export const getAll: Operation = {
	value: 'getAll',
	name: 'Get Many',
	action: 'Get many exchanges',
	description: 'List exchange offers for the sites of the account',
	fields: [status, ...listFields, filters],
	...getMany('exchanges', (settings) => {
		const wanted = settings.choice(status);
		const query: Record<string, string> = wanted === 'all' ? {} : { status: wanted };
		return { ...readFilters(settings), query };
	}),
};
