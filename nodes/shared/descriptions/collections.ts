import type { INodeProperties } from 'n8n-workflow';

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

export function filtersField(description: string, filters: INodeProperties[]): INodeProperties {
	const names = { displayName: 'Filters', name: 'filters', placeholder: 'Add filter' };
	return { ...optionsField(filters), ...names, description };
}
