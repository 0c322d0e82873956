import type { INodeProperties } from 'n8n-workflow';

interface Locator extends Pick<
	INodeProperties,
	'displayName' | 'name' | 'description' | 'required'
> {
	/** The name of the node's method that lists what the account has. */
	searchListMethod: string;
	/** What the list shows while nothing is chosen. */
	placeholder: string;
	/** How the user can enter what is not chosen from the list. */
	manualMode: { displayName: string; name: string; placeholder: string; hint?: string };
}

/** A field for something of the account: chosen from a list, or entered. */
export function resourceLocator({
	searchListMethod,
	placeholder,
	manualMode,
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
			{ ...manualMode, type: 'string' },
		],
	};
}

/** A locator for several things: the user adds rows, and may enter several in one of them, separated by commas. */
export function resourceLocatorList(
	field: Omit<Locator, 'required'>,
	buttonText: string,
): INodeProperties {
	const typeOptions = { multipleValues: true, multipleValueButtonText: buttonText };
	const row = `{ __rl: true, mode: '${field.manualMode.name}', value: '…' }`;
	// A text in their place filters too, but the editor would draw a row for each of its letters.
	const propertyHint = `An array with one row each, never a text: [${row}]`;
	return { ...resourceLocator(field), typeOptions, builderHint: { propertyHint } };
}

/** How sites are chosen or entered. */
export const siteLocator = {
	searchListMethod: 'searchSites',
	placeholder: 'Select a site…',
	manualMode: {
		displayName: 'By URL or ID',
		name: 'id',
		placeholder: 'e.g. https://blog.example.com',
	},
};

/** How severities are chosen or entered; which ones there are is not documented (service-api.md, "Watchdog event"). */
export const severityLocator = {
	searchListMethod: 'searchSeverities',
	placeholder: 'Select a severity…',
	manualMode: { displayName: 'By Name', name: 'name', placeholder: 'e.g. critical' },
};
