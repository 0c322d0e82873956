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
}

export function reportsOf({ end, ids }: Executed): Report[] {
	if (end === undefined) return [];
	const reports: Report[] = [];
	for (const task of end.tasks) {
		for (const { json, pairedItem } of task.data?.main?.[0] ?? []) {
			const item = (pairedItem as { item: number } | undefined)?.item;
			const error = json.error === undefined ? undefined : textOf(json.error as IDataObject);
			reports.push({ item, id: item === undefined ? undefined : ids[item], json, error });
		}
	}
	if (end.error !== undefined && end.status !== 'canceled') {
		const item = end.error.context?.itemIndex as number | undefined;
		const { message, description } = end.error;
		const id = item === undefined ? undefined : ids[item];
		reports.push({ item, id, json: {}, error: textOf({ message, description }) });
	}
	return reports;
}

function textOf({ message, description }: IDataObject): string {
	return [message, description].filter((each) => typeof each === 'string').join(' ');
}
