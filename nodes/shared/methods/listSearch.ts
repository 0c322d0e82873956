import type {
	ILoadOptionsFunctions,
	INodeListSearchItems,
	INodeListSearchResult,
} from 'n8n-workflow';

import type { Exchange } from '../api/exchange';
import { fetchExchanges, getMissingStatuses, listExchanges } from '../api/fetchExchanges';
import { fetchList } from '../api/fetchList';
import type { ListName } from '../api/forms/lists';
import { compactParts, formatRoute, quote, sanitize } from '../formatting/message';
import type { ApiClient } from '../transport/apiClient';
import { recentMs } from '../transport/requestCache';
import { isId } from '../utils/ids';
import { foldWords, trimWords, truncate } from '../utils/text';
import { withEditorClient } from './editorClient';
import { toSiteEntries } from './siteEntries';

/** More than the editor can show at the same time. */
const maxResults = 500;

/** Lists the pending offers that can be accepted, for "From List" of Accept. */
export const searchPendingOffers = search({
	fetch: fetchOffers,
	toResults: (offers) => offers.map(toResult),
	emptyMessage: 'No pending offers',
	manualInputHint: 'the ID',
});

export const searchExchanges = search({
	async fetch(client) {
		const request = { ...client.maxAge(recentMs), extraStatuses: getMissingStatuses };
		const { exchanges, truncated } = await fetchExchanges(client, request);
		return { entries: exchanges, truncated };
	},
	toResults: (exchanges) =>
		exchanges.map((exchange) => {
			const { name, value } = toResult(exchange);
			const { status } = exchange.record;
			return { name: isId(status) ? `${name} (${status})` : name, value };
		}),
	emptyMessage: 'No exchanges yet',
	manualInputHint: 'the ID',
});

export const searchSites = search({
	fetch: createListFetcher('sites'),
	toResults: toSiteEntries,
	emptyMessage: 'No sites yet. Add one with Site > Create',
	manualInputHint: 'the URL or ID',
});

export const searchNiches = search({
	fetch: createListFetcher('sites'),
	toResults: (sites) => getUniqueResults(sites.map(({ niche }) => niche)),
	emptyMessage: 'No niches yet. Select By Name to enter one',
	manualInputHint: 'the name',
});

export const searchSeverities = search({
	fetch: createListFetcher('watchdogEvents'),
	toResults: (alerts) => getUniqueResults(alerts.map(({ severity }) => severity)),
	emptyMessage: 'No alerts yet. Select By Name to enter one',
	manualInputHint: 'the name',
});

interface Search<Entry> {
	/** Fetches a list, which may be some seconds old. */
	fetch: (client: ApiClient) => Promise<{ entries: Entry[]; truncated: boolean }>;
	toResults: (entries: Entry[]) => INodeListSearchItems[];
	/** Shown if the list is empty. */
	emptyMessage: string;
	/** The value that users can enter instead of selecting. */
	manualInputHint: string;
}

/**
 * Creates a list search for n8n's editor. It returns the entries that contain the filter, and notes
 * that explain why nothing is listed, or that more exists.
 *
 * A note has an empty value, so selecting it selects nothing. The editor truncates names after
 * about 47 characters.
 */
function search<Entry>({ fetch, toResults, emptyMessage, manualInputHint }: Search<Entry>) {
	return async function (this: ILoadOptionsFunctions, filter = ''): Promise<INodeListSearchResult> {
		const list = await withEditorClient(this, fetch);
		const entries = toResults(list.entries);
		const query = foldWords(filter).trim();
		const results = entries.filter(({ name, value }) =>
			foldWords(`${name} ${value}`).includes(query),
		);
		const overflow = results.splice(maxResults);
		const addNote = (name: string) => results.push({ name, value: '' });
		if (entries.length === 0) addNote(emptyMessage);
		else if (results.length === 0) {
			const count = entries.length === 1 ? '1 entry' : `${entries.length} entries`;
			addNote(`No match for "${truncate(filter, 60)}" in ${count}. Type another word`);
		}
		if (overflow.length > 0) addNote(`Type to search ${overflow.length} more entries`);
		if (list.truncated) addNote(`The list is incomplete. Enter ${manualInputHint}`);
		return { results };
	};
}

function createListFetcher(name: ListName) {
	return async (client: ApiClient) => await fetchList(client, name, client.maxAge(recentMs));
}

/**
 * Returns each text once, sorted. Of texts that compare equal, the first one counts. Values that
 * the field can't contain are left out.
 */
function getUniqueResults(values: unknown[]): INodeListSearchItems[] {
	const texts = values.filter(isId).map((value) => trimWords(String(value)));
	// Reversed, because a Map keeps the last of equal keys.
	const uniqueTexts = new Map(texts.reverse().map((text) => [foldWords(text), text]));
	return [...uniqueTexts.values()]
		.sort((one, other) => one.localeCompare(other))
		.map((text) => ({ name: sanitize(text, 80), value: text }))
		.filter(({ name }) => name !== '');
}

/** Fetches the incoming pending offers. Outgoing ones wait for the partner. */
async function fetchOffers(client: ApiClient) {
	const query = { status: 'pending' };
	const list = await listExchanges(client, { ...client.maxAge(recentMs), query });
	const isOffer = ({ status = 'pending', direction }: Exchange) =>
		status === 'pending' && direction === 'incoming';
	return { ...list, entries: list.entries.filter(isOffer) };
}

/** Formats an exchange for users: blog.example → shop.example · “garden chairs” · exc_1a2b3c. */
function toResult(exchange: Exchange): INodeListSearchItems {
	const { id: value = '' } = exchange;
	const id = sanitize(value, 60);
	const route = formatRoute(...exchange.route);
	const parts = compactParts(route, quote(exchange.anchor), id !== '' && id);
	return { name: parts.join(' · '), value };
}
