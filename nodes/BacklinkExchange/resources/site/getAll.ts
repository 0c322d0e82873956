import type { IDataObject, INodeProperties } from 'n8n-workflow';

import { fetchList } from '../../../shared/api/fetchList';
import { filtersField } from '../../../shared/descriptions/collections';
import outputSchema from '../../__schema__/v1.0.0/site/getAll.json';
import { getMany, listFields } from '../../getMany';
import type { Operation } from '../../operation.types';

const verified: INodeProperties = {
	displayName: 'Verified',
	name: 'verified',
	type: 'options',
	options: [
		{ name: 'All', value: 'all', description: 'Every site' },
		{ name: 'Unverified', value: 'unverified', description: "Sites that aren't verified yet" },
		{ name: 'Verified', value: 'verified', description: 'Sites that the service has verified' },
	],
	default: 'all',
	description: 'Only sites with this verification status',
};

/** The service documents no parameters (service-api.md, "Endpoints"). */
const filters = filtersField('Which of your sites to return', [verified]);

/** GET /sites (service-api.md, "Endpoints"). */
export const getAll: Operation = {
	value: 'getAll',
	name: 'Get Many',
	action: 'Get many sites',
	description: 'Retrieve a list of sites',
	outputSchema,
	properties: [...listFields, filters],
	...getMany({
		fetch: async (client, request) => await fetchList(client, 'sites', request),
		getFilter(parameters) {
			const selected = parameters.collection(filters).option(verified);
			if (selected === 'all') return {};
			const isVerified = ({ verified: value }: IDataObject) =>
				typeof value === 'boolean' ? value === (selected === 'verified') : undefined;
			return { conditions: [isVerified] };
		},
		toItem: (site) => site,
	}),
};
