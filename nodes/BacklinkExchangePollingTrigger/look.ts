import type { IDataObject, IPollFunctions } from 'n8n-workflow';

import { ServiceConnection } from '../shared/connection';
import { apiError, type Explanation, isExplanation } from '../shared/errors';
import { isId } from '../shared/events';
import { type ListResult, readWholeList } from '../shared/list';

/** What the service shows at one moment. A list that is not watched is not fetched. */
export interface Look {
	/** A name for the account; it does not reveal the API key. */
	scope: string;
	/** By id; in the order in which the service lists them. */
	exchanges?: Map<string, IDataObject>;
	alerts?: IDataObject[];
}

/** In lifecycle order: an exchange that moves on while they are read is seen twice, never missed. */
const statuses = ['pending', 'accepted', 'live', 'broken'];
/** Seconds. */
const timeout = 30;
const longestRateLimitWait = 90;
/** Milliseconds that n8n allows for a poll, where it does not tell. */
const usualBudget = 300_000;

/**
 * Fetches everything that is watched, with the fewest requests.
 * @throws NodeApiError when the service does not answer as it should; nothing is half done then
 */
export async function look(
	context: IPollFunctions,
	watched: { exchanges: boolean; alerts: boolean },
): Promise<Look> {
	// Older versions of n8n have no such method.
	const budget = (context.getPollBudgetMs as (() => number) | undefined)?.() ?? usualBudget;
	const connection = await ServiceConnection.open(context, {
		maxRateLimitWait: Math.min(longestRateLimitWait, budget / 2000),
		timeout,
	});
	const exchanges = watched.exchanges ? await readExchanges(context, connection) : undefined;
	const alerts = watched.alerts ? await readAlerts(context, connection) : undefined;
	return {
		scope: connection.accountKey('polling trigger'),
		...(exchanges && { exchanges }),
		...(alerts && { alerts }),
	};
}

async function readExchanges(
	context: IPollFunctions,
	connection: ServiceConnection,
): Promise<Map<string, IDataObject>> {
	const request = {
		name: 'exchanges' as const,
		path: ['exchanges'],
		action: 'list the exchanges',
		fresh: true,
	};
	const whole = required(context, await readWholeList(connection, request));
	if (!whole.truncated) return byId(context, whole.entries);

	// The service shows only a part. Asked per status it may show all, or at least more.
	const entries = [...whole.entries];
	let isTruncated = false;
	for (const status of statuses) {
		const query = { status };
		const part = required(context, await readWholeList(connection, { ...request, query }));
		entries.push(...part.entries);
		isTruncated ||= part.truncated;
	}
	if (isTruncated) warnOfMore(context, 'exchanges');
	return byId(context, entries);
}

async function readAlerts(
	context: IPollFunctions,
	connection: ServiceConnection,
): Promise<IDataObject[]> {
	const result = await readWholeList(connection, {
		name: 'watchdogEvents',
		path: ['watchdog', 'events'],
		action: 'list the watchdog events',
		fresh: true,
	});
	const { entries, truncated } = required(context, result);
	if (truncated) warnOfMore(context, 'watchdog events');
	return entries;
}

function required(context: IPollFunctions, result: ListResult | Explanation): ListResult {
	if (isExplanation(result)) throw apiError(context.getNode(), result);
	return result;
}

/** The later entry of the same exchange counts. */
function byId(context: IPollFunctions, entries: IDataObject[]): Map<string, IDataObject> {
	const withoutId = entries.find(({ id }) => !isId(id));
	if (withoutId !== undefined) {
		throw apiError(context.getNode(), {
			message: 'The answer of the service could not be understood',
			description: `Expected exchanges with an "id", received one with ${Object.keys(withoutId).slice(0, 10).join(', ') || 'no fields'}.`,
		});
	}
	return new Map(entries.map((entry) => [String(entry.id), entry]));
}

/** There is no place in the editor where a polling trigger could say it. */
function warnOfMore(context: IPollFunctions, what: string): void {
	context.logger.warn(
		`Backlink Exchange Polling Trigger: the service says that there are more ${what} than it lists, in a way that cannot be followed. Events of those are not noticed (workflow ${context.getWorkflow().id ?? ''}, node "${context.getNode().name}").`,
	);
}
