import type {
	IDataObject,
	ILoadOptionsFunctions,
	INodeListSearchItems,
	INodeListSearchResult,
} from 'n8n-workflow';
import { NodeOperationError } from 'n8n-workflow';

import { ServiceConnection } from '../../shared/connection';
import { isId } from '../../shared/events';
import { readExchanges } from '../../shared/exchanges';
import { resultOrThrow } from '../../shared/explanation';
import { type ListResult, readWholeList } from '../../shared/list';
import { isObject, shorten } from '../../shared/response';
import { readMoment } from '../../shared/time';

/** The pending offers for "From List" of Accept, narrowed down to what the user types. */
export async function searchPendingOffers(
	this: ILoadOptionsFunctions,
	filter?: string,
): Promise<INodeListSearchResult> {
	const connection = await open(this);
	const list = await readWholeList(connection, {
		name: 'exchanges',
		path: ['exchanges'],
		query: { status: 'pending' },
		action: 'list the pending offers',
	});
	const offers = resultOrThrow(this.getNode(), list);
	refuseEmpty(
		this,
		offers,
		'No offer is pending at the moment',
		'An offer stays in this list until it is accepted. New ones come from partners; in the sandbox, press New Offer in its dashboard.',
	);
	const results = matching(offers.entries.map(labelled), filter);
	return { results: [...results, ...remarks(offers, results.length, filter)] };
}

/** All exchanges for "From List" of Get, with their status. */
export async function searchExchanges(
	this: ILoadOptionsFunctions,
	filter?: string,
): Promise<INodeListSearchResult> {
	const exchanges = resultOrThrow(this.getNode(), await readExchanges(await open(this)));
	refuseEmpty(
		this,
		exchanges,
		'The account has no exchange yet',
		'Exchanges begin with the offer of a partner; in the sandbox, press New Offer in its dashboard.',
	);
	// Read per status, an exchange may come twice.
	const byId = new Map(
		exchanges.entries.map((exchange) => [isId(exchange.id) ? String(exchange.id) : '', exchange]),
	);
	const labels = [...byId.values()].map((exchange) => {
		const { name, value } = labelled(exchange);
		return { name: isId(exchange.status) ? `${name} (${exchange.status})` : name, value };
	});
	const results = matching(labels, filter);
	return { results: [...results, ...remarks(exchanges, results.length, filter)] };
}

/** Somebody is waiting in the editor: a short answer, even if it is a no. */
async function open(context: ILoadOptionsFunctions): Promise<ServiceConnection> {
	return await ServiceConnection.open(context, { maxRateLimitWait: 5, timeout: 15 });
}

function matching(labels: INodeListSearchItems[], filter = ''): INodeListSearchItems[] {
	const wanted = filter.trim().toLowerCase();
	return labels.filter(({ name, value }) => `${name} ${value}`.toLowerCase().includes(wanted));
}

/** n8n shows an empty list without a reason, and an error with its words. */
function refuseEmpty(
	context: ILoadOptionsFunctions,
	{ entries }: ListResult,
	message: string,
	description: string,
): void {
	if (entries.length > 0) return;
	throw new NodeOperationError(context.getNode(), message, { description });
}

/**
 * Entries that say why nothing fits what was typed, or that there is more than can be listed. They have no value: who
 * chooses one is told that no exchange is chosen.
 */
function remarks(
	{ entries, truncated }: ListResult,
	shown: number,
	filter = '',
): INodeListSearchItems[] {
	const remark = (name: string): INodeListSearchItems => ({ name, value: '' });
	const reasons: INodeListSearchItems[] = [];
	if (shown === 0) {
		reasons.push(remark(`None of the ${entries.length} matches "${shorten(filter, 60)}"`));
	}
	if (truncated) {
		reasons.push(remark('The service has more than it lists here: enter the ID instead'));
	}
	return reasons;
}

/** For example: exc_1a2b3c · 2026-07-01 · blog.example.com → shop.example.com: "garden chairs". */
function labelled(exchange: IDataObject): INodeListSearchItems {
	const { id, from_site, to_site, anchor } = exchange;
	const value = isId(id) ? String(id) : '';
	const sites = [from_site, to_site].map(siteName).filter((name) => name !== '');
	const text = typeof anchor === 'string' && anchor !== '' ? `"${anchor}"` : '';
	const subject = [sites.join(' → '), text].filter((part) => part !== '').join(': ');
	const parts = [shortId(value), dateOf(exchange), subject].filter((part) => part !== '');
	return { name: shorten(parts.join(' · '), 120), value };
}

/** Enough of it to tell offers apart; whole where it is short. */
function shortId(id: string): string {
	return id.length <= 20 ? id : `${id.slice(0, 12)}…${id.slice(-6)}`;
}

/** The day of the offer, in UTC. The service documents no time for it, so only where it sends one. */
function dateOf({ requested_at, created_at }: IDataObject): string {
	const value = requested_at ?? created_at;
	// The usual form, without the detour: there may be ten thousand.
	if (typeof value === 'string' && /^\d{4}-\d{2}-\d{2}T[\d:.]+Z$/.test(value)) {
		return value.slice(0, 10);
	}
	const moment = isId(value) ? readMoment(String(value), 0) : undefined;
	return moment === undefined ? '' : new Date(moment).toISOString().slice(0, 10);
}

/** The format of from_site and to_site is not documented: a text, or an object with a URL or an id. */
function siteName(site: unknown): string {
	if (typeof site === 'string') return site.replace(/^https?:\/\//i, '').replace(/\/$/, '');
	if (!isObject(site)) return '';
	return siteName(site.url ?? site.id);
}
