import type { IDataObject } from 'n8n-workflow';

import type { Outcome, ServiceConnection } from '../../../shared/connection';
import { explainUnreadable, successOrExplain } from '../../../shared/errors';
import { type Explanation, explanation, isExplanation } from '../../../shared/explanation';
import { readWholeList } from '../../../shared/list';
import { isObject, readRecord, type ServiceResponse } from '../../../shared/response';
import { lookAgain } from '../../lookAgain';
import { failureIn } from '../../verdict';
import type { ExecutionSites } from './executionSites';

export interface NewSite {
	url: string;
	niche: string;
	/** `return`: a site that the account has already is given back, and nothing is sent. */
	ifExists: 'create' | 'return';
}

type Created = { site: IDataObject } | Explanation;

/** How often to look for a site when no answer came; about three seconds in all. */
const mostLooks = 4;
/** Milliseconds after a request in doubt before this execution may send another one for the same site. */
const leastWait = 60_000;
/** Answers by which a service says that it has the site already; which one it uses is not documented. */
const existsStatuses = [400, 409, 422];

/**
 * Adds a site, once. What POST /sites answers is not documented (service-api.md, "Endpoints"): when the record is not in
 * the answer, no answer came, or one that denies success, the site is looked up by its URL.
 * @param key under which the execution remembers this site for a second try
 */
export async function createSite(
	connection: ServiceConnection,
	execution: ExecutionSites,
	key: string,
	{ url, niche, ifExists }: NewSite,
): Promise<Created> {
	const earlier = execution.recall(key);
	if (earlier?.site !== undefined) return { site: earlier.site };
	if (earlier !== undefined || ifExists === 'return') {
		const found = await findSite(connection, url, { fresh: earlier !== undefined });
		if (isExplanation(found)) return earlier === undefined ? found : unknownOutcome(url, found);
		if (found.site) return { site: found.site };
		if (earlier !== undefined && Date.now() - earlier.sentAt < leastWait) return notListed(url);
	}
	const outcome = await connection.post(['sites'], { url, niche }).finally(() => {
		execution.sent(key);
	});
	const created = await readCreated(connection, outcome, url, ifExists);
	if (created === 'declined') {
		execution.declined(key, earlier);
		return successOrExplain(connection, outcome, intentFor(url)) as Explanation;
	}
	if (!isExplanation(created)) execution.created(key, created.site);
	return created;
}

/** As browsers write it, without a slash at the end: "HTTPS://Blog.example.com/" is "https://blog.example.com". */
export function comparable(url: string): string {
	return (URL.canParse(url) ? new URL(url).href : url).replace(/\/$/, '');
}

/** What became of the request; `declined` when it certainly was not carried out. */
async function readCreated(
	connection: ServiceConnection,
	outcome: Outcome,
	url: string,
	ifExists: NewSite['ifExists'],
): Promise<Created | 'declined'> {
	if (outcome.kind === 'ambiguous') return await lookForSite(connection, url);
	const response = successOrExplain(connection, outcome, intentFor(url));
	if (isExplanation(response)) {
		const statusCode = outcome.kind === 'answered' ? outcome.response.statusCode : undefined;
		// Other redirects may also be sent after the request was carried out (RFC 9110, section 15.4).
		if (statusCode === 302 || statusCode === 303) return await lookForSite(connection, url);
		if (ifExists === 'create' || !existsStatuses.includes(statusCode ?? 0)) return 'declined';
		const found = await findSite(connection, url, { fresh: true });
		return !isExplanation(found) && found.site ? { site: found.site } : 'declined';
	}
	const record = readRecord(response.json, 'site');
	const doubt = doubtIn(response, record, url);
	if (doubt !== undefined) {
		return await lookForSite(connection, url, connection.withoutKey(doubt));
	}
	if (record) return { site: record };
	const found = await findSite(connection, url, { fresh: true });
	if (isExplanation(found)) return found;
	return found.site ? { site: found.site } : explainUnreadable(response, 'the new site');
}

/** Why an answer with a status of success must not be believed. */
function doubtIn(
	{ statusCode, json }: ServiceResponse,
	record: IDataObject | undefined,
	url: string,
): string | undefined {
	if (isObject(json)) {
		const places = [json, json.site, json.data].filter(isObject);
		const failure = places.map(failureIn).find((words) => words !== undefined);
		if (failure !== undefined) return `HTTP ${statusCode} ${failure}`;
	}
	const isAnother = typeof record?.url === 'string' && !sameAddress(record.url, url);
	return isAnother ? `HTTP ${statusCode} with the record of another site` : undefined;
}

function intentFor(url: string) {
	return { action: `add the site ${url}`, writes: true };
}

/** After a request in doubt: looks several times, because the service may still be at it. */
async function lookForSite(
	connection: ServiceConnection,
	url: string,
	cause?: string,
): Promise<Created> {
	const look = async () => await findSite(connection, url, { fresh: true });
	const isSettled = (found: Awaited<ReturnType<typeof look>>) =>
		isExplanation(found) || found.site !== undefined;
	const found = await lookAgain(connection, mostLooks, look, isSettled);
	if (isExplanation(found)) return unknownOutcome(url, found);
	return found.site ? { site: found.site } : notListed(url, cause);
}

/** The site with this URL in GET /sites, or none. */
async function findSite(
	connection: ServiceConnection,
	url: string,
	{ fresh }: { fresh: boolean },
): Promise<{ site: IDataObject | undefined } | Explanation> {
	const result = await readWholeList(connection, {
		name: 'sites',
		path: ['sites'],
		action: 'list the sites',
		fresh,
	});
	if (isExplanation(result)) return result;
	return { site: result.entries.find((site) => sameAddress(site.url, url)) };
}

function sameAddress(value: unknown, url: string): boolean {
	return typeof value === 'string' && comparable(value) === comparable(url);
}

function notListed(url: string, cause = 'no clear answer'): Explanation {
	return explanation({
		message: 'The service does not list the site after a request to add it',
		description: `A request to add ${url} was sent; what came back: ${cause}. The site may yet appear. Look at the sites in the dashboard of the service before you run it again; within the same execution another request is sent a minute later at the earliest.`,
		failure: { cause: 'temporarily-unavailable' },
	});
}

function unknownOutcome(url: string, cause: Explanation): Explanation {
	return explanation({
		message: 'It is not known whether the site was added',
		description: `A request to add ${url} was sent and got no clear answer, and the sites could not be listed afterwards (${cause.message}). Look in the dashboard of the service before you run it again.`,
		failure: { cause: 'temporarily-unavailable' },
	});
}
