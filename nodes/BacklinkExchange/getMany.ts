import type { IDataObject, INodeProperties } from 'n8n-workflow';

import { fetchList } from '../shared/api/fetchList';
import { fetchOwnSites } from '../shared/api/ownSites';
import type { ListName } from '../shared/api/parseResponse';
import { isErrorResult } from '../shared/errors';
import type { ParameterReader } from '../shared/parameters/parameterReader';
import { filterYielding } from '../shared/transport/yieldToEventLoop';
import type { OwnSites } from '../shared/utils/siteIdentity';
import { truncatedHint } from './commonHints';
import type { Operation } from './operation.types';

const returnAllField: INodeProperties = {
	displayName: 'Return All',
	name: 'returnAll',
	type: 'boolean',
	default: false,
	description: 'Whether to return all results or only up to a given limit',
};

const limitField: INodeProperties = {
	displayName: 'Limit',
	name: 'limit',
	type: 'number',
	typeOptions: { minValue: 1, numberPrecision: 0 },
	default: 50,
	description: 'Max number of results to return',
	displayOptions: { show: { returnAll: [false] } },
};

export const listFields = [returnAllField, limitField];

const limitReachedHint =
	'The list is cut off: there are more. Raise the limit, or use a filter, to see them';

/**
 * Builds the "Get Many" of a resource: fetch the list, filter, stop at the limit.
 *
 * @param getFilter reads the filters of the resource
 */
export function getMany(
	name: ListName,
	getFilter?: (parameters: ParameterReader) => ListFilter,
): Pick<Operation<ListFilter & { limit: number }>, 'getParameters' | 'createHandler'> {
	return {
		getParameters: (parameters) => ({
			limit: parameters.boolean(returnAllField) ? Infinity : parameters.number(limitField),
			...getFilter?.(parameters),
		}),
		createHandler: ({ context, client, hint }) => ({
			async executeItem({ limit, query, conditions = [], getSiteConditions, missingField }) {
				let missingFieldCount = 0;
				let siteConditions: Condition[] = [];
				const filter = (entry: IDataObject) => {
					const matches = [...conditions, ...siteConditions].map((condition) => condition(entry));
					if (matches.includes(false)) return false;
					if (!matches.includes(undefined)) return true;
					missingFieldCount++;
					return missingField?.keep === true;
				};
				const isTool = context.getNode().type.endsWith('Tool');
				// One entry above the limit shows whether the list was cut off.
				const fetchLimit = isTool ? limit + 1 : limit;
				const listRequest = getSiteConditions ? { query } : { query, filter, limit: fetchLimit };
				const list = await fetchList(client, name, listRequest);
				if (isErrorResult(list)) return list;
				let { entries } = list;
				const { truncated } = list;
				if (getSiteConditions !== undefined) {
					const ownSites = await fetchOwnSites(client, entries);
					if (isErrorResult(ownSites)) return ownSites;
					siteConditions = getSiteConditions(ownSites);
					entries = await filterYielding(entries, filter, client.signal);
				}
				const isIncomplete = truncated && entries.length < limit;
				if (isIncomplete) hint('truncated', truncatedHint);
				if (missingField && missingFieldCount > 0) {
					hint('filters', missingField.formatHint(missingFieldCount));
				}
				const items = entries.slice(0, limit);
				if (!isTool) return items;
				// A model sees only the items, not the hints.
				if (isIncomplete) items.push({ message: truncatedHint });
				if (entries.length > limit) items.push({ message: `${limitReachedHint} (${limit})` });
				return items;
			},
		}),
	};
}

export interface ListFilter {
	/** Sent to the service. */
	query?: Record<string, string>;
	/** An entry has to meet all of them. */
	conditions?: Condition[];
	/** Creates further conditions, which depend on the account's sites. */
	getSiteConditions?: (ownSites: OwnSites) => Condition[];
	/**
	 * Whether to keep entries that lack a filtered field, and the hint that reports their number:
	 * they are never kept or left out silently.
	 */
	missingField?: { keep: boolean; formatHint: (count: number) => string };
}

/**
 * Checks an entry.
 *
 * @returns `undefined` if the entry lacks the field to compare
 */
export type Condition = (entry: IDataObject) => boolean | undefined;
