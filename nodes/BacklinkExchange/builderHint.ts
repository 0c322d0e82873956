import type { IBuilderHint } from 'n8n-workflow';

import { outputFormat } from '../shared/descriptions/outputFormat';
import { formatOutputSchema } from '../shared/descriptions/outputSchema';
import { compactParts } from '../shared/formatting/message';
import digest from './__schema__/digest.json';
import { resources } from './resources';

const digestHint = `With options { outputFormat: 'digest' }, the operation returns one item that lists all results, or no item if there is nothing to report. ${formatOutputSchema(digest)}`;

/**
 * For models that build workflows with n8n's tools: search text, and the output of each operation.
 */
export const builderHint: IBuilderHint = {
	searchHint:
		'Use backlinkExchangeTrigger instead to start a workflow when something happens. Use acceptMany to accept offers by rules on a schedule. It accepts nothing until you set dryRun to false. Use accept to accept one offer that someone approved. Use account getSummary for a report. The items of these operations have a message that you can send as it is.',
	relatedNodes: [
		{
			nodeType: 'n8n-nodes-backlink-exchange.backlinkExchangeTrigger',
			relationHint:
				'Use it to start a workflow on new offers, accepted offers, published or broken links, alerts and low credits.',
		},
		{
			nodeType: 'n8n-nodes-base.googleSheets',
			relationHint:
				"Set options { cellFormat: 'RAW' }. Otherwise an anchor text that begins with = becomes a formula.",
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
