import type { Exchange } from '../api/exchange';
import { formatLinkDetails, joinWords, withLabel } from '../formatting/message';
import type { EventType } from './event.types';
import { formatEnds, formatId, withSubject } from './sentences';

export const newOffer: EventType = {
	name: 'exchange.requested',
	label: 'New Offer',
	description: 'A partner made you an offer',
	isDefault: true,
	urgency: 4,
	digestLabel: { singular: 'new offer', plural: 'new offers' },
	source: 'exchanges',
	stage: 'requested',
	payload: { id: 'id', others: ['from_site', 'to_site', 'anchor'] },
	// There is nothing to decide about an offer that the user made.
	isIgnored: ({ exchange }) => exchange?.direction === 'outgoing',
	getTime: ({ exchange }) => exchange?.requestedAt,
	getKeyParts: ({ exchange }) => [exchange?.id],
	formatTitle({ exchange }) {
		const [from, to] = exchange === undefined ? [] : formatEnds(exchange);
		return from === undefined && to === undefined
			? withSubject('New offer', exchange)
			: joinWords('New offer', withLabel('from', from), withLabel('for', to));
	},
	formatMessage({ exchange }) {
		const offer = exchange === undefined ? 'an exchange was offered' : describeOffer(exchange);
		// It may have been accepted since.
		const { certainDirection, status = 'pending' } = exchange ?? {};
		const isWaiting = certainDirection === 'incoming' && status === 'pending';
		return joinWords(`New offer: ${offer}.`, isWaiting ? 'It waits for your decision.' : undefined);
	},
};

/** The same for both directions: the site that the offer comes from offers the link. */
function describeOffer(exchange: Exchange): string {
	const [from, site] = formatEnds(exchange);
	const to = withLabel('to', site);
	const details = formatLinkDetails(exchange.anchor, exchange.pageUrl);
	if (from !== undefined) return joinWords(from, 'offers a link', to, details);
	if (to !== undefined || details !== undefined) {
		return joinWords('a link', to, details, 'was offered');
	}
	return joinWords(withLabel('the exchange', formatId(exchange)) ?? 'an exchange', 'was offered');
}
