import type { IDataObject } from 'n8n-workflow';

import type { Operation } from '../../operation';
import { getMany, listFields } from '../../readOperations';

/** GET /sites (service-api.md, "Endpoints"). */
export const getAll: Operation = {
	value: 'getAll',
	name: 'Get Many',
	action: 'Get many sites',
	description: 'List the sites of the account',
	fields: listFields,
	options: [
		{
			displayName: 'Verified',
			name: 'verified',
			type: 'boolean',
			default: true,
			description:
				'Whether to return only the sites that have passed verification. Turned off: only those that have not.',
		},
	],
	begin: (run) =>
		getMany(run, {
			name: 'sites',
			path: ['sites'],
			action: 'list the sites',
			keep: (context, itemIndex) => {
				const { verified } = context.getNodeParameter('options', itemIndex, {}) as IDataObject;
				return (site) => verified === undefined || (site.verified === true) === verified;
			},
		}),
};
