import type {
	IDataObject,
	ILoadOptionsFunctions,
	INodeListSearchItems,
	INodeListSearchResult,
} from 'n8n-workflow';

import { byId, idOf, isId } from '../identity';
import type { ListName } from '../reading/content';
import { notListed, readExchanges } from '../reading/exchanges';
import { type ListResult, readWholeList } from '../reading/list';
import { furthest } from '../reading/state';
import { ServiceConnection } from '../service/connection';
import { aMomentAgo } from '../service/reads';
import { shorten } from '../text';
import { resultOrThrow } from '../words/explanation';
import { address, plain, quote, route } from '../words/message';

/** The most entries of a list; they are more than the editor can show at once. */
const mostListed = 500;

/** The pending offers for "From List" of Accept that match what the user types. */
export async function searchPendingOffers(
	this: ILoadOptionsFunctions,
	filter?: string,
): Promise<INodeListSearchResult> {
	const { entries, truncated } = await listOf(this, 'exchanges', { status: 'pending' });
	const empty = 'No offer is pending at the moment';
	return matching(entries.map(toEntry), { filter, truncated, empty, instead: 'the ID' });
}

/** All exchanges, with their status. */
export async function searchExchanges(
	this: ILoadOptionsFunctions,
	filter?: string,
): Promise<INodeListSearchResult> {
	const read = await readExchanges(await open(this), { ...aMomentAgo, alsoIn: notListed });
	const { entries, truncated } = resultOrThrow(this.getNode(), read);
	// An exchange that moves on between two lists per status is in both.
	const exchanges = [...byId(entries).values()].map((same) => furthest(same).record ?? {});
	const withStatus = (exchange: IDataObject) => {
		const { name, value } = toEntry(exchange);
		return { name: isId(exchange.status) ? `${name} (${exchange.status})` : name, value };
	};
	const empty = 'The account has no exchange yet';
	return matching(exchanges.map(withStatus), { filter, truncated, empty, instead: 'the ID' });
}

/**
 * The sites of the account. The value is the URL and the ID of a site, with a comma, because the service does not say by
 * which of them it names the sites of an exchange (service-api.md, "Exchange").
 */
export async function searchSites(
	this: ILoadOptionsFunctions,
	filter?: string,
): Promise<INodeListSearchResult> {
	const { entries, truncated } = await listOf(this, 'sites');
	const sites = entries.map((site) => {
		const names = [site.url, site.id].filter(isId).map((each) => String(each).trim());
		const parts = [address(site), quote(site.niche)];
		return {
			name: parts.filter(Boolean).join(' · '),
			value: names.map((each) => each.replaceAll(',', '%2C')).join(', '),
		};
	});
	const empty = 'No site yet: add one with Site > Create';
	return matching(sites, { filter, truncated, empty, instead: 'the URL or ID' });
}

/** The niches of the account's sites. */
export const searchNiches = searchWords('sites', 'niche', 'No niche yet');

/** The severities of the account's watchdog events. */
export const searchSeverities = searchWords('watchdogEvents', 'severity', 'No alert yet');

/** The words that stand in a field of a list. */
function searchWords(list: ListName, field: string, nothingYet: string) {
	return async function (this: ILoadOptionsFunctions, filter?: string) {
		const { entries, truncated } = await listOf(this, list);
		const empty = `${nothingYet}: choose By Name and enter one`;
		const words = differentWords(entries.map((entry) => entry[field]));
		return matching(words, { filter, truncated, empty, instead: 'the name' });
	};
}

/** A list of the account, as it was a moment ago at most. @throws NodeApiError that says why it cannot be read */
async function listOf(
	context: ILoadOptionsFunctions,
	name: ListName,
	query?: Record<string, string>,
): Promise<ListResult> {
	const list = await readWholeList(await open(context), name, { ...aMomentAgo, query });
	return resultOrThrow(context.getNode(), list);
}

/** Opens a connection that gives up soon, because somebody is waiting in the editor. */
async function open(context: ILoadOptionsFunctions): Promise<ServiceConnection> {
	return await ServiceConnection.open(context, { maxRateLimitWait: 5, timeout: 15 });
}

/**
 * The entries that match, and remarks that say why nothing is listed, or that there is more than can be listed. A remark has
 * no value, so whoever chooses one has chosen nothing. The editor cuts what is longer than some 47 letters.
 */
function matching(
	entries: INodeListSearchItems[],
	{ filter = '', truncated, empty, instead }: Matching,
): INodeListSearchResult {
	const wanted = filter.trim().toLowerCase();
	const results = entries.filter(({ name, value }) =>
		`${name} ${value}`.toLowerCase().includes(wanted),
	);
	const rest = results.splice(mostListed);
	const remark = (name: string) => results.push({ name, value: '' });
	if (entries.length === 0) remark(empty);
	else if (results.length === 0) {
		remark(`None of the ${entries.length} matches "${shorten(filter, 60)}"`);
	}
	if (rest.length > 0) remark(`Type to search: ${rest.length} more are not listed here`);
	if (truncated) remark(`Not all are listed: enter ${instead}`);
	return { results };
}

interface Matching {
	/** What the user types. */
	filter?: string;
	/** The service has more than it lists. */
	truncated: boolean;
	/** What to do where there is nothing yet. */
	empty: string;
	/** What can be entered in the place of a choice. */
	instead: string;
}

/** Each word once, sorted; of words that differ by case alone the first. What cannot be a value of the field is left out. */
function differentWords(values: unknown[]): INodeListSearchItems[] {
	const words = new Map<string, string>();
	for (const value of values.filter(isId)) {
		const word = String(value).trim();
		if (!words.has(word.toLowerCase())) words.set(word.toLowerCase(), word);
	}
	return [...words.values()]
		.sort((one, other) => one.localeCompare(other))
		.map((word) => ({ name: plain(word, 80), value: word }))
		.filter(({ name }) => name !== '');
}

/** An exchange as a person recognizes it: blog.example → shop.example · “garden chairs” · exc_1a2b3c. */
function toEntry(exchange: IDataObject): INodeListSearchItems {
	const value = idOf(exchange) ?? '';
	const parts = [route(exchange), quote(exchange.anchor), plain(value, 60)];
	return { name: parts.filter(Boolean).join(' · '), value };
}
