import type { INodeProperties } from 'n8n-workflow';

/** How users enter a value that isn't in the list. */
interface ManualMode {
	displayName: string;
	name: string;
	placeholder: string;
	hint?: string;
}

interface Locator extends Pick<
	INodeProperties,
	'displayName' | 'name' | 'description' | 'required'
> {
	/** Name of a method in `methods/listSearch.ts`. */
	searchListMethod: string;
	/** Shown in the list while nothing is selected. */
	placeholder: string;
	manualModes: ManualMode[];
}

/** Builds a field that is selected from a list or entered. */
export function resourceLocator({
	searchListMethod,
	placeholder,
	manualModes,
	...field
}: Locator): INodeProperties {
	return {
		...field,
		type: 'resourceLocator',
		default: { mode: 'list', value: '' },
		modes: [
			{
				displayName: 'From List',
				name: 'list',
				type: 'list',
				placeholder,
				typeOptions: { searchListMethod, searchable: true },
			},
			...manualModes.map((mode) => ({ ...mode, type: 'string' as const })),
		],
	};
}

export const siteLocator = {
	searchListMethod: 'searchSites',
	placeholder: 'Select a site…',
	manualModes: [
		{ displayName: 'By URL', name: 'url', placeholder: 'e.g. https://blog.example.com' },
		{ displayName: 'By ID', name: 'id', placeholder: 'e.g. site_1a2b3c' },
	],
};

/** The possible severities aren't documented (service-api.md, "Watchdog event"). */
export const severityLocator = {
	searchListMethod: 'searchSeverities',
	placeholder: 'Select a severity…',
	manualModes: [{ displayName: 'By Name', name: 'name', placeholder: 'e.g. critical' }],
};
