import type { INodeProperties } from 'n8n-workflow';

/** The field "Options", a collection of fields that the user may add. */
export function optionsField(options: INodeProperties[]): INodeProperties {
	return {
		displayName: 'Options',
		name: 'options',
		type: 'collection',
		placeholder: 'Add option',
		default: {},
		options,
	};
}

/** The field "Filters", a collection like "Options". */
export function filtersField(description: string, filters: INodeProperties[]): INodeProperties {
	const names = { displayName: 'Filters', name: 'filters', placeholder: 'Add filter' };
	return { ...optionsField(filters), ...names, description };
}
