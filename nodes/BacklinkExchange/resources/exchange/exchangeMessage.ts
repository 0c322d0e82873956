import type { Exchange } from '../../../shared/api/exchange';
import {
	formatLinkDetails,
	formatRoute,
	joinWords,
	pluralize,
	quote,
	sanitizeTitle,
	withLabel,
} from '../../../shared/formatting/message';
import { formatTime } from '../../../shared/formatting/time';

const daySeconds = 24 * 60 * 60;

export interface MessageContext {
	/** Of the workflow. */
	timeZone: string;
	/** The service's time, in epoch seconds. */
	now: number;
}

/**
 * Formats the state of an exchange for Slack, an email or a spreadsheet: `Accepted, not published
 * yet: a.example → b.example with the anchor “tents”. Accepted on 3 Nov 2026, 10:00 UTC, 25 days
 * ago.`
 */
export function formatExchange(exchange: Exchange, context: MessageContext): string {
	const subject = formatRoute(...exchange.route) ?? withLabel('the exchange', quote(exchange.id));
	const details = joinWords(
		subject ?? 'an exchange',
		formatLinkDetails(exchange.anchor, exchange.pageUrl),
	);
	return joinWords(`${describeState(exchange)}: ${details}.`, formatAge(exchange, context));
}

/** Formats the state of an exchange for the subject of an email, with at most 80 characters. */
export function formatExchangeTitle(exchange: Exchange): string {
	const subject = formatRoute(...exchange.route) ?? withLabel('exchange', quote(exchange.id));
	return sanitizeTitle(joinWords(`${describeState(exchange)}:`, subject));
}

/** Formats a number of days since a time: `25 days ago`, `today`. */
export function formatDaysAgo(seconds: number, { now }: MessageContext): string {
	const days = Math.floor((now - seconds) / daySeconds);
	return days < 1 ? 'today' : `${pluralize(days, 'day')} ago`;
}

function describeState({ status, direction, record }: Exchange): string {
	switch (status) {
		case 'pending':
			return direction === 'outgoing' ? 'Waiting for the partner' : 'Pending offer from a partner';
		case 'accepted':
			return 'Accepted, not published yet';
		case 'live':
			return 'Live';
		case 'broken':
			return 'Link broken';
		case 'closed':
			return joinWords('Closed', withLabel('with the status', quote(record.status)));
		case undefined:
			return "Status can't be read";
	}
}

/** Formats when the exchange reached its status, if that is shown. */
function formatAge(exchange: Exchange, context: MessageContext): string | undefined {
	const { status, acceptedAt, publishedAt, requestedAt } = exchange;
	const isPublished = status === 'live' || status === 'broken';
	const [verb, time] =
		isPublished && publishedAt !== undefined
			? ['Published', publishedAt]
			: status !== 'pending' && acceptedAt !== undefined
				? ['Accepted', acceptedAt]
				: ['Offered', requestedAt];
	if (time === undefined) return undefined;
	return `${verb} on ${formatTime(time, context.timeZone)}, ${formatDaysAgo(time, context)}.`;
}
