import type { INodeProperties } from 'n8n-workflow';

/** The field for an exchange: chosen from a list, or its ID. */
export function exchangeLocator(
	searchListMethod: 'searchExchanges' | 'searchPendingOffers',
	{ description, placeholder, hint }: Record<'description' | 'placeholder' | 'hint', string>,
): INodeProperties {
	return {
		displayName: 'Exchange',
		name: 'exchangeId',
		type: 'resourceLocator',
		default: { mode: 'list', value: '' },
		required: true,
		description,
		modes: [
			{
				displayName: 'From List',
				name: 'list',
				type: 'list',
				placeholder,
				typeOptions: { searchListMethod, searchable: true },
			},
			{ displayName: 'ID', name: 'id', type: 'string', placeholder: 'e.g. exc_1a2b3c', hint },
		],
	};
}
