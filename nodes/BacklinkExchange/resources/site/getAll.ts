import type { INodeProperties } from 'n8n-workflow';

import type { Operation } from '../../operation';
import { getMany, listFields } from '../../readOperations';

/** The values of the choices are true and false, as they were when this was a switch in saved workflows. */
const verified: INodeProperties = {
	displayName: 'Verified',
	name: 'verified',
	type: 'options',
	options: [
		{ name: 'Any', value: 'any', description: 'Every site' },
		{
			name: 'Only Unverified',
			value: false,
			description: 'Sites that have not passed verification',
		},
		{ name: 'Only Verified', value: true, description: 'Sites that have passed verification' },
	],
	default: true,
	description: 'Which sites to return',
};

/** GET /sites (service-api.md, "Endpoints"). */
export const getAll: Operation = {
	value: 'getAll',
	name: 'Get Many',
	action: 'Get many sites',
	description: 'List the sites of the account',
	fields: listFields,
	options: [verified],
	...getMany('sites', (settings) => {
		const options = settings.collection();
		const wanted = options.has(verified) ? options.choice(verified) : 'any';
		return { keep: (site) => wanted === 'any' || String(site.verified === true) === wanted };
	}),
};
