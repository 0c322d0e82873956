import type { IDataObject } from 'n8n-workflow';

import type { Executed } from './happened.mts';

/** What an execution reported about one item, or about itself. */
export interface Report {
	/** Undefined: about the execution as a whole. */
	item: number | undefined;
	id: string | undefined;
	json: IDataObject;
	/** Message and description, when it is an error. */
	error: string | undefined;
	code: string | undefined;
}

export function reportsOf({ end, ids }: Executed): Report[] {
	if (end === undefined) return [];
	const reports: Report[] = [];
	for (const task of end.tasks) {
		for (const { json, pairedItem } of task.data?.main?.[0] ?? []) {
			const item = (pairedItem as { item: number } | undefined)?.item;
			const error = json.error === undefined ? undefined : textOf(json.error as IDataObject);
			const code = (json.error as IDataObject | undefined)?.code as string | undefined;
			reports.push({ item, id: item === undefined ? undefined : ids[item], json, error, code });
		}
	}
	if (end.error !== undefined && end.status !== 'canceled') {
		const item = end.error.context?.itemIndex as number | undefined;
		const { message, description } = end.error;
		const code = end.error.context?.code as string | undefined;
		const id = item === undefined ? undefined : ids[item];
		reports.push({ item, id, json: {}, error: textOf({ message, description }), code });
	}
	return reports;
}

function textOf({ message, description }: IDataObject): string {
	return [message, description].filter((each) => typeof each === 'string').join(' ');
}
