import type { INodeProperties } from 'n8n-workflow';

type Texts = Pick<INodeProperties, 'displayName' | 'name'> & { description: string };

/** n8n's sentence for fields of this kind. */
const expressionHint =
	'Choose from the list, or specify IDs using an <a href="https://docs.n8n.io/code/expressions/">expression</a>';

/**
 * Builds a field for several sites of the account: users select them from a list, or enter an
 * expression that returns an array or text.
 */
export function siteOptions({ description, ...names }: Texts): INodeProperties {
	return {
		...names,
		type: 'multiOptions',
		typeOptions: { loadOptionsMethod: 'getSites' },
		allowArbitraryValues: true,
		default: [],
		description: `${description}. ${expressionHint}.`,
		builderHint: {
			propertyHint:
				"Enter an array of URLs or IDs of your sites, for example ['https://blog.example.com', 'site_1'].",
		},
	};
}
