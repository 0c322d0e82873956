import type { INodeProperties } from 'n8n-workflow';

import { locator } from '../../../shared/fields/locator';

/** The field in which an exchange is chosen from a list, or its ID entered. */
export function exchangeLocator(
	searchListMethod: 'searchExchanges' | 'searchPendingOffers',
	{
		description,
		placeholder,
		hint,
		required = true,
	}: Record<'description' | 'placeholder' | 'hint', string> & { required?: boolean },
): INodeProperties {
	return locator({
		displayName: 'Exchange',
		name: 'exchangeId',
		required,
		description,
		searchListMethod,
		placeholder,
		entry: { displayName: 'By ID', name: 'id', placeholder: 'e.g. exc_1a2b3c', hint },
	});
}
