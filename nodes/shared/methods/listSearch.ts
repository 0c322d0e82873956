import type {
	IDataObject,
	ILoadOptionsFunctions,
	INodeListSearchItems,
	INodeListSearchResult,
} from 'n8n-workflow';

import { getMostAdvanced, getStatus, isClosed } from '../api/exchangeStatus';
import { fetchExchanges, missingStatuses } from '../api/fetchExchanges';
import { fetchList, type ListResult } from '../api/fetchList';
import { fetchOwnSites } from '../api/ownSites';
import type { ListName } from '../api/parseResponse';
import { type ErrorResult, isErrorResult, unwrapOrThrow } from '../errors';
import { compactParts, formatRoute, quote, sanitize } from '../formatting/message';
import type { ApiClient } from '../transport/apiClient';
import { sharedFor10s } from '../transport/requestCache';
import { filterYielding } from '../transport/yieldToEventLoop';
import { getExchangeEnds } from '../utils/direction';
import { getId, groupById, isId } from '../utils/ids';
import { foldWords, trimWords, truncate } from '../utils/text';
import { createEditorClient } from './editorClient';
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
	fetch: async (client) =>
		await fetchExchanges(client, { ...sharedFor10s, extraStatuses: missingStatuses }),
	toResults: (exchanges) =>
		// An exchange that advances between two lists per status is in both.
		[...groupById(exchanges).values()].map((records) => {
			const { record = {} } = getMostAdvanced(records);
			const { name, value } = toResult(record);
			return { name: isId(record.status) ? `${name} (${record.status})` : name, value };
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

interface Search {
	/** Fetches a list, which may be some seconds old. */
	fetch: (client: ApiClient) => Promise<ListResult | ErrorResult>;
	toResults: (records: IDataObject[]) => INodeListSearchItems[];
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
function search({ fetch, toResults, emptyMessage, manualInputHint }: Search) {
	return async function (this: ILoadOptionsFunctions, filter = ''): Promise<INodeListSearchResult> {
		const client = await createEditorClient(this);
		const list = unwrapOrThrow(this.getNode(), await fetch(client));
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

function createListFetcher(name: ListName): Search['fetch'] {
	return async (client) => await fetchList(client, name, sharedFor10s);
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
async function fetchOffers(client: ApiClient): Promise<ListResult | ErrorResult> {
	const query = { status: 'pending' };
	const list = await fetchList(client, 'exchanges', { ...sharedFor10s, query });
	if (isErrorResult(list)) return list;
	const ownSites = await fetchOwnSites(client, list.entries);
	if (isErrorResult(ownSites)) return ownSites;
	const isOffer = (record: IDataObject) =>
		!isClosed(record) &&
		(getStatus(record) ?? 'pending') === 'pending' &&
		getExchangeEnds(record, ownSites).direction === 'incoming';
	return { ...list, entries: await filterYielding(list.entries, isOffer, client.signal) };
}

/** Formats an exchange for users: blog.example → shop.example · “garden chairs” · exc_1a2b3c. */
function toResult(exchange: IDataObject): INodeListSearchItems {
	const value = getId(exchange) ?? '';
	const id = sanitize(value, 60);
	const parts = compactParts(formatRoute(exchange), quote(exchange.anchor), id !== '' && id);
	return { name: parts.join(' · '), value };
}
