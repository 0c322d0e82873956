const inWords = {
	'credits.low': 'credits low',
	'exchange.accepted': 'offer accepted',
	'exchange.broken': 'link broken',
	'exchange.published': 'link published',
	'exchange.requested': 'new offer',
	'watchdog.alert': 'new alert',
};

/** The subtitle of both triggers, an expression of n8n: the selected events in words, such as "New alert, link broken". */
export const eventsSubtitle = `={{ $parameter["events"].map((event) => (${JSON.stringify(inWords)})[event]).join(", ").replace(/^./, (letter) => letter.toUpperCase()) }}`;
