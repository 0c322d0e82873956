import type { IDataObject, IExecuteFunctions } from 'n8n-workflow';

import { fetchList } from '../../../shared/api/fetchList';
import { okOrError } from '../../../shared/api/httpErrors';
import { invalidateOwnSites } from '../../../shared/api/ownSites';
import {
	describeResponse,
	findEmbeddedError,
	parseRecord,
} from '../../../shared/api/parseResponse';
import { errorMessages } from '../../../shared/errorMessages';
import {
	type ErrorResult,
	errorResult,
	isErrorResult,
	outcomeUnknownCode,
} from '../../../shared/errors';
import type { ApiClient, PostResult, VetoedRequest } from '../../../shared/transport/apiClient';
import { type CacheOptions, type GetResult, noCache } from '../../../shared/transport/requestCache';
import { isSuccess } from '../../../shared/transport/response';
import { getUrlKey } from '../../../shared/utils/siteIdentity';
import { runExclusive } from '../../helpers/keyedMutex';
import { getNodeContext } from '../../helpers/nodeContext';
import {
	getMinReadTime,
	getRecentRecord,
	mayStillAppear,
	recordWrite,
} from '../../helpers/recentWrites';

export interface NewSite {
	url: string;
	niche: string;
}

export interface SiteResult {
	site: IDataObject;
	/** Whether this execution added the site. True only for its first item with this site. */
	isNew: boolean;
}

/**
 * Result of each site in this execution, by key; `null` if a request was sent and its outcome is
 * unknown.
 */
type SiteRecords = Record<string, SiteResult | null | undefined>;

/** State that all items of a run share. */
interface Run {
	records: SiteRecords;
	/** A failure that concerns all sites. After it, the run sends nothing more. */
	failure?: ErrorResult;
}

/** Searches of the list for a site that the response didn't contain; about three seconds. */
const maxVerifyAttempts = 4;

/**
 * Returns a function that adds a site at most once per execution: return this execution's result,
 * check the list, POST, parse the response, check the list again.
 *
 * The response to POST /sites isn't documented (service-api.md, "Endpoints"). If it's lost or
 * doesn't contain the record, the function searches the list of sites for the URL. A site that
 * already exists is returned unchanged. After a failure that concerns all sites, the function
 * returns the same error for the sites that follow, and sends nothing.
 */
export function createSiteCreator(context: IExecuteFunctions, client: ApiClient) {
	const records = (getNodeContext(context).sites ??= {}) as SiteRecords;
	const run: Run = { records };
	/** Sites of earlier items of this run. */
	const claimedKeys = new Set<string>();
	return async (newSite: NewSite): Promise<SiteResult | ErrorResult> => {
		const key = client.scopedKey(`site ${getUrlKey(newSite.url) ?? newSite.url}`);
		const create = async () => {
			const siteResult = records[key] ?? (await createSite(client, run, key, newSite));
			if (isErrorResult(siteResult)) {
				return concernsAllSites(siteResult) ? (run.failure ??= siteResult) : siteResult;
			}
			records[key] = siteResult;
			// If several items name the same site, the first adds it, and the others find it.
			const isNew = siteResult.isNew && !claimedKeys.has(key);
			claimedKeys.add(key);
			return { ...siteResult, isNew };
		};
		// Requests for one site are sent sequentially, so that the second finds what the first added.
		return await runExclusive(key, create, client.signal);
	};
}

async function createSite(
	client: ApiClient,
	run: Run,
	key: string,
	{ url, niche }: NewSite,
): Promise<SiteResult | ErrorResult> {
	const { records } = run;
	const wasSent = records[key] === null;
	const lookup = run.failure ?? (await findSite(client, url, { notBefore: getMinReadTime(key) }));
	if (isErrorResult(lookup)) return wasSent ? outcomeUnknownError(url, { list: lookup }) : lookup;
	if (lookup.site) return { site: lookup.site, isNew: wasSent };
	const added = getRecentRecord(key);
	if (added !== undefined) return { site: added, isNew: wasSent };
	if (wasSent || mayStillAppear(key, lookup.requestedAt)) return outcomeUnknownError(url, {});

	const beforeSend = () => {
		// This request may have waited for the rate limit while another one failed.
		if (run.failure !== undefined) return false;
		records[key] = null;
		return true;
	};
	const onNotProcessed = () => {
		records[key] = undefined;
	};
	const result = await client
		.post(['sites'], { url, niche }, { beforeSend, onNotProcessed })
		.finally(() => {
			recordWrite(key, records[key] === null ? 'unknown' : 'rejected');
			invalidateOwnSites(client);
		});
	const parsed = parseCreateResponse(result);
	if (parsed === undefined) {
		onNotProcessed();
		recordWrite(key, 'rejected');
		if (result.kind === 'vetoed' && run.failure !== undefined) return run.failure;
		const toError = (action: string) =>
			okOrError(result as GetResult, { action, writes: true }) as ErrorResult;
		const error = toError(`add the site ${url}`);
		return concernsAllSites(error) ? toError('add the site') : error;
	}
	const site = 'site' in parsed ? parsed.site : await findAdded(client, url, parsed.cause);
	if (isErrorResult(site)) return site;
	recordWrite(key, 'succeeded', site);
	return { site, isNew: true };
}

