import type { IDataObject, IExecuteFunctions } from 'n8n-workflow';

import { describeResponse } from '../../../shared/api/describeResponse';
import { fetchList } from '../../../shared/api/fetchList';
import { findEmbeddedError, parseRecord } from '../../../shared/api/forms/records';
import { createResponseError } from '../../../shared/api/httpErrors';
import { errorMessages } from '../../../shared/errorMessages';
import { outcomeUnknownCode, ServiceError, toServiceError } from '../../../shared/errors';
import { getUrlKey } from '../../../shared/sites/siteUrl';
import { minTimeDifferenceMs } from '../../../shared/transport/account';
import type { ApiClient, PostResult } from '../../../shared/transport/apiClient';
import { type CacheOptions, type GetResult, noCache } from '../../../shared/transport/requestCache';
import { isSuccess } from '../../../shared/transport/response';
import { monotonicNow } from '../../../shared/utils/time';
import { getNodeContext } from '../../helpers/nodeContext';

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
	failure?: ServiceError;
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
	return async (newSite: NewSite): Promise<SiteResult> => {
		const key = getUrlKey(newSite.url) ?? newSite.url;
		const recordKey = `${client.account.key} ${key}`;
		const create = async () => {
			const result = records[recordKey] ?? (await createSite(client, run, key, newSite));
			records[recordKey] = result;
			// If several items name the same site, the first adds it, and the others find it.
			const isNew = result.isNew && !claimedKeys.has(key);
			claimedKeys.add(key);
			return { ...result, isNew };
		};
		// Requests for one site are sent sequentially, so that the second finds what the first added.
		return await client.account.runExclusive(`site ${key}`, create, client.signal);
	};
}

async function createSite(
	client: ApiClient,
	run: Run,
	key: string,
	{ url, niche }: NewSite,
): Promise<SiteResult> {
	const { creates } = client.account;
	const { records } = run;
	const recordKey = `${client.account.key} ${key}`;
	const wasSent = records[recordKey] === null;
	const notBefore = Math.max(client.createdAt, creates.getEnd(key) + minTimeDifferenceMs);
	const lookup = run.failure ?? (await findSite(client, url, { notBefore }).catch(toServiceError));
	if (lookup instanceof ServiceError) {
		throw wasSent ? createOutcomeUnknownError(url, { list: lookup }) : lookup;
	}
	if (lookup.site) return { site: lookup.site, isNew: wasSent };
	const unlisted = creates.getUnlisted(key, lookup.requestedAt);
	if (unlisted?.record !== undefined) return { site: unlisted.record, isNew: wasSent };
	if (wasSent || unlisted?.outcome === 'unknown') throw createOutcomeUnknownError(url, {});

	const onSent = (isSent: boolean) => {
		// This request may have waited for the rate limit while another one failed.
		if (isSent && run.failure !== undefined) throw run.failure;
		records[recordKey] = isSent ? null : undefined;
	};
	const result = await client.post(['sites'], { url, niche }, onSent).finally(() => {
		creates.record(key, records[recordKey] === null ? 'unknown' : 'rejected');
		client.account.sitesChangedAt = monotonicNow();
	});
	const parsed = parseCreateResponse(result);
	if (parsed === undefined) {
		records[recordKey] = undefined;
		creates.record(key, 'rejected');
		throw toCreateError(run, result as GetResult, url);
	}
	const { site = await findAdded(client, url, parsed.cause) } = parsed;
	creates.record(key, 'succeeded', site);
	return { site, isNew: true };
}

/** Returns the error of a request that added nothing, and keeps one that concerns all sites. */
function toCreateError(run: Run, result: GetResult, url: string): ServiceError {
	const error = createResponseError(result, { action: `add the site ${url}`, writes: true });
	if (error.failure === undefined) return error;
	run.failure ??= createResponseError(result, { action: 'add the site', writes: true });
	return run.failure;
}

/**
 * Parses the response to POST /sites.
 *
 * @returns the record, or a description of the response without one; `undefined` if the request
 * wasn't processed
 */
function parseCreateResponse(
	result: PostResult,
): { site: IDataObject; cause?: string } | { site?: undefined; cause: string } | undefined {
	if (result.kind === 'ambiguous') return { cause: result.cause };
	if (result.kind !== 'response' || !isSuccess(result.response)) return undefined;
	const { response } = result;
	const isFailure = findEmbeddedError(response.json) !== undefined;
	const record = isFailure ? undefined : parseRecord(response.json, 'site');
	// Accept any URL, because the service may normalize it. A record without a URL isn't a site.
	return record?.url === undefined ? { cause: describeResponse(response) } : { site: record };
}

/** Searches the list for a site that the response to its request didn't contain. */
async function findAdded(client: ApiClient, url: string, cause?: string): Promise<IDataObject> {
	const lookup = await client.retryUntil(
		maxVerifyAttempts,
		async () => await findSite(client, url, noCache).catch(toServiceError),
		(result) => result instanceof ServiceError || result.site !== undefined,
	);
	const list = lookup instanceof ServiceError ? lookup : undefined;
	if (lookup instanceof ServiceError || lookup.site === undefined) {
		throw createOutcomeUnknownError(url, { cause, list });
	}
	return lookup.site;
}

/** Searches GET /sites for a URL. */
async function findSite(
	client: ApiClient,
	url: string,
	cacheOptions: CacheOptions,
): Promise<{ site: IDataObject | undefined; requestedAt: number }> {
	const { entries, requestedAt } = await fetchList(client, 'sites', cacheOptions);
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
function createOutcomeUnknownError(
	url: string,
	{ cause = 'no response that shows the outcome', list }: { cause?: string; list?: ServiceError },
): ServiceError {
	const listNote = list
		? `The list of sites couldn't be fetched afterward (${list.message}).`
		: "The list of sites doesn't show it yet, but it may still appear.";
	return new ServiceError({
		message: errorMessages.siteOutcomeUnknown,
		code: outcomeUnknownCode,
		description: `A request to add ${url} was sent, but the response doesn't show the outcome: ${cause}. ${listNote} Check the sites in your dashboard, or run the workflow again after a minute: it checks the list first, and adds the site only if it isn't there. A retry of this execution only checks the list.`,
		failure: list?.failure ?? { cause: 'temporarily-unavailable' },
	});
}
