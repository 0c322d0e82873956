/** What an execution of a history gives to the node: its items, and its options from the panel or from expressions. */
import type { IDataObject, INodeParameters } from 'n8n-workflow';

import {
	type Execution,
	offersOfAccount,
	type OptionName,
	optionNames,
	secondAccount,
} from './history.mts';

export const accountOf = (number: number): number => (number < secondAccount ? 0 : 1);

/** The id of an exchange, which an exchange of the other account may have as well. */
export const offerId = (number: number): string => `x${number % secondAccount}`;

/** What an exchange of an account is called here. */
export const labelOf = (account: number, id: string): string =>
	account === 0 ? id : id.replace('x', 'y');

/** What the expressions of the other items yield, where only one yields something odd. */
const plainValues: Record<OptionName, unknown> = {
	dryRun: false,
	maxAccepts: 1,
	maxRateLimitWait: 90,
	minimumBalance: 0,
	timeout: 30,
};

export const accountOfLabel = (label: string): number => (label.startsWith('y') ? 1 : 0);

/** The value of an option that an item of an execution sees; undefined also when the user has not added it. */
export function valueOf(
	{ options, items }: Execution,
	name: OptionName,
	item: number,
): { isAdded: boolean; value: unknown } {
	const option = options[name];
	// In the panel, a value that is not there is an option that is not there; a bound that is left empty is none.
	const isEmpty =
		option?.value === undefined ||
		(isBound(name) && (option.value === '' || option.value === null));
	if (option === undefined || (option.through === 'panel' && isEmpty)) {
		return { isAdded: false, value: undefined };
	}
	const { value, through, onlyItem } = option;
	const isPlain =
		through === 'expression' && onlyItem !== undefined && onlyItem % items.length !== item;
	return { isAdded: true, value: isPlain ? plainValues[name] : value };
}

/** The items of an execution that are about an exchange: those with its ID, or all of its account. */
export function itemsAbout({ rules, items }: Execution, label: string): number[] {
	const isIt = (number: number) =>
		rules === undefined
			? labelOf(accountOf(number), offerId(number)) === label
			: accountOf(number) === accountOfLabel(label);
	return items.flatMap((number, item) => (isIt(number) ? [item] : []));
}

/** What an execution may accept, as far as it says. */
export function labelsOf({ rules, items }: Execution): string[] {
	const labels = items.flatMap((number) => {
		const account = accountOf(number);
		const offers = Array.from({ length: offersOfAccount }, (_, offer) => offerId(offer));
		return (rules === undefined ? [offerId(number)] : offers).map((id) => labelOf(account, id));
	});
	return [...new Set(labels)];
}

/** The parameters of the node, as its panel has them. */
export function parametersOf(execution: Execution): INodeParameters {
	const { rules } = execution;
	const options = optionParameters(execution);
	if (rules === undefined) {
		const exchangeId = { __rl: true, mode: 'id', value: '={{ $json.id }}' };
		return { resource: 'exchange', operation: 'accept', exchangeId, options };
	}
	const { dryRun = false, ...others } = options;
	const { acceptFrom, allowedPartners } = rules;
	return {
		resource: 'exchange',
		operation: 'acceptMany',
		...{ acceptFrom, allowedPartners, dryRun },
		options: { ...others, ...rules.options },
	};
}

export function inputItems(execution: Execution): IDataObject[] {
	return execution.items.map((number, item) => ({
		id: offerId(number),
		account: accountOf(number),
		...Object.fromEntries(
			optionNames
				.filter((name) => execution.options[name]?.through === 'expression')
				.map((name) => [name, valueOf(execution, name, item).value]),
		),
	}));
}

function isBound(name: OptionName): boolean {
	return name === 'maxAccepts' || name === 'minimumBalance';
}

function optionParameters({ options }: Execution): INodeParameters {
	return Object.fromEntries(
		Object.entries(options).map(([name, { value, through }]) => [
			name,
			through === 'expression' ? `={{ $json.${name} }}` : value,
		]),
	) as INodeParameters;
}
