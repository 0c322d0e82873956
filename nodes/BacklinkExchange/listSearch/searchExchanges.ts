import type {
	IDataObject,
	ILoadOptionsFunctions,
	INodeListSearchItems,
	INodeListSearchResult,
} from 'n8n-workflow';

import { aMomentAgo, ServiceConnection } from '../../shared/connection';
import { offerTimes } from '../../shared/events';
import { notListed, readExchanges } from '../../shared/exchanges';
import { resultOrThrow } from '../../shared/explanation';
import { byId, idOf, isId } from '../../shared/identity';
import { type ListResult, readWholeList } from '../../shared/list';
import { plain, quote, route } from '../../shared/message';
import { shorten } from '../../shared/response';
import { furthest } from '../../shared/state';
import { firstTime } from '../../shared/time';

/** More than the editor can show at once. */
const mostListed = 500;

/** The pending offers for "From List" of Accept that match what the user types. */
export async function searchPendingOffers(
	this: ILoadOptionsFunctions,
	filter?: string,
): Promise<INodeListSearchResult> {
	const request = { query: { status: 'pending' }, ...aMomentAgo };
	const list = await readWholeList(await open(this), 'exchanges', request);
	const offers = resultOrThrow(this.getNode(), list);
	return matching(offers, filter, labelled, 'No offer is pending at the moment');
}

/** All exchanges for "From List" of Get, with their status. */
export async function searchExchanges(
	this: ILoadOptionsFunctions,
	filter?: string,
): Promise<INodeListSearchResult> {
	const read = await readExchanges(await open(this), { ...aMomentAgo, alsoIn: notListed });
	const list = resultOrThrow(this.getNode(), read);
	// Read per status, an exchange may come twice.
	const entries = [...byId(list.entries).values()].map((same) => furthest(same).record ?? {});
	const withStatus = (exchange: IDataObject) => {
		const { name, value } = labelled(exchange);
		return { name: isId(exchange.status) ? `${name} (${exchange.status})` : name, value };
	};
	return matching({ ...list, entries }, filter, withStatus, 'The account has no exchange yet');
}

/** Somebody is waiting in the editor: a short answer, even if it is a no. */
async function open(context: ILoadOptionsFunctions): Promise<ServiceConnection> {
	return await ServiceConnection.open(context, { maxRateLimitWait: 5, timeout: 15 });
}

/**
 * The entries that match, and remarks that say why nothing is listed, or that there is more than can be listed. Remarks have
 * no value: who chooses one reads that no exchange is chosen.
 */
function matching(
	{ entries, truncated }: ListResult,
	filter = '',
	labelOf: (exchange: IDataObject) => INodeListSearchItems,
	empty: string,
): INodeListSearchResult {
	const wanted = filter.trim().toLowerCase();
	const results = entries
		.map(labelOf)
		.filter(({ name, value }) => `${name} ${value}`.toLowerCase().includes(wanted));
	const rest = results.splice(mostListed);
	const remark = (name: string) => results.push({ name, value: '' });
	if (entries.length === 0) remark(empty);
	else if (results.length === 0) {
		remark(`None of the ${entries.length} matches "${shorten(filter, 60)}"`);
	}
	if (rest.length > 0) remark(`Type to search: ${rest.length} more are not listed here`);
	if (truncated) remark('Not all of them are listed: enter the ID instead');
	return { results };
}

/** By what a person chooses, in the width of the list: blog.example → shop.example · "garden chairs" · 2 Jul · exc_1a2b3c. */
function labelled(exchange: IDataObject): INodeListSearchItems {
	const value = idOf(exchange) ?? '';
	const sites = route(exchange)?.replaceAll('"', '');
	const parts = [sites, quote(exchange.anchor), dateOf(exchange), plain(value, 60)];
	return { name: parts.filter(Boolean).join(' · '), value };
}

const day = new Intl.DateTimeFormat('en-GB', { day: 'numeric', month: 'short', timeZone: 'UTC' });

/** The day of the offer, in UTC. The service documents no time for it, so only where it sends one. */
function dateOf(exchange: IDataObject): string | undefined {
	const time = firstTime(exchange, offerTimes);
	return time && day.format(time.seconds * 1000);
}
