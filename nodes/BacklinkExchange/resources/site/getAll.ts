import type { IDataObject, INodeProperties } from 'n8n-workflow';

import { filtersField } from '../../../shared/descriptions/collections';
import outputSchema from '../../__schema__/v1.0.0/site/getAll.json';
import { getMany, listFields } from '../../getMany';
import type { Operation } from '../../operation.types';

const verified: INodeProperties = {
	displayName: 'Verified',
	name: 'verified',
	type: 'options',
	options: [
		{ name: 'Any', value: 'any', description: 'Every site' },
		{
			name: 'Only Unverified',
			value: 'unverified',
			description: 'Sites that have not passed verification',
		},
		{
			name: 'Only Verified',
			value: 'verified',
			description: 'Sites that have passed verification',
		},
	],
	default: 'any',
	description: 'Only sites that have passed verification, or only those that have not',
};

/** The service documents no parameters (service-api.md, "Endpoints"). */
const filters = filtersField(
	'Which sites to return. The service has no such filters: the node reads the list and applies them itself.',
	[verified],
);

/** GET /sites (service-api.md, "Endpoints"). */
export const getAll: Operation = {
	value: 'getAll',
	name: 'Get Many',
	action: 'Get many sites',
	description: 'List the sites of the account',
	outputSchema,
	properties: [...listFields, filters],
	...getMany('sites', (parameters) => {
		const selected = parameters.collection(filters).option(verified);
		const getVerificationState = (site: IDataObject) =>
			site.verified === true ? 'verified' : 'unverified';
		return {
			conditions: [(site) => selected === 'any' || selected === getVerificationState(site)],
		};
	}),
};
