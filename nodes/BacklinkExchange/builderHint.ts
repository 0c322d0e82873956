import type { IBuilderHint } from 'n8n-workflow';

import { outputFormat } from '../shared/descriptions/outputFormat';
import { formatOutputSchema } from '../shared/descriptions/outputSchema';
import { compactParts } from '../shared/formatting/message';
import digest from './__schema__/digest.json';
import { resources } from './resources';

const digestHint = `With options { outputFormat: 'digest' }, one item for the run. ${formatOutputSchema(digest)}`;

/**
 * For models that build workflows with n8n's tools: search text, and the output of each operation.
 */
export const builderHint: IBuilderHint = {
	searchHint:
		'To start a workflow when something happens, use backlinkExchangeTrigger instead. To accept offers by rules on a schedule, use acceptMany; it is a dry run until dryRun is false. To accept one approved offer, use accept. For a report, use account getSummary. For a pasted list of sites, use site createMany. Each of them returns a message that you can send as it is.',
	relatedNodes: [
		{
			nodeType: 'n8n-nodes-backlink-exchange.backlinkExchangeTrigger',
			relationHint:
				'Starts a workflow on new offers, accepted offers, published or broken links, alerts, low credits',
		},
		{
			nodeType: 'n8n-nodes-base.googleSheets',
			relationHint:
				"Set options { cellFormat: 'RAW' }, or an anchor that begins with = becomes a formula",
		},
	],
	extraTypeDefContent: resources.flatMap((resource) =>
		resource.operations
			.filter(
				({ outputSchema, usageHint }) => outputSchema !== undefined || usageHint !== undefined,
			)
			.map(({ value, outputSchema, usageHint, options = [] }) => ({
				displayOptions: { show: { resource: [resource.value], operation: [value] } },
				content: compactParts(
					outputSchema && formatOutputSchema(outputSchema),
					options.includes(outputFormat) && digestHint,
					usageHint,
				).join('\n'),
			})),
	),
};
