import type { IDataObject } from 'n8n-workflow';

import { describeBody, readRecord } from '../../../shared/reading/content';
import { successOrExplain } from '../../../shared/reading/errors';
import { failureIn } from '../../../shared/reading/failure';
import { readWholeList } from '../../../shared/reading/list';
import type { Freshness, Outcome, ServiceConnection } from '../../../shared/service/connection';
import type { ReadOutcome } from '../../../shared/service/reads';
import { isSuccess } from '../../../shared/service/response';
import { isSameUrl, siteOfUrl } from '../../../shared/site';
import { steadyNow } from '../../../shared/time';
import { type Explanation, explanation, isExplanation } from '../../../shared/words/explanation';

export interface NewSite {
	url: string;
	niche: string;
	/** `return`: a site that the account has already is returned, and nothing is sent. */
	ifExists: 'create' | 'return';
}

/**
 * What one execution has sent at one node, by the key of a site, so that Retry On Fail, which runs all items again, adds
 * none twice: when a request was last sent, by `steadyNow`, and what came of it once that has been seen.
 */
export type SentSites = Record<string, { sentAt: number; created?: Created } | undefined>;

/** `isNew`: the service says that it was added, or it appeared after a request; otherwise it may have been there before. */
interface Created {
	site: IDataObject;
	isNew: boolean;
}

/** An answer: the record, if it has one; whether it says that the site was added, if it says so; and what it was, in words. */
interface Answer {
	site?: IDataObject;
	isAdded?: boolean;
	cause: string;
}

/** How often to check for a site when no answer came; about three seconds in all. */
const mostChecks = 4;
/** Milliseconds after a request in doubt before this execution may send another one for the same site. */
const leastWait = 60_000;

/**
 * Adds a site, once. What POST /sites answers is not documented (service-api.md, "Endpoints"): when the record is not in
 * the answer, no answer came, or one that denies success, the list of sites is searched for its URL.
 */
export async function createSite(
	connection: ServiceConnection,
	sentSites: SentSites,
	key: string,
	{ url, niche, ifExists }: NewSite,
): Promise<Created | Explanation> {
	const earlier = sentSites[key];
	const isSecondTry = earlier !== undefined;
	// Return Existing reads the list before the first request, so a site that it shows only afterwards is a new one.
	const looksFirst = ifExists === 'return';
	const find = async (fresh = true) => await findSite(connection, { url, ifExists }, { fresh });
	if (earlier?.created !== undefined) return earlier.created;
	if (isSecondTry || looksFirst) {
		const found = await find(isSecondTry);
		if (isExplanation(found)) return isSecondTry ? unknownOutcome(url, found) : found;
		if (found.site) return { site: found.site, isNew: isSecondTry && looksFirst };
		if (looksFirst && found.isIncomplete) return incomplete(url);
		if (isSecondTry && steadyNow() - earlier.sentAt < leastWait) return unknownOutcome(url);
	}
	const outcome = await connection.post(['sites'], { url, niche }).finally(() => {
		sentSites[key] = { sentAt: steadyNow() };
	});
	const answer = readAnswer(outcome);
	if (answer === undefined) {
		// This request was not carried out, but an earlier one may still be in doubt.
		sentSites[key] = earlier;
		const found = looksFirst ? await find() : undefined;
		if (found && !isExplanation(found) && found.site) return { site: found.site, isNew: false };
		const intent = { action: `add the site ${url}`, writes: true };
		return successOrExplain(outcome as ReadOutcome, intent) as Explanation;
	}
	let { site } = answer;
	if (site === undefined) {
		const isSeen = (found: Awaited<ReturnType<typeof find>>) =>
			isExplanation(found) || found.site !== undefined;
		const found = await connection.checkAgain(mostChecks, find, isSeen);
		if (isExplanation(found)) return unknownOutcome(url, found);
		({ site } = found);
		if (site === undefined) return unknownOutcome(url, undefined, answer.cause);
	}
	const created = { site, isNew: answer.isAdded ?? looksFirst };
	sentSites[key] = { sentAt: steadyNow(), created };
	return created;
}

/** What came back; undefined when the request certainly was not carried out. */
function readAnswer(outcome: Outcome): Answer | undefined {
	if (outcome.kind === 'ambiguous') return { cause: outcome.cause };
	if (outcome.kind !== 'answered') return undefined;
	const { response } = outcome;
	const { statusCode, json } = response;
	// Unlike the other redirects, these may be sent after the request was carried out (RFC 9110, section 15.4).
	if (statusCode === 302 || statusCode === 303) return { cause: `HTTP ${statusCode}` };
	if (!isSuccess(response)) return undefined;
	const failure = failureIn(json);
	const isAdded = failure === undefined;
	const record = isAdded ? readRecord(json, 'site') : undefined;
	// A record counts with any address, because a service may write it in its own way; one without an address is of something else.
	const site = record?.url === undefined ? undefined : record;
	return {
		site,
		isAdded,
		cause: `HTTP ${statusCode} ${failure ?? `with ${describeBody(response)}`}`,
	};
}

/** The site in GET /sites, or none: with this very URL, or with Return Existing also another URL of the same site. */
async function findSite(
	connection: ServiceConnection,
	{ url, ifExists }: Pick<NewSite, 'url' | 'ifExists'>,
	freshness: Freshness,
): Promise<{ site: IDataObject | undefined; isIncomplete: boolean } | Explanation> {
	const result = await readWholeList(connection, 'sites', freshness);
	if (isExplanation(result)) return result;
	const isSameSite = (each: IDataObject) =>
		typeof each.url === 'string' && siteOfUrl(each.url) === siteOfUrl(url);
	const site =
		result.entries.find((each) => isSameUrl(each.url, url)) ??
		(ifExists === 'return' ? result.entries.find(isSameSite) : undefined);
	return { site, isIncomplete: result.truncated };
}

function incomplete(url: string): Explanation {
	return explanation({
		message: 'It is not known whether the account already has the site',
		description: `The list of sites does not show ${url}, but the service says that there are more sites than it lists, in a way that this node cannot follow. No request was sent. Set If Exists to Create to let the service decide.`,
	});
}

/** @param unreadable why the list of sites could not be read; without it, the list does not show the site */
function unknownOutcome(
	url: string,
	unreadable?: Explanation,
	cause = 'no clear answer',
): Explanation {
	const list = unreadable
		? `The sites could not be listed afterwards (${unreadable.message}).`
		: 'The list of sites does not show it, but it may still appear.';
	return explanation({
		message: 'It is not known whether the site was added',
		description: `A request to add ${url} was sent; what came back: ${cause}. ${list} Check the sites in the dashboard of the service before you run this again; within the same execution, another request is sent after a minute at the earliest.`,
		failure: { cause: 'temporarily-unavailable' },
	});
}
