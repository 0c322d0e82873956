import type { IBuilderHint } from 'n8n-workflow';

import { formatOutputSchema } from '../shared/descriptions/outputSchema';
import digest from './__schema__/digest.json';
import output from './__schema__/v1.0.0.json';

/** For models that build workflows with n8n's tools: when to use this trigger, and its output. */
export const builderHint: IBuilderHint = {
	searchHint:
		'The trigger to begin with for new offers, accepted, published or broken links, watchdog alerts and low credits (events credits.low with creditsLowBelow). Needs no public address. Each item has a plain sentence in message: send that.',
	relatedNodes: [
		{
			nodeType: 'n8n-nodes-backlink-exchange.backlinkExchange',
			relationHint: 'Accepts the offer, reads sites, exchanges and credits',
		},
		{
			nodeType: 'n8n-nodes-base.slack',
			relationHint:
				"Sends the message; sendAndWait lets a person approve an offer before it's accepted",
		},
	],
	extraTypeDefContent: [
		{
			content: [
				formatOutputSchema(output),
				`With options { outputFormat: 'digest' }, one item for all events of a poll. ${formatOutputSchema(digest)}`,
				"Alerts to Slack: events ['watchdog.alert'], options { outputFormat: 'digest', tryAgain: true }, then Slack with expr('{{ $json.message }}'). Every morning: pollTimes { item: [{ mode: 'everyDay', hour: 8, minute: 0 }] }. With tryAgain, an execution that fails comes again for a day, and with outputFormat 'items' each event starts one of its own: needed before sendAndWait, which asks about the first item only.",
				"The exchange's ID is data.id, or data.exchange_id of an alert, which has the record in exchange. from_site is the partner, to_site yours.",
			].join('\n'),
		},
	],
};
