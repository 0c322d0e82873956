import type { IBuilderHint } from 'n8n-workflow';

import { formatOutputSchema } from '../shared/descriptions/outputSchema';
import digest from './__schema__/digest.json';
import output from './__schema__/v1.0.0.json';

/** For models that build workflows with n8n's tools: when to use this trigger, and its output. */
export const builderHint: IBuilderHint = {
	searchHint:
		'The trigger to start with, for new offers, accepted offers, published or broken links, alerts and low credits (event credits.low with lowCreditThreshold). Needs no public URL. Send message (text) and title (subject): they are ready for Slack or an email.',
	relatedNodes: [
		{
			nodeType: 'n8n-nodes-backlink-exchange.backlinkExchange',
			relationHint: 'Accepts the offer of exchangeId; reads sites, exchanges and credits',
		},
		{
			nodeType: 'n8n-nodes-base.slack',
			relationHint:
				"Sends the message; with sendAndWait, someone approves an offer before it's accepted",
		},
		{
			nodeType: 'n8n-nodes-base.googleSheets',
			relationHint:
				"Set options { cellFormat: 'RAW' }, or an anchor that begins with = becomes a formula",
		},
	],
	extraTypeDefContent: [
		{
			content: [
				formatOutputSchema(output),
				`With options { outputFormat: 'digest' }, one item for all events of a poll. ${formatOutputSchema(digest)}`,
				"Alerts to Slack: events ['watchdog.alert'], options { outputFormat: 'digest', retryFailedExecutions: true }, then Slack with expr('{{ $json.message }}'). Every morning: pollTimes { item: [{ mode: 'everyDay', hour: 8, minute: 0 }] }. With retryFailedExecutions, a failed execution starts again for a day, and with outputFormat 'items' each event starts its own: this is required before sendAndWait, which asks about the first item only.",
				'partner is the other site, site is yours. Filters severities and excludedSeverities are texts, separated by commas. record requires options.includeRecord, and attempt requires retryFailedExecutions.',
			].join('\n'),
		},
	],
};
