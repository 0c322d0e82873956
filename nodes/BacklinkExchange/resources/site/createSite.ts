import type { IDataObject } from 'n8n-workflow';

import type { ServiceConnection } from '../../../shared/connection';
import { explainUnreadable, successOrExplain } from '../../../shared/errors';
import { type Explanation, explanation, isExplanation } from '../../../shared/explanation';
import { readWholeList } from '../../../shared/list';
import { readRecord } from '../../../shared/response';
import { lookAgain } from '../../lookAgain';

/** Looks for a site of which no answer came: so many times, about three seconds in all. */
const mostLooks = 4;

/**
 * Adds a site, once. What POST /sites answers is not documented (service-api.md, "Endpoints"): when the record is not in
 * the answer, or no answer came, the site is looked up by its URL.
 */
export async function createSite(
	connection: ServiceConnection,
	url: string,
	niche: string,
): Promise<{ site: IDataObject } | Explanation> {
	const intent = { action: `add the site ${url}`, writes: true };
	const outcome = await connection.post(['sites'], { url, niche });
	if (outcome.kind === 'ambiguous') return await lookForSite(connection, url);

	const response = successOrExplain(connection, outcome, intent);
	if (isExplanation(response)) return response;
	const record = readRecord(response.json, 'site');
	if (record) return { site: record };
	const found = await findSite(connection, url);
	if (isExplanation(found)) return found;
	return found.site ? { site: found.site } : explainUnreadable(response, 'the new site');
}

/** After an interrupted POST: looks several times, because the service may still be at it. */
async function lookForSite(
	connection: ServiceConnection,
	url: string,
): Promise<{ site: IDataObject } | Explanation> {
	const look = async () => await findSite(connection, url);
	const isSettled = (found: Awaited<ReturnType<typeof look>>) =>
		isExplanation(found) || found.site !== undefined;
	const found = await lookAgain(connection, mostLooks, look, isSettled);
	if (isExplanation(found)) return unknownOutcome(url, found);
	return found.site ? { site: found.site } : notAdded(url);
}

/** The site with this URL in GET /sites, or none. */
async function findSite(
	connection: ServiceConnection,
	url: string,
): Promise<{ site: IDataObject | undefined } | Explanation> {
	const result = await readWholeList(connection, {
		name: 'sites',
		path: ['sites'],
		action: 'list the sites',
		fresh: true,
	});
	if (isExplanation(result)) return result;
	return { site: result.entries.find((site) => sameAddress(site.url, url)) };
}

function sameAddress(value: unknown, url: string): boolean {
	return typeof value === 'string' && comparable(value) === comparable(url);
}

/** As browsers write it, without a slash at the end: "HTTPS://Blog.example.com/" is "https://blog.example.com". */
function comparable(url: string): string {
	return (URL.canParse(url) ? new URL(url).href : url).replace(/\/$/, '');
}

function notAdded(url: string): Explanation {
	return explanation({
		message: 'The site was not added',
		description: `The request to add ${url} was interrupted, and the service does not list the site. It is safe to run again.`,
		failure: { cause: 'temporarily-unavailable' },
	});
}

function unknownOutcome(url: string, cause: Explanation): Explanation {
	return explanation({
		message: 'It is not known whether the site was added',
		description: `The request to add ${url} was interrupted, and the sites could not be listed afterwards (${cause.message}). Look in the dashboard of the service before you run it again.`,
		failure: { cause: 'temporarily-unavailable' },
	});
}