/**
 * Returns whether a failure has nothing to do with the one site, such as an invalid key, a proxy,
 * or a plan without this endpoint.
 */
function concernsAllSites({ code, failure }: ErrorResult): boolean {
	return failure !== undefined && code !== outcomeUnknownCode;
}

/**
 * Parses the response to POST /sites.
 *
 * @returns the record, or a description of the response without one; `undefined` if the request
 * wasn't processed
 */
function parseCreateResponse(
	result: PostResult | VetoedRequest,
): { site: IDataObject } | { cause: string } | undefined {
	if (result.kind === 'ambiguous') return { cause: result.cause };
	if (result.kind !== 'response' || !isSuccess(result.response)) return undefined;
	const { response } = result;
	const isFailure = findEmbeddedError(response.json) !== undefined;
	const record = isFailure ? undefined : parseRecord(response.json, 'site');
	// Accept any URL, because the service may normalize it. A record without a URL isn't a site.
	return record?.url === undefined ? { cause: describeResponse(response) } : { site: record };
}

/** Searches the list for a site that the response to its request didn't contain. */
async function findAdded(
	client: ApiClient,
	url: string,
	cause: string,
): Promise<IDataObject | ErrorResult> {
	const lookup = await client.retryUntil(
		maxVerifyAttempts,
		async () => await findSite(client, url, noCache),
		(result) => isErrorResult(result) || result.site !== undefined,
	);
	if (isErrorResult(lookup)) return outcomeUnknownError(url, { cause, list: lookup });
	return lookup.site ?? outcomeUnknownError(url, { cause });
}

/** Searches GET /sites for a URL. */
async function findSite(
	client: ApiClient,
	url: string,
	cacheOptions: CacheOptions,
): Promise<{ site: IDataObject | undefined; requestedAt: number } | ErrorResult> {
	const list = await fetchList(client, 'sites', cacheOptions);
	if (isErrorResult(list)) return list;
	const { entries, requestedAt } = list;
	const key = getUrlKey(url);
	const site = key === undefined ? undefined : entries.find((entry) => getEntryKey(entry) === key);
	return { site, requestedAt };
}

/** Keys of the entries' URLs. Cached, because hundreds of items search the same list. */
const entryKeys = new WeakMap<IDataObject, { key: string | undefined }>();

function getEntryKey(entry: IDataObject): string | undefined {
	const { key } = entryKeys.get(entry) ?? { key: getUrlKey(entry.url) };
	entryKeys.set(entry, { key });
	return key;
}

/**
 * Builds the error for a request with an unknown outcome.
 *
 * @param cause what was received instead of a clear response
 * @param list why the list couldn't be fetched; without it, the list doesn't contain the site
 */
function outcomeUnknownError(
	url: string,
	{ cause = 'no response that shows the outcome', list }: { cause?: string; list?: ErrorResult },
): ErrorResult {
	const listNote = list
		? `The list of sites couldn't be fetched afterward (${list.message}).`
		: "The list of sites doesn't show it yet, but it may still appear.";
	return errorResult({
		message: errorMessages.siteOutcomeUnknown,
		code: outcomeUnknownCode,
		description: `A request to add ${url} was sent, but the response doesn't show the outcome: ${cause}. ${listNote} Check the sites in your dashboard, or run the workflow again after a minute: it checks the list first, and adds the site only if it isn't there. A retry of this execution only checks the list.`,
		failure: list?.failure ?? { cause: 'temporarily-unavailable' },
	});
}
