import type { IDataObject, INodeProperties } from 'n8n-workflow';

import { fetchList } from '../shared/api/fetchList';
import { fetchOwnSites } from '../shared/api/ownSites';
import type { ListName } from '../shared/api/parseResponse';
import { isErrorResult } from '../shared/errors';
import type { ParameterReader } from '../shared/parameters/parameterReader';
import { createYielder, filterYielding } from '../shared/transport/yieldToEventLoop';
import { OwnSites } from '../shared/utils/siteIdentity';
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

const limitReachedHint = 'There are more entries. To get them, raise the limit or use a filter';

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
			async executeItem({ limit, query, conditions = [], getSiteConditions, toItem }) {
				let missingFieldCount = 0;
				let siteConditions: Condition[] = [];
				const filter = (entry: IDataObject) => {
					const matches = [...conditions, ...siteConditions].map((condition) => condition(entry));
					if (matches.includes(false)) return false;
					if (!matches.includes(undefined)) return true;
					missingFieldCount++;
					return false;
				};
				const isTool = context.getNode().type.endsWith('Tool');
				// One entry above the limit shows whether the list was cut off.
				const fetchLimit = isTool ? limit + 1 : limit;
				const listRequest = getSiteConditions ? { query } : { query, filter, limit: fetchLimit };
				const list = await fetchList(client, name, listRequest);
				if (isErrorResult(list)) return list;
				let { entries } = list;
				const { truncated } = list;
				// The direction of an exchange depends on the account's sites.
				const ownSites =
					name === 'exchanges' ? await fetchOwnSites(client, entries) : new OwnSites([]);
				if (isErrorResult(ownSites)) return ownSites;
				if (getSiteConditions !== undefined) {
					siteConditions = getSiteConditions(ownSites);
					entries = await filterYielding(entries, filter, client.signal);
				}
				const isIncomplete = truncated && entries.length < limit;
				if (isIncomplete) hint('truncated', truncatedHint);
				const missingFieldHint = getMissingFieldHint(missingFieldCount);
				if (missingFieldCount > 0) hint('filters', missingFieldHint);
				const yieldIfBusy = createYielder(client.signal);
				const items: IDataObject[] = [];
				for (const entry of entries.slice(0, limit)) {
					items.push(toItem?.(entry, ownSites) ?? entry);
					await yieldIfBusy();
				}
				if (!isTool) return items;
				// A model sees only the items, not the hints.
				if (isIncomplete) items.push({ message: truncatedHint });
				if (missingFieldCount > 0) items.push({ message: missingFieldHint });
				if (entries.length > limit) items.push({ message: `${limitReachedHint} (${limit})` });
				return items;
			},
		}),
	};
}

/** Counts the entries that a filter couldn't compare: they are never left out silently. */
function getMissingFieldHint(count: number): string {
	const subject = count === 1 ? '1 entry was' : `${count} entries were`;
	return `${subject} left out, because a filtered field is missing or can't be read there.`;
}

export interface ListFilter {
	/** Sent to the service. */
	query?: Record<string, string>;
	/** An entry has to meet all of them. */
	conditions?: Condition[];
	/** Creates further conditions, which depend on the account's sites. */
	getSiteConditions?: (ownSites: OwnSites) => Condition[];
	/**
	 * Converts an entry to an item; without it, the entry is the item.
	 *
	 * @param ownSites the account's sites; only for exchanges
	 */
	toItem?: (entry: IDataObject, ownSites: OwnSites) => IDataObject;
}

/**
 * Checks an entry.
 *
 * @returns `undefined` if the entry lacks the field to compare
 */
export type Condition = (entry: IDataObject) => boolean | undefined;
