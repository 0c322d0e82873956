import type { Exchange } from '../api/exchange';
import { formatRoute, formatSite, joinWords, quote, withLabel } from '../formatting/message';
import { formatTime } from '../formatting/time';
import type { EventData } from './event.types';

/**
 * Formats a link: `the link from https://kettle-review.example/tea to tea.example with the anchor
 * “green tea”`.
 *
 * @returns `undefined` if the record contains neither end, nor the ID of the exchange
 */
export function describeLink(exchange: Exchange | undefined): string | undefined {
	if (exchange === undefined) return undefined;
	const [from, to] = formatEnds(exchange);
	const ends = [withLabel('from', exchange.pageUrl ?? from), withLabel('to', to)];
	const isNamed = ends.some((end) => end !== undefined);
	const id = formatId(exchange);
	if (!isNamed && id === undefined) return undefined;
	const anchor = withLabel('with the anchor', quote(exchange.anchor));
	return joinWords('the link', ...(isNamed ? ends : [withLabel('of the exchange', id)]), anchor);
}

/**
 * Formats what to do about a link that is gone. That of an offer that you made may be on your page.
 *
 * @returns `undefined` if the direction isn't known
 */
export function getRepairAdvice(exchange: Exchange | undefined): string | undefined {
	const direction = exchange?.certainDirection;
	if (exchange === undefined || direction === undefined) return undefined;
	const partner = formatPartner(exchange);
	return direction === 'outgoing'
		? `Check your own page first, because the link may be there. Otherwise, ask ${partner} to restore it.`
		: `Ask ${partner} to restore it.`;
}

/** Formats where to find an exchange of which only the ID is known, as in some webhook events. */
export function getLookupAdvice({ exchange }: EventData): string | undefined {
	if (exchange === undefined || quote(exchange.id) === undefined) return undefined;
	const { anchor, pageUrl } = exchange;
	const names = [quote(anchor), pageUrl, ...formatEnds(exchange)];
	return names.some((name) => name !== undefined)
		? undefined
		: 'To see more, look up the exchange in your dashboard.';
}

/** Formats the site that offers the exchange, and the one that receives it. */
export function formatEnds({ route: [from, to] }: Exchange): Array<string | undefined> {
	return [formatSite(from), formatSite(to)];
}

/** Formats a title: the headline, and the subject or else the ID of the exchange. */
export function withSubject(
	headline: string,
	exchange: Exchange | undefined,
	subject?: string,
): string {
	const shown = subject ?? withLabel('exchange', quote(exchange?.id));
	return shown === undefined ? headline : `${headline}: ${shown}`;
}

/** Formats the page of a link, or else its two sites, for a title. */
export function formatLinkName(exchange: Exchange | undefined): string | undefined {
	return exchange && (formatSite(exchange.pageUrl) ?? formatRoute(...exchange.route));
}

/** Formats the two sites of a link, or else its page, for a title. */
export function formatLinkRoute(exchange: Exchange | undefined): string | undefined {
	return exchange && (formatRoute(...exchange.route) ?? formatSite(exchange.pageUrl));
}

export function formatPartner({ partner }: Exchange): string {
	return formatSite(partner.label) ?? 'the partner';
}

export function formatId({ id }: Exchange): string | undefined {
	return withLabel('with the ID', quote(id));
}

/** @returns `undefined` if the time isn't known */
export function formatSeconds(seconds: number | undefined, timeZone: string): string | undefined {
	return seconds === undefined ? undefined : formatTime(seconds, timeZone);
}
