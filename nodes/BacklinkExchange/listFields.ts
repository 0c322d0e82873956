import type { IExecuteFunctions, INodeProperties } from 'n8n-workflow';

/** Return All and Limit, as every "Get Many" has them. */
export const listFields: INodeProperties[] = [
	{
		displayName: 'Return All',
		name: 'returnAll',
		type: 'boolean',
		default: false,
		description: 'Whether to return all results or only up to a given limit',
	},
	{
		displayName: 'Limit',
		name: 'limit',
		type: 'number',
		typeOptions: { minValue: 1 },
		default: 50,
		description: 'Max number of results to return',
		displayOptions: { show: { returnAll: [false] } },
	},
];

/** The number of results that the user wants; Infinity for all. */
export function wantedResults(context: IExecuteFunctions, itemIndex: number): number {
	const returnAll = context.getNodeParameter('returnAll', itemIndex, false) as boolean;
	return returnAll ? Infinity : (context.getNodeParameter('limit', itemIndex, 50) as number);
}
