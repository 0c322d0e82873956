/** What an execution of a history gives to the node: its items and its parameters. */
import type { INodeParameters } from 'n8n-workflow';

import { acceptParameters } from '../engine/client.mts';
import { type Execution, offersOfAccount } from './history.mts';

/** The id of an exchange. */
export const offerId = (number: number): string => `x${number}`;

/** What an execution may accept, as far as it says. */
export function offersOf({ rules, items }: Execution): string[] {
	const all = Array.from({ length: offersOfAccount }, (_, offer) => offer);
	return [...new Set(rules === undefined ? items : all)].map(offerId);
}

/** The parameters of the node, as its panel has them. */
export function parametersOf({ rules, options }: Execution): INodeParameters {
	if (rules === undefined) {
		return {
			...{ resource: 'exchange', operation: 'accept' },
			...acceptParameters(undefined, { ...options }),
		};
	}
	const { dryRun = false, ...others } = options;
	const { acceptFrom, allowedPartners } = rules;
	return {
		...{ resource: 'exchange', operation: 'acceptMany', acceptFrom, allowedPartners, dryRun },
		options: { ...others, ...rules.options },
	};
}
