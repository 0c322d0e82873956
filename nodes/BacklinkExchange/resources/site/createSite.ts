import type { IDataObject } from 'n8n-workflow';

import { BoundedMap } from '../../../shared/boundedMap';
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
	/** With `return`, a site that the account already has is returned, and nothing is sent. */
	ifExists: 'create' | 'return';
}

/**
 * What one execution has sent at one node, by the key of a site: when a request was last sent, by `steadyNow`, and what came
 * of it once that has been seen. With it, Retry On Fail, which runs all items again, adds no site twice.
 */
export type SentSites = Record<string, { sentAt: number; created?: Created } | undefined>;

interface Created {
	site: IDataObject;
	/** The service says that it has added it, or it appeared after a request; otherwise it may have been there before. */
	isNew: boolean;
}

/** The answer to a request that was carried out, or may have been. */
interface Answer {
	/** The record, where the answer has it. */
	site?: IDataObject;
	/** Whether the answer says that the site was added; undefined where it says nothing of it. */
	isAdded?: boolean;
	/** What came back, in words. */
	cause: string;
}

/** How often the list is searched for a site that the answer did not have; about three seconds in all. */
const mostChecks = 4;
/** Milliseconds after a request in doubt before this execution may send another one for the same site. */
const leastWait = 60_000;

/** When the last request of this process for a site has ended, by a key for the site: a list that was asked for before may lack it. */
const lastSent = new BoundedMap<string, number>(10_000);

/**
 * Adds a site, once. What POST /sites answers is not documented (service-api.md, "Endpoints"): when the record is not in
 * the answer, no answer came, or one that denies success, the list of sites is searched for its URL.
 */
export async function createSite(
	connection: ServiceConnection,
	sentSites: SentSites,
	key: string,
	newSite: NewSite,
): Promise<Created | Explanation> {
	const earlier = sentSites[key];
	const name = connection.accountKey(siteOfUrl(newSite.url));
	if (earlier?.created !== undefined) return earlier.created;
	const insteadOfSending =
		earlier === undefined
			? await lookBeforeFirst(connection, newSite, lastSent.get(name))
			: await lookBeforeAnother(connection, newSite, earlier.sentAt);
	if (insteadOfSending !== undefined) return insteadOfSending;

	const { url, niche, ifExists } = newSite;
	// A request that ends in an error, because the user cancels for example, may have arrived as well.
	const outcome = await connection.post(['sites'], { url, niche }).finally(() => {
		sentSites[key] = { sentAt: steadyNow() };
		lastSent.set(name, steadyNow());
	});
	const answer = readAnswer(outcome);
	if (answer === undefined) {
		// This request was not carried out, but an earlier one may still be in doubt.
		sentSites[key] = earlier;
		return await lookAfterRefusal(connection, newSite, outcome as ReadOutcome);
	}
	const site = answer.site ?? (await findAdded(connection, newSite, answer.cause));
	if (isExplanation(site)) return site;
	// Return Existing did not find it before the request, so it is new even where the answer does not say so.
	const created = { site, isNew: answer.isAdded ?? ifExists === 'return' };
	sentSites[key] = { sentAt: steadyNow(), created };
	return created;
}

/** What Return Existing finds, or why it cannot know; undefined where the first request may be sent. */
async function lookBeforeFirst(
	connection: ServiceConnection,
	newSite: NewSite,
	lastSentAt = -Infinity,
): Promise<Created | Explanation | undefined> {
	if (newSite.ifExists === 'create') return undefined;
	// What was asked for in the same millisecond may not show the request.
	const found = await findSite(connection, newSite, { since: lastSentAt + 1 });
	if (isExplanation(found)) return found;
	if (found.site) return { site: found.site, isNew: false };
	return found.isIncomplete ? incomplete(newSite.url) : undefined;
}

/** What came of an earlier request that is in doubt; undefined where that was long ago and came to nothing. */
async function lookBeforeAnother(
	connection: ServiceConnection,
	newSite: NewSite,
	sentAt: number,
): Promise<Created | Explanation | undefined> {
	const { url, ifExists } = newSite;
	// What the list shows may be as old as the question, however long the answer takes.
	const askedAt = steadyNow();
	const found = await findSite(connection, newSite, { fresh: true });
	if (isExplanation(found)) return unknownOutcome(url, found);
	// Return Existing did not find the site before that request, so it has come since.
	if (found.site) return { site: found.site, isNew: ifExists === 'return' };
	const mayBeThere = ifExists === 'return' && found.isIncomplete;
	return mayBeThere || askedAt - sentAt < leastWait ? unknownOutcome(url) : undefined;
}

/** Why a request was not carried out; or with Return Existing the site, if that is because somebody else has just added it. */
async function lookAfterRefusal(
	connection: ServiceConnection,
	newSite: NewSite,
	refusal: ReadOutcome,
): Promise<Created | Explanation> {
	if (newSite.ifExists === 'return') {
		const found = await findSite(connection, newSite, { fresh: true });
		if (!isExplanation(found) && found.site) return { site: found.site, isNew: false };
	}
	const intent = { action: `add the site ${newSite.url}`, writes: true };
	return successOrExplain(refusal, intent) as Explanation;
}

/** The site of a request whose answer did not have it. */
async function findAdded(
	connection: ServiceConnection,
	newSite: NewSite,
	cause: string,
): Promise<IDataObject | Explanation> {
	const find = async () => await findSite(connection, newSite, { fresh: true });
	const found = await connection.checkAgain(
		mostChecks,
		find,
		(each) => isExplanation(each) || each.site !== undefined,
	);
	if (isExplanation(found)) return unknownOutcome(newSite.url, found);
	return found.site ?? unknownOutcome(newSite.url, undefined, cause);
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
	// Any address will do, because a service may write it in its own way; a record without one is not that of a site.
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
	freshness: Freshness = {},
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
