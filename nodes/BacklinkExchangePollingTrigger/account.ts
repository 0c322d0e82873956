import type { IDataObject, IPollFunctions } from 'n8n-workflow';

import { readBalance } from '../shared/balance';
import { ServiceConnection } from '../shared/connection';
import { readExchanges } from '../shared/exchanges';
import { apiError, explanation, resultOrThrow } from '../shared/explanation';
import { isId } from '../shared/identity';
import { type ListResult, readWholeList } from '../shared/list';
import { describeState, stateOf, states } from '../shared/state';

/** What the service shows of an account at one moment. What is not watched is not fetched. */
export interface Account {
	/** Names for the address of the service and for the key; they do not reveal the key. */
	scope: { address: string; key: string };
	/** By id; in the order in which the service lists them. */
	exchanges?: Map<string, IDataObject>;
	alerts?: IDataObject[];
	/** The credit balance. */
	credits?: IDataObject;
}

export type Watched = Record<'exchanges' | 'alerts' | 'credits', boolean>;

/** Seconds. */
const timeout = 30;
const longestRateLimitWait = 90;

/**
 * Fetches everything that is watched, with the fewest requests.
 * @param budget milliseconds that n8n allows for the poll
 * @throws NodeApiError when the service does not answer as it should; nothing is half done then
 */
export async function readAccount(
	context: IPollFunctions,
	watched: Watched,
	budget: number,
): Promise<Account> {
	const connection = await ServiceConnection.open(context, {
		maxRateLimitWait: Math.min(longestRateLimitWait, budget / 2000),
		timeout,
	});
	const node = context.getNode();
	const account: Account = {
		scope: { address: connection.baseUrl, key: connection.accountKey('polling trigger') },
	};
	if (watched.exchanges) {
		const result = resultOrThrow(node, await readExchanges(connection));
		account.exchanges = byId(context, entriesOf(context, result, 'exchanges'));
	}
	if (watched.alerts) {
		const result = await readWholeList(connection, 'watchdogEvents');
		account.alerts = entriesOf(context, resultOrThrow(node, result), 'watchdog events');
	}
	if (watched.credits) {
		account.credits = resultOrThrow(node, await readBalance(connection));
	}
	return account;
}

/** For n8n's log. */
export function warn(context: IPollFunctions, what: string): void {
	const source = `workflow ${context.getWorkflow().id ?? ''}, node "${context.getNode().name}"`;
	context.logger.warn(`Backlink Exchange Polling Trigger: ${what} (${source})`);
}

/** Only the log can say that a list is not complete: the editor shows nothing of a polling trigger but its executions. */
function entriesOf(context: IPollFunctions, result: ListResult, what: string): IDataObject[] {
	if (result.truncated) {
		warn(
			context,
			`the service says that there are more ${what} than it lists, in a way that cannot be followed. Events of the others are not noticed`,
		);
	}
	return result.entries;
}

/** Of several entries of one exchange, the one that is furthest counts; of those that are as far, the later entry. */
function byId(context: IPollFunctions, entries: IDataObject[]): Map<string, IDataObject> {
	const exchanges = new Map<string, IDataObject>();
	for (const entry of entries) {
		if (!isId(entry.id)) {
			throw apiError(
				context.getNode(),
				explanation({
					message: 'The answer of the service could not be understood',
					description: `Expected exchanges with an "id", received one with ${Object.keys(entry).slice(0, 10).join(', ') || 'no fields'}.`,
				}),
			);
		}
		const stage = stageOf(entry);
		if (stage === -1) warnOfState(context, entry);
		const id = String(entry.id);
		const other = exchanges.get(id);
		if (other === undefined || stage >= stageOf(other)) exchanges.set(id, entry);
	}
	return exchanges;
}

function stageOf(exchange: IDataObject): number {
	return states.findIndex((state) => state === stateOf(exchange));
}

const statesWarnedOf = new Set<string>();

/** Once for each: it is there at every poll. */
function warnOfState(context: IPollFunctions, exchange: IDataObject): void {
	const state = describeState(exchange);
	if (statesWarnedOf.has(state) || statesWarnedOf.size >= 100) return;
	statesWarnedOf.add(state);
	warn(
		context,
		`an exchange has ${state}, which is none of the documented states (${states.join(', ')}); only its times show how far it is. This is logged once`,
	);
}
