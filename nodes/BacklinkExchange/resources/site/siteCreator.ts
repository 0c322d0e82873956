import type { IDataObject, IExecuteFunctions } from 'n8n-workflow';

import { fetchList } from '../../../shared/api/fetchList';
import { okOrError } from '../../../shared/api/httpErrors';
import {
	describeResponse,
	findEmbeddedError,
	parseRecord,
} from '../../../shared/api/parseResponse';
import {
	type ErrorResult,
	errorResult,
	isErrorResult,
	outcomeUnknownCode,
} from '../../../shared/errors';
import type { ApiClient, PostResult, VetoedRequest } from '../../../shared/transport/apiClient';
import { type CacheOptions, type GetResult, noCache } from '../../../shared/transport/requestCache';
import { isSuccess } from '../../../shared/transport/response';
import { normalizeSite } from '../../../shared/utils/site';
import { runExclusive } from '../../helpers/keyedMutex';
import { getNodeContext } from '../../helpers/nodeContext';
import { getMinReadTime, mayStillAppear, recordWrite } from '../../helpers/recentWrites';

export interface NewSite {
	url: string;
	niche: string;
}

export interface SiteResult {
	site: IDataObject;
	/** Whether this execution has added it, for the first of its items that names the site; otherwise it was there before. */
	isNew: boolean;
}

/** What this execution has reached for a site, by its key; null while a request was sent whose outcome was not seen. */
type SiteRecords = Record<string, SiteResult | null | undefined>;

/** How often the list is searched for a site that the answer did not have; about three seconds in all. */
const maxVerifyAttempts = 4;

/**
 * The result adds sites for one execution, each of them once: what this execution has answered before, look, ask, read the answer,
 * look again. What POST /sites answers is not documented (service-api.md, "Endpoints"): when the record is not in the answer, or no
 * answer came, the list of sites is searched for the URL. A site that is there comes back as it is.
 */
export function createSiteCreator(context: IExecuteFunctions, client: ApiClient) {
	const records = (getNodeContext(context).sites ??= {}) as SiteRecords;
	/** The sites that earlier items of this run have named. */
	const claimedKeys = new Set<string>();
	return async (newSite: NewSite): Promise<SiteResult | ErrorResult> => {
		const key = client.scopedKey(`site ${normalizeSite(newSite.url)}`);
		const create = async () => {
			const siteResult = records[key] ?? (await createSite(client, records, key, newSite));
			if (isErrorResult(siteResult)) return siteResult;
			records[key] = siteResult;
			// Of several items that name a site, the first adds it, and the others find it there.
			const isNew = siteResult.isNew && !claimedKeys.has(key);
			claimedKeys.add(key);
			return { ...siteResult, isNew };
		};
		// Requests for one site are sent one at a time, so that the second one finds what the first has added.
		return await runExclusive(key, create, client.signal);
	};
}

async function createSite(
	client: ApiClient,
	records: SiteRecords,
	key: string,
	{ url, niche }: NewSite,
): Promise<SiteResult | ErrorResult> {
	const wasSent = records[key] === null;
	const lookup = await findSite(client, url, { notBefore: getMinReadTime(key) });
	if (isErrorResult(lookup)) return wasSent ? outcomeUnknownError(url, { list: lookup }) : lookup;
	if (lookup.site) return { site: lookup.site, isNew: wasSent };
	if (wasSent || mayStillAppear(key, lookup.requestedAt)) return outcomeUnknownError(url, {});

	const beforeSend = () => {
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
		});
	const parsed = parseCreateResponse(result);
	if (parsed === undefined) {
		onNotProcessed();
		recordWrite(key, 'rejected');
		const intent = { action: `add the site ${url}`, writes: true };
		return okOrError(result as GetResult, intent) as ErrorResult;
	}
	const site = 'site' in parsed ? parsed.site : await findAdded(client, url, parsed.cause);
	if (isErrorResult(site)) return site;
	recordWrite(key, 'succeeded');
	return { site, isNew: true };
}

/** What came back: the record, or what stands in its place, in words; undefined when the request certainly was not carried out. */
function parseCreateResponse(
	result: PostResult | VetoedRequest,
): { site: IDataObject } | { cause: string } | undefined {
	if (result.kind === 'ambiguous') return { cause: result.cause };
	if (result.kind !== 'response' || !isSuccess(result.response)) return undefined;
	const { response } = result;
	const isFailure = findEmbeddedError(response.json) !== undefined;
	const record = isFailure ? undefined : parseRecord(response.json, 'site');
	// Any address will do, because a service may write it in its own way; a record without one is not that of a site.
	return record?.url === undefined ? { cause: describeResponse(response) } : { site: record };
}

/** The site of a request whose answer did not have it. */
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

/** The site in GET /sites, or none. */
async function findSite(
	client: ApiClient,
	url: string,
	cacheOptions: CacheOptions,
): Promise<{ site: IDataObject | undefined; requestedAt: number } | ErrorResult> {
	const list = await fetchList(client, 'sites', cacheOptions);
	if (isErrorResult(list)) return list;
	const { entries, requestedAt } = list;
	const normalizedUrl = normalizeSite(url);
	return { site: entries.find((entry) => getNormalizedUrl(entry) === normalizedUrl), requestedAt };
}

/** The name of each entry; read once, because hundreds of items look for their sites in the same list. */
const normalizedUrls = new WeakMap<IDataObject, string>();

function getNormalizedUrl(entry: IDataObject): string {
	const normalizedUrl = normalizedUrls.get(entry) ?? normalizeSite(String(entry.url));
	normalizedUrls.set(entry, normalizedUrl);
	return normalizedUrl;
}

/**
 * @param cause what came instead of a clear answer
 * @param list why the list of sites could not be read; without it, the list does not show the site
 */
function outcomeUnknownError(
	url: string,
	{ cause = 'no clear answer', list }: { cause?: string; list?: ErrorResult },
): ErrorResult {
	const listNote = list
		? `The sites could not be listed afterwards (${list.message}).`
		: 'The list of sites does not show it, but it may still appear.';
	return errorResult({
		message: 'It is not known whether the site was added',
		code: outcomeUnknownCode,
		description: `A request to add ${url} was sent; what came back: ${cause}. ${listNote} Check the sites in the dashboard of the service; run the workflow again after a minute: it looks first, and adds the site only if it is not there. A retry of this execution only looks.`,
		failure: list?.failure ?? { cause: 'temporarily-unavailable' },
	});
}
