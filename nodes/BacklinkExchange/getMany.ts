import type { IDataObject, IExecuteFunctions, INodeProperties } from 'n8n-workflow';

import type { ListRequest } from '../shared/api/fetchList';
import type { ParameterReader } from '../shared/parameters/parameterReader';
import type { ApiClient } from '../shared/transport/apiClient';
import { truncatedHint } from './commonHints';
import type { Operation } from './operation.types';
import type { MessageContext } from './resources/exchange/exchangeMessage';

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

interface List<Entry> {
	fetch: (
		client: ApiClient,
		request: ListRequest,
	) => Promise<{ entries: Entry[]; truncated: boolean }>;
	/** Reads the filters of the resource. */
	getFilter?: (parameters: ParameterReader) => ListFilter<Entry>;
	toItem: (entry: Entry, context: MessageContext) => IDataObject;
}

/** Returns what the messages of an execution need: its time zone, and the service's time. */
export function getMessageContext(
	context: Pick<IExecuteFunctions, 'getTimezone'>,
	client: ApiClient,
): MessageContext {
	return { timeZone: context.getTimezone(), now: Math.floor(client.now() / 1000) };
}

/** Builds the "Get Many" of a resource: fetch the list, filter, stop at the limit. */
export function getMany<Entry>({
	fetch,
	getFilter,
	toItem,
}: List<Entry>): Pick<
	Operation<ListFilter<Entry> & { limit: number }>,
	'getParameters' | 'createHandler'
> {
	return {
		getParameters: (parameters) => ({
			limit: parameters.boolean(returnAllField) ? Infinity : parameters.number(limitField),
			...getFilter?.(parameters),
		}),
		createHandler: ({ context, client, hint }) => ({
			async executeItem({ limit, query, conditions = [] }) {
				const isTool = context.getNode().type.endsWith('Tool');
				// One entry above the limit shows whether the list was cut off.
				const fetchLimit = conditions.length === 0 ? limit + (isTool ? 1 : 0) : Infinity;
				const { entries, truncated } = await fetch(client, { query, limit: fetchLimit });
				let missingFieldCount = 0;
				const matching = entries.filter((entry) => {
					const matches = conditions.map((condition) => condition(entry));
					if (matches.includes(false)) return false;
					if (!matches.includes(undefined)) return true;
					missingFieldCount++;
					return false;
				});
				const isIncomplete = truncated && matching.length < limit;
				if (isIncomplete) hint('truncated', truncatedHint);
				const missingFieldHint = getMissingFieldHint(missingFieldCount);
				if (missingFieldCount > 0) hint('filters', missingFieldHint);
				const messageContext = getMessageContext(context, client);
				const items = matching.slice(0, limit).map((entry) => toItem(entry, messageContext));
				if (!isTool) return items;
				// A model sees only the items, not the hints.
				if (isIncomplete) items.push({ message: truncatedHint });
				if (missingFieldCount > 0) items.push({ message: missingFieldHint });
				if (matching.length > limit) items.push({ message: `${limitReachedHint} (${limit})` });
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

export interface ListFilter<Entry> {
	/** Sent to the service. */
	query?: Record<string, string>;
	/** An entry has to meet all of them. */
	conditions?: Array<Condition<Entry>>;
}

/**
 * Checks an entry.
 *
 * @returns `undefined` if the entry lacks the field to compare
 */
export type Condition<Entry> = (entry: Entry) => boolean | undefined;
