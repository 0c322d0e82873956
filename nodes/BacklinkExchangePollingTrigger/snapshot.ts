import type { IDataObject, IPollFunctions } from 'n8n-workflow';

import { ServiceConnection } from '../shared/connection';
import { isId } from '../shared/events';
import { readExchanges } from '../shared/exchanges';
import { apiError, explanation, resultOrThrow } from '../shared/explanation';
import { type ListResult, readWholeList } from '../shared/list';

/** What the service shows of an account at one moment. A list that is not watched is not fetched. */
export interface Snapshot {
	/** A name for the account; it does not reveal the API key. */
	scope: string;
	/** By id; in the order in which the service lists them. */
	exchanges?: Map<string, IDataObject>;
	alerts?: IDataObject[];
}

/** Seconds. */
const timeout = 30;
const longestRateLimitWait = 90;
/** Milliseconds that n8n allows for a poll, where it does not tell. */
const usualBudget = 300_000;

/**
 * Fetches everything that is watched, with the fewest requests.
 * @throws NodeApiError when the service does not answer as it should; nothing is half done then
 */
export async function takeSnapshot(
	context: IPollFunctions,
	watched: { exchanges: boolean; alerts: boolean },
): Promise<Snapshot> {
	// Older versions of n8n have no such method.
	const budget = (context.getPollBudgetMs as (() => number) | undefined)?.() ?? usualBudget;
	const connection = await ServiceConnection.open(context, {
		maxRateLimitWait: Math.min(longestRateLimitWait, budget / 2000),
		timeout,
	});
	const node = context.getNode();
	const snapshot: Snapshot = { scope: connection.accountKey('polling trigger') };
	if (watched.exchanges) {
		const result = resultOrThrow(node, await readExchanges(connection));
		snapshot.exchanges = byId(context, entriesOf(context, result, 'exchanges'));
	}
	if (watched.alerts) {
		const result = await readWholeList(connection, {
			name: 'watchdogEvents',
			path: ['watchdog', 'events'],
			action: 'list the watchdog events',
		});
		snapshot.alerts = entriesOf(context, resultOrThrow(node, result), 'watchdog events');
	}
	return snapshot;
}

/** There is no place in the editor where a polling trigger could say that a list is not complete. */
function entriesOf(context: IPollFunctions, result: ListResult, what: string): IDataObject[] {
	if (result.truncated) {
		context.logger.warn(
			`Backlink Exchange Polling Trigger: the service says that there are more ${what} than it lists, in a way that cannot be followed. Events of those are not noticed (workflow ${context.getWorkflow().id ?? ''}, node "${context.getNode().name}").`,
		);
	}
	return result.entries;
}

/** The later entry of the same exchange counts. */
function byId(context: IPollFunctions, entries: IDataObject[]): Map<string, IDataObject> {
	const withoutId = entries.find(({ id }) => !isId(id));
	if (withoutId !== undefined) {
		throw apiError(
			context.getNode(),
			explanation({
				message: 'The answer of the service could not be understood',
				description: `Expected exchanges with an "id", received one with ${Object.keys(withoutId).slice(0, 10).join(', ') || 'no fields'}.`,
			}),
		);
	}
	return new Map(entries.map((entry) => [String(entry.id), entry]));
}
