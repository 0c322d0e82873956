import type { IDataObject, IExecuteFunctions, INodeProperties } from 'n8n-workflow';

import { resultOrThrow } from '../shared/explanation';
import { readWholeList } from '../shared/list';
import { readOneRecord, type RecordRequest } from '../shared/record';
import type { ListName } from '../shared/response';
import type { ItemHandler, Run } from './operation';

/** Return All and Limit, as every operation that lists something has them. */
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

interface GetMany {
	name: ListName;
	path: string[];
	/** For messages: "list the sites". */
	action: string;
	query?: (context: IExecuteFunctions, itemIndex: number) => Record<string, string>;
	/** Keeps only some of the entries. */
	keep?: (context: IExecuteFunctions, itemIndex: number) => (entry: IDataObject) => boolean;
}

const truncatedHint =
	'The service says that there are more results than it returned, in a way that this node cannot follow. The list may be incomplete.';

/** What "Get Many" of every resource does: read the list, filter, stop at the limit. */
export function getMany(run: Run, { name, path, action, query, keep }: GetMany): ItemHandler {
	return async (itemIndex) => {
		const { context, connection } = run;
		const wanted = wantedResults(context, itemIndex);
		const kept = keep?.(context, itemIndex) ?? (() => true);
		const list = await readWholeList(connection, {
			name,
			path,
			action,
			query: query?.(context, itemIndex),
			enough: (entries) => entries.filter(kept).length >= wanted,
		});
		const { entries: all, truncated } = resultOrThrow(context.getNode(), list, itemIndex);
		const entries = all.filter(kept);
		if (truncated && entries.length < wanted) run.hint('truncated', truncatedHint);
		return entries.slice(0, wanted);
	};
}

/** The field Simplify, as every operation that gives one record has it. */
export const simplifyField: INodeProperties = {
	displayName: 'Simplify',
	name: 'simplify',
	type: 'boolean',
	default: true,
	description: 'Whether to return a simplified version of the response instead of the raw data',
};

/** What an operation does that gives one record: read it, and keep only these fields where Simplify is on. */
export function getOne(run: Run, request: RecordRequest, simpleFields: string[]): ItemHandler {
	return async (itemIndex) => {
		const { context, connection } = run;
		const result = await readOneRecord(connection, request);
		const { record } = resultOrThrow(context.getNode(), result, itemIndex);
		if (context.getNodeParameter('simplify', itemIndex, true) !== true) return [record];
		return [Object.fromEntries(simpleFields.map((name) => [name, record[name]]))];
	};
}
