import type { IDataObject, IExecuteFunctions } from 'n8n-workflow';

import { apiError, isExplanation } from '../shared/errors';
import { readWholeList } from '../shared/list';
import type { ListName } from '../shared/response';
import { wantedResults } from './listFields';
import type { ItemHandler, Run } from './operation';

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
		const result = await readWholeList(connection, {
			name,
			path,
			action,
			query: query?.(context, itemIndex),
			enough: (entries) => entries.filter(kept).length >= wanted,
		});
		if (isExplanation(result)) throw apiError(context.getNode(), result, itemIndex);
		const entries = result.entries.filter(kept);
		if (result.truncated && entries.length < wanted) run.hint('truncated', truncatedHint);
		return entries.slice(0, wanted);
	};
}
