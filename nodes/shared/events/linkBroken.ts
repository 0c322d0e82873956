import type { EventType } from './event.types';
import { describeLink, formatLinkName, getRepairAdvice, withSubject } from './sentences';

export const linkBroken: EventType = {
	name: 'exchange.broken',
	label: 'Link Broken',
	description: 'The link of an exchange is no longer live',
	isDefault: true,
	urgency: 2,
	digestLabel: { singular: 'link broken', plural: 'links broken' },
	source: 'exchanges',
	stage: 'broken',
	// The time of the break isn't documented. The time of publication distinguishes one break from
	// the next.
	getTime: () => undefined,
	getKeyParts: ({ exchange }) => [exchange?.id, exchange?.publishedAt],
	formatTitle: ({ exchange }) => withSubject('Link broken', exchange, formatLinkName(exchange)),
	formatMessage({ exchange }) {
		const advice = getRepairAdvice(exchange) ?? "Check whether it's still on the page.";
		return `Link broken: ${describeLink(exchange) ?? 'a link'} is no longer live. ${advice}`;
	},
};
