import type { IDataObject } from 'n8n-workflow';

/** What the user has set to get only some of the entries of a list. */
export interface ListFilter {
	/** Parameters that the service understands. */
	query?: Record<string, string>;
	/** Keeps only some of the entries, after they were read. */
	keep?: (entry: IDataObject) => boolean;
	/** What the user has to know of how it went, once all entries were seen. */
	remark?: () => string | undefined;
}

/** Whether an entry fits; undefined when the entry does not tell. */
export type Condition = (entry: IDataObject) => boolean | undefined;

/**
 * Keeps the entries that fit all conditions.
 * @param keepUnknown whether to keep those that do not tell whether they fit; `remark` says so, it is never done in silence
 */
export function filterBy(
	conditions: Condition[],
	{ keepUnknown, remark }: { keepUnknown: boolean; remark: (count: number) => string },
): ListFilter {
	if (conditions.length === 0) return {};
	let count = 0;
	return {
		keep(entry) {
			const fits = conditions.map((condition) => condition(entry));
			if (fits.includes(false)) return false;
			if (!fits.includes(undefined)) return true;
			count++;
			return keepUnknown;
		},
		remark: () => (count === 0 ? undefined : remark(count)),
	};
}
