import type { IBuilderHint } from 'n8n-workflow';

import { formatOutputSchema } from '../shared/descriptions/outputSchema';
import { compactParts } from '../shared/formatting/message';
import { resources } from './resources';

/**
 * For models that build workflows with n8n's tools: search text, and the output of each operation.
 */
export const builderHint: IBuilderHint = {
	searchHint:
		'To start when something happens, use backlinkExchangeTrigger instead. For scheduled accepting by rules take acceptMany, which is in dry run until dryRun is false; for one offer that a person has approved take accept; for a report take account getSummary; for sites that somebody pastes take site createMany. These, and site create, put plain words in message: send that.',
	relatedNodes: [
		{
			nodeType: 'n8n-nodes-backlink-exchange.backlinkExchangeTrigger',
			relationHint:
				'Starts a workflow for a new offer, a live or broken link, an alert, low credits',
		},
	],
	extraTypeDefContent: resources.flatMap((resource) =>
		resource.operations
			.filter(
				({ outputSchema, usageHint }) => outputSchema !== undefined || usageHint !== undefined,
			)
			.map(({ value, outputSchema, usageHint }) => ({
				displayOptions: { show: { resource: [resource.value], operation: [value] } },
				content: compactParts(outputSchema && formatOutputSchema(outputSchema), usageHint).join(
					'\n',
				),
			})),
	),
};
