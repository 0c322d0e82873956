import type { EventType } from './event.types';
import { describeLink, formatLinkName, formatSeconds, withSubject } from './sentences';

export const linkPublished: EventType = {
	name: 'exchange.published',
	label: 'Link Published',
	description: 'The link of an exchange went live',
	isDefault: true,
	urgency: 5,
	digestLabel: { singular: 'link published', plural: 'links published' },
	source: 'exchanges',
	stage: 'published',
	payload: { id: 'id', others: ['live_url', 'published_at'] },
	getTime: ({ exchange }) => exchange?.publishedAt,
	getKeyParts: ({ exchange }) => [exchange?.id, exchange?.publishedAt],
	formatTitle: ({ exchange }) => withSubject('Link published', exchange, formatLinkName(exchange)),
	formatMessage({ exchange }, timeZone) {
		const time = formatSeconds(exchange?.publishedAt, timeZone);
		const status = time === undefined ? 'is live' : `went live on ${time}`;
		return `Link published: ${describeLink(exchange) ?? 'a link'} ${status}.`;
	},
};
