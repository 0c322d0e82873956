/** What an execution of a history gives to the node: its items, and its options from the panel or from expressions. */
import type { IDataObject, INodeParameters } from 'n8n-workflow';

import { type Execution, type OptionName, optionNames } from './history.mts';

export const offerId = (number: number): string => `x${number}`;

/** What the expressions of the other items yield, where only one yields something odd. */
const plainValues: Record<OptionName, unknown> = {
	checkFirst: true,
	dryRun: false,
	maxAccepts: 0,
	maxRateLimitWait: 90,
	minimumBalance: 0,
	retryUnconfirmed: false,
	timeout: 30,
};

/** The value of an option that an item of an execution sees; undefined also when the user has not added it. */
export function valueOf(
	{ options, items }: Execution,
	name: OptionName,
	item: number,
): { isAdded: boolean; value: unknown } {
	const option = options[name];
	// In the panel, a value that is not there is an option that is not there.
	if (option === undefined || (option.through === 'panel' && option.value === undefined)) {
		return { isAdded: false, value: undefined };
	}
	const { value, through, onlyItem } = option;
	const isPlain =
		through === 'expression' && onlyItem !== undefined && onlyItem % items.length !== item;
	return { isAdded: true, value: isPlain ? plainValues[name] : value };
}

export function optionParameters({ options }: Execution): INodeParameters {
	return Object.fromEntries(
		Object.entries(options).map(([name, { value, through }]) => [
			name,
			through === 'expression' ? `={{ $json.${name} }}` : value,
		]),
	) as INodeParameters;
}

export function inputItems(execution: Execution): IDataObject[] {
	return execution.items.map((number, item) => ({
		id: offerId(number),
		...Object.fromEntries(
			optionNames
				.filter((name) => execution.options[name]?.through === 'expression')
				.map((name) => [name, valueOf(execution, name, item).value]),
		),
	}));
}
