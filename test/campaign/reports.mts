import type { IDataObject } from 'n8n-workflow';

import type { Executed } from './happened.mts';
import { offerId } from './input.mts';

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

/** Outcomes of Accept Many for an error about an offer. */
const failures: Record<string, { code?: string }> = {
	failed: {},
	unknown: { code: 'outcome_unknown' },
};

export function reportsOf({ end, spec }: Executed): Report[] {
	if (end === undefined) return [];
	/** The exchange of an item; of Accept Many, the one that it names. */
	const offerOf = (item: number | undefined, named?: string) => {
		if (spec.rules !== undefined) return named;
		const number = item === undefined ? undefined : spec.items[item];
		return number === undefined ? undefined : offerId(number);
	};
	const reports: Report[] = [];
	for (const task of end.tasks) {
		for (const { json, pairedItem } of task.data?.main?.[0] ?? []) {
			const item = (pairedItem as { item: number } | undefined)?.item;
			const failure = failures[json.outcome as string];
			const error =
				failure === undefined ? (json.error as IDataObject | undefined) : { message: json.reason };
			const code = (failure ?? (json.error as IDataObject | undefined))?.code as string | undefined;
			const text = error === undefined ? undefined : textOf(error);
			reports.push({ item, id: offerOf(item, json.id as string), json, error: text, code });
		}
	}
	if (end.error !== undefined && end.status !== 'canceled') {
		const item = end.error.context?.itemIndex as number | undefined;
		const { message, description } = end.error;
		const code = end.error.context?.code as string | undefined;
		const error = textOf({ message, description });
		reports.push({ item, id: offerOf(item), json: {}, error, code });
	}
	return reports;
}

function textOf({ message, description }: IDataObject): string {
	return [message, description].filter((each) => typeof each === 'string').join(' ');
}
