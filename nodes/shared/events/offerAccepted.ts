import type { Exchange } from '../api/exchange';
import {
	formatLinkDetails,
	formatRoute,
	formatSite,
	joinWords,
	withLabel,
} from '../formatting/message';
import type { EventType } from './event.types';
import { formatId, formatPartner, formatSeconds, withSubject } from './sentences';

export const offerAccepted: EventType = {
	name: 'exchange.accepted',
	label: 'Offer Accepted',
	description: 'An offer was accepted, by you or by a partner',
	isDefault: true,
	urgency: 6,
	digestLabel: { singular: 'offer accepted', plural: 'offers accepted' },
	source: 'exchanges',
	stage: 'accepted',
	payload: { id: 'id', others: ['accepted_at'] },
	getTime: ({ exchange }) => exchange?.acceptedAt,
	getKeyParts: ({ exchange }) => [exchange?.id, exchange?.acceptedAt],
	formatTitle: ({ exchange }) =>
		withSubject('Offer accepted', exchange, exchange && formatRoute(...exchange.route)),
	formatMessage({ exchange }, timeZone) {
		const time = withLabel('on', formatSeconds(exchange?.acceptedAt, timeZone));
		return `Offer accepted: ${exchange === undefined ? 'an offer was accepted.' : describeAcceptance(exchange, time)}`;
	},
};

/** Formats who accepted whose offer, as one or two sentences. */
function describeAcceptance(exchange: Exchange, time: string | undefined): string {
	const details = formatLinkDetails(exchange.anchor, exchange.pageUrl);
	const site = formatSite(exchange.site.label);
	switch (exchange.certainDirection) {
		case 'outgoing': {
			const from = withLabel('from', site);
			const words = [formatPartner(exchange), 'accepted your offer', from, details, time];
			return `${joinWords(...words)}.`;
		}
		case 'incoming': {
			const acceptance = joinWords('the offer from', formatPartner(exchange), 'was accepted', time);
			const subject = joinWords(withLabel('for', site), details);
			return subject === '' ? `${acceptance}.` : `${acceptance}. It's ${subject}.`;
		}
		default: {
			const route = formatRoute(...exchange.route);
			const isNamed = route !== undefined || details !== undefined;
			const subject = isNamed ? joinWords(route, details) : formatId(exchange);
			const offer = withLabel('the offer', subject) ?? 'an offer';
			return `${joinWords(offer, 'was accepted', time)}.`;
		}
	}
}
