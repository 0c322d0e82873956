import type {
	IDataObject,
	ILoadOptionsFunctions,
	INodeListSearchItems,
	INodeListSearchResult,
} from 'n8n-workflow';

import { getMostAdvanced } from '../api/exchangeStatus';
import { fetchExchanges, missingStatuses } from '../api/fetchExchanges';
import { fetchList, type ListResult } from '../api/fetchList';
import type { ListName } from '../api/parseResponse';
import { type ErrorResult, unwrapOrThrow } from '../errors';
import { formatRoute, formatSite, quote, sanitize } from '../formatting/message';
import { ApiClient } from '../transport/apiClient';
import { sharedFor10s } from '../transport/requestCache';
import { getId, groupById, isId } from '../utils/ids';
import { truncate } from '../utils/text';

/** The most entries of a list; they are more than the editor can show at once. */
const maxResults = 500;

/** The pending offers, for "From List" of Accept. */
export const searchPendingOffers = search({
	read: createListFetcher('exchanges', { status: 'pending' }),
	toEntries: (offers) => offers.map(toEntry),
	empty: 'No offer is pending at the moment',
	manualInputHint: 'the ID',
});

/** All exchanges, with their status. */
export const searchExchanges = search({
	read: async (client) =>
		await fetchExchanges(client, { ...sharedFor10s, extraStatuses: missingStatuses }),
	toEntries: (exchanges) =>
		// An exchange that moves on between two lists per status is in both.
		[...groupById(exchanges).values()].map((same) => {
			const { record = {} } = getMostAdvanced(same);
			const { name, value } = toEntry(record);
			return { name: isId(record.status) ? `${name} (${record.status})` : name, value };
		}),
	empty: 'The account has no exchange yet',
	manualInputHint: 'the ID',
});

/**
 * The sites of the account. The value is the URL and the ID of a site, with a comma, because the service does not say by
 * which of them it names the sites of an exchange (service-api.md, "Exchange").
 */
export const searchSites = search({
	read: createListFetcher('sites'),
	toEntries: (sites) =>
		sites.map((site) => {
			const names = [site.url, site.id].filter(isId).map((each) => String(each).trim());
			const parts = [formatSite(site), quote(site.niche)];
			return {
				name: parts.filter(Boolean).join(' · '),
				value: names.map((each) => each.replaceAll(',', '%2C')).join(', '),
			};
		}),
	empty: 'No site yet: add one with Site > Create',
	manualInputHint: 'the URL or ID',
});

/** The niches of the account's sites. */
export const searchNiches = search({
	read: createListFetcher('sites'),
	toEntries: (sites) => getUniqueResults(sites.map(({ niche }) => niche)),
	empty: 'No niche yet: choose By Name and enter one',
	manualInputHint: 'the name',
});

/** The severities of the account's watchdog events. */
export const searchSeverities = search({
	read: createListFetcher('watchdogEvents'),
	toEntries: (alerts) => getUniqueResults(alerts.map(({ severity }) => severity)),
	empty: 'No alert yet: choose By Name and enter one',
	manualInputHint: 'the name',
});

interface Search {
	/** Reads a list of the account, as it was a moment ago at most. */
	read: (client: ApiClient) => Promise<ListResult | ErrorResult>;
	toEntries: (records: IDataObject[]) => INodeListSearchItems[];
	/** What to do where there is nothing yet. */
	empty: string;
	/** What can be entered in the place of a choice. */
	manualInputHint: string;
}

/**
 * The result lists for n8n's editor what matches the words that the user types, with remarks that say why nothing is listed, or
 * that there is more than can be listed. A remark has no value, so whoever chooses one has chosen nothing. The editor cuts what
 * is longer than some 47 letters.
 */
function search({ read, toEntries, empty, manualInputHint }: Search) {
	return async function (this: ILoadOptionsFunctions, filter = ''): Promise<INodeListSearchResult> {
		// It gives up soon, because somebody is waiting in the editor.
		const client = await ApiClient.create(this, { maxRateLimitWaitMs: 5000, timeoutMs: 15_000 });
		const list = unwrapOrThrow(this.getNode(), await read(client));
		const entries = toEntries(list.entries);
		const wanted = filter.trim().toLowerCase();
		const results = entries.filter(({ name, value }) =>
			`${name} ${value}`.toLowerCase().includes(wanted),
		);
		const rest = results.splice(maxResults);
		const remark = (name: string) => results.push({ name, value: '' });
		if (entries.length === 0) remark(empty);
		else if (results.length === 0) {
			remark(`None of the ${entries.length} matches "${truncate(filter, 60)}"`);
		}
		if (rest.length > 0) remark(`Type to search: ${rest.length} more are not listed here`);
		if (list.truncated) remark(`Not all are listed: enter ${manualInputHint}`);
		return { results };
	};
}

function createListFetcher(name: ListName, query?: Record<string, string>): Search['read'] {
	return async (client) => await fetchList(client, name, { ...sharedFor10s, query });
}

/** Each word once, sorted; of words that differ by case alone the first. What cannot be a value of the field is left out. */
function getUniqueResults(values: unknown[]): INodeListSearchItems[] {
	const words = values.filter(isId).map((value) => String(value).trim());
	// Of equal keys, a map keeps the last one.
	const different = new Map(words.reverse().map((word) => [word.toLowerCase(), word]));
	return [...different.values()]
		.sort((one, other) => one.localeCompare(other))
		.map((word) => ({ name: sanitize(word, 80), value: word }))
		.filter(({ name }) => name !== '');
}

/** An exchange as a person recognizes it: blog.example → shop.example · “garden chairs” · exc_1a2b3c. */
function toEntry(exchange: IDataObject): INodeListSearchItems {
	const value = getId(exchange) ?? '';
	const parts = [formatRoute(exchange), quote(exchange.anchor), sanitize(value, 60)];
	return { name: parts.filter(Boolean).join(' · '), value };
}
