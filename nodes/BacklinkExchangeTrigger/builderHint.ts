import type { IBuilderHint } from 'n8n-workflow';

import { formatOutputSchema } from '../shared/descriptions/outputSchema';
import digest from './__schema__/digest.json';
import output from './__schema__/v1.0.0.json';

/** For models that build workflows with n8n's tools: when to use this trigger, and its output. */
export const builderHint: IBuilderHint = {
	searchHint:
		'Use this trigger unless a workflow must start within seconds. It starts a workflow on new offers, accepted offers, published or broken links, alerts and low credits. For low credits, add the event credits.low and set lowCreditThreshold. The trigger needs no public URL. Each item has a message for the text and a title for the subject. You can send both to Slack or in an email as they are.',
	relatedNodes: [
		{
			nodeType: 'n8n-nodes-backlink-exchange.backlinkExchange',
			relationHint:
				'Use it to accept the offer with the exchangeId of an item, or to get sites, exchanges and credits.',
		},
		{
			nodeType: 'n8n-nodes-base.slack',
			relationHint:
				'Use it to send the message. Use its operation sendAndWait to ask someone for approval before an offer is accepted.',
		},
		{
			nodeType: 'n8n-nodes-base.googleSheets',
			relationHint:
				"Set options { cellFormat: 'RAW' }. Otherwise an anchor text that begins with = becomes a formula.",
		},
	],
	extraTypeDefContent: [
		{
			content: [
				formatOutputSchema(output),
				`With options { outputFormat: 'digest' }, each poll returns one item that lists all its events. ${formatOutputSchema(digest)}`,
				"To send alerts to Slack, set events ['watchdog.alert'] and options { outputFormat: 'digest' }, and add Slack with the text expr('{{ $json.message }}'). To poll every morning, set pollTimes { item: [{ mode: 'everyDay', hour: 8, minute: 0 }] }. Before a sendAndWait node, set options { outputFormat: 'executions' }, because that node asks only about the first item.",
				'The field partner is the other site, and the field site is your site. Enter the filters severities and excludedSeverities as text, separated by commas. An item has record only with options { includeRecord: true }.',
			].join('\n'),
		},
	],
};
