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
	fetch: createListFetcher('exchanges', { status: 'pending' }),
	toResults: (offers) => offers.map(toResult),
	emptyMessage: 'No offer is pending at the moment',
	manualInputHint: 'the ID',
});

/** All exchanges, with their status. */
export const searchExchanges = search({
	fetch: async (client) =>
		await fetchExchanges(client, { ...sharedFor10s, extraStatuses: missingStatuses }),
	toResults: (exchanges) =>
		// An exchange that moves on between two lists per status is in both.
		[...groupById(exchanges).values()].map((records) => {
			const { record = {} } = getMostAdvanced(records);
			const { name, value } = toResult(record);
			return { name: isId(record.status) ? `${name} (${record.status})` : name, value };
		}),
	emptyMessage: 'The account has no exchange yet',
	manualInputHint: 'the ID',
});

/**
 * The sites of the account. The value is the URL and the ID of a site, with a comma, because the service does not say by
 * which of them it names the sites of an exchange (service-api.md, "Exchange").
 */
export const searchSites = search({
	fetch: createListFetcher('sites'),
	toResults: (sites) =>
		sites.map((site) => {
			const names = [site.url, site.id].filter(isId).map((name) => String(name).trim());
			const parts = [formatSite(site), quote(site.niche)];
			return {
				name: parts.filter(Boolean).join(' · '),
				value: names.map((name) => name.replaceAll(',', '%2C')).join(', '),
			};
		}),
	emptyMessage: 'No site yet: add one with Site > Create',
	manualInputHint: 'the URL or ID',
});

/** The niches of the account's sites. */
export const searchNiches = search({
	fetch: createListFetcher('sites'),
	toResults: (sites) => getUniqueResults(sites.map(({ niche }) => niche)),
	emptyMessage: 'No niche yet: choose By Name and enter one',
	manualInputHint: 'the name',
});

/** The severities of the account's watchdog events. */
export const searchSeverities = search({
	fetch: createListFetcher('watchdogEvents'),
	toResults: (alerts) => getUniqueResults(alerts.map(({ severity }) => severity)),
	emptyMessage: 'No alert yet: choose By Name and enter one',
	manualInputHint: 'the name',
});

interface Search {
	/** Reads a list of the account, as it was a moment ago at most. */
	fetch: (client: ApiClient) => Promise<ListResult | ErrorResult>;
	toResults: (records: IDataObject[]) => INodeListSearchItems[];
	/** What to do where there is nothing yet. */
	emptyMessage: string;
	/** What can be entered in the place of a choice. */
	manualInputHint: string;
}

/**
 * The result lists for n8n's editor what matches the words that the user types, with remarks that say why nothing is listed, or
 * that there is more than can be listed. A remark has no value, so whoever chooses one has chosen nothing. The editor cuts what
 * is longer than some 47 letters.
 */
function search({ fetch, toResults, emptyMessage, manualInputHint }: Search) {
	return async function (this: ILoadOptionsFunctions, filter = ''): Promise<INodeListSearchResult> {
		// It gives up soon, because somebody is waiting in the editor.
		const client = await ApiClient.create(this, { maxRateLimitWaitMs: 5000, timeoutMs: 15_000 });
		const list = unwrapOrThrow(this.getNode(), await fetch(client));
		const entries = toResults(list.entries);
		const query = filter.trim().toLowerCase();
		const results = entries.filter(({ name, value }) =>
			`${name} ${value}`.toLowerCase().includes(query),
		);
		const overflow = results.splice(maxResults);
		const addNote = (name: string) => results.push({ name, value: '' });
		if (entries.length === 0) addNote(emptyMessage);
		else if (results.length === 0) {
			addNote(`None of the ${entries.length} matches "${truncate(filter, 60)}"`);
		}
		if (overflow.length > 0) addNote(`Type to search: ${overflow.length} more are not listed here`);
		if (list.truncated) addNote(`Not all are listed: enter ${manualInputHint}`);
		return { results };
	};
}

function createListFetcher(name: ListName, query?: Record<string, string>): Search['fetch'] {
	return async (client) => await fetchList(client, name, { ...sharedFor10s, query });
}

/** Each word once, sorted; of words that differ by case alone the first. What cannot be a value of the field is left out. */
function getUniqueResults(values: unknown[]): INodeListSearchItems[] {
	const texts = values.filter(isId).map((value) => String(value).trim());
	// Of equal keys, a map keeps the last one.
	const uniqueTexts = new Map(texts.reverse().map((text) => [text.toLowerCase(), text]));
	return [...uniqueTexts.values()]
		.sort((one, other) => one.localeCompare(other))
		.map((text) => ({ name: sanitize(text, 80), value: text }))
		.filter(({ name }) => name !== '');
}

/** An exchange as a person recognizes it: blog.example → shop.example · “garden chairs” · exc_1a2b3c. */
function toResult(exchange: IDataObject): INodeListSearchItems {
	const value = getId(exchange) ?? '';
	const parts = [formatRoute(exchange), quote(exchange.anchor), sanitize(value, 60)];
	return { name: parts.filter(Boolean).join(' · '), value };
}
