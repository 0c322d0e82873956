import type { INodeProperties } from 'n8n-workflow';

import { resultOrThrow } from '../shared/explanation';
import { readWholeList } from '../shared/list';
import { readOneRecord, type RecordRequest } from '../shared/record';
import type { ListName } from '../shared/response';
import type { Settings } from '../shared/settings';
import type { Narrowing } from './narrowing';
import type { Operation } from './operation';

const returnAll: INodeProperties = {
	displayName: 'Return All',
	name: 'returnAll',
	type: 'boolean',
	default: false,
	description: 'Whether to return all results or only up to a given limit',
};

const limit: INodeProperties = {
	displayName: 'Limit',
	name: 'limit',
	type: 'number',
	typeOptions: { minValue: 1, numberPrecision: 0 },
	default: 50,
	description: 'Max number of results to return',
	displayOptions: { show: { returnAll: [false] } },
};

/** Return All and Limit, as every operation that lists something has them. */
export const listFields = [returnAll, limit];

/** The number of results that the user wants; Infinity for all. */
export function readWanted(settings: Settings): number {
	return settings.boolean(returnAll) ? Infinity : settings.number(limit);
}

interface GetMany {
	name: ListName;
	path: readonly string[];
	/** For messages: "list the sites". */
	action: string;
	/** What the user has set besides Return All and Limit. */
	narrow?: (settings: Settings) => Narrowing;
}

/** What an operation reads and does; the rest is what the editor shows. */
type Work<Input> = Pick<Operation<Input>, 'read' | 'begin'>;

export const truncatedHint =
	'The service says that there are more results than it returned, in a way that this node cannot follow. The list may be incomplete.';

/** What "Get Many" of every resource does: read the list, filter, stop at the limit. */
export function getMany({
	name,
	path,
	action,
	narrow,
}: GetMany): Work<Narrowing & { wanted: number }> {
	return {
		read: (settings) => ({ wanted: readWanted(settings), ...narrow?.(settings) }),
		begin: ({ context, connection, hint }) => ({
			async handle({ wanted, query, keep, remark }, itemIndex) {
				const request = { name, path, action, query, keep, wanted };
				const list = await readWholeList(connection, request);
				const { entries, truncated } = resultOrThrow(context.getNode(), list, itemIndex);
				if (truncated && entries.length < wanted) hint('truncated', truncatedHint);
				const remarked = remark?.();
				if (remarked !== undefined) hint('filters', remarked);
				return entries.slice(0, wanted);
			},
		}),
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
export function getOne(
	request: RecordRequest,
	simpleFields: string[],
): Work<{ simplify: boolean }> {
	return {
		read: (settings) => ({ simplify: settings.boolean(simplifyField) }),
		begin: ({ context, connection }) => ({
			async handle({ simplify }, itemIndex) {
				const result = await readOneRecord(connection, request);
				const { record } = resultOrThrow(context.getNode(), result, itemIndex);
				if (!simplify) return [record];
				return [Object.fromEntries(simpleFields.map((name) => [name, record[name]]))];
			},
		}),
	};
}
