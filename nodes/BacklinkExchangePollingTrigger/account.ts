import type { IDataObject, IPollFunctions } from 'n8n-workflow';

import { readBalance } from '../shared/balance';
import { ServiceConnection } from '../shared/connection';
import { afterPending, notListed, readExchanges } from '../shared/exchanges';
import { type Explanation, explanation, isExplanation } from '../shared/explanation';
import { byId, idOf } from '../shared/identity';
import { type ListResult, readWholeList } from '../shared/list';
import { describeJson } from '../shared/response';
import { describeState, furthest, states } from '../shared/state';
import { log } from '../shared/triggerLog';
import { gone } from './memory';
import type { PollingSettings } from './settings';
import type { KnownExchange } from './transitions';

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

/** Seconds. */
const timeout = 30;
const longestRateLimitWait = 90;

/**
 * Fetches what the selected events need, with the fewest requests.
 * @param budget milliseconds that n8n allows for the poll
 * @param known the exchanges that were there before, by id; those that are gone are not looked for
 * @returns why the account cannot be read, when the service does not answer as it should
 * @throws NodeOperationError when the credential cannot be used
 */
export async function readAccount(
	context: IPollFunctions,
	{ events, filters }: PollingSettings,
	budget: number,
	known?: ReadonlyMap<string, KnownExchange>,
): Promise<Account | Explanation> {
	const connection = await ServiceConnection.open(context, {
		maxRateLimitWait: Math.min(longestRateLimitWait, budget / 2000),
		timeout,
	});
	const account: Account = {
		scope: { address: connection.baseUrl, key: connection.accountKey('polling trigger') },
	};
	const watchesAlerts = events.includes('watchdog.alert');
	// An alert names its exchange; the sites are named by that.
	const watchesSites = watchesAlerts && filters.sites.length > 0;
	if (watchesSites || events.some((event) => event.startsWith('exchange.'))) {
		const alsoIn = (listed: IDataObject[]) => {
			if (known === undefined) return notListed(listed);
			const ids = new Set(listed.map(idOf));
			const isMissing = [...known].some(([id, { doubt }]) => !ids.has(id) && doubt !== gone);
			return isMissing ? afterPending : [];
		};
		const list = await readExchanges(connection, { alsoIn });
		if (isExplanation(list)) return list;
		const exchanges = furthestById(context, entriesOf(context, list, 'exchanges'));
		if (isExplanation(exchanges)) return exchanges;
		account.exchanges = exchanges;
	}
	if (watchesAlerts) {
		const list = await readWholeList(connection, 'watchdogEvents');
		if (isExplanation(list)) return list;
		account.alerts = entriesOf(context, list, 'watchdog events');
	}
	if (events.includes('credits.low')) {
		const credits = await readBalance(connection);
		if (isExplanation(credits)) return credits;
		account.credits = credits;
	}
	return account;
}

/** Only the log can say that a list is not complete: the editor shows nothing of a polling trigger but its executions. */
function entriesOf(context: IPollFunctions, result: ListResult, what: string): IDataObject[] {
	if (result.truncated) {
		log(
			context,
			`Polling Trigger: the service says that there are more ${what} than it lists, in a way that cannot be followed. Events of the others are not noticed`,
		);
	}
	return result.entries;
}

/** Each exchange as its furthest entry shows it; why the list cannot be understood, when one has no id. */
function furthestById(
	context: IPollFunctions,
	entries: IDataObject[],
): Map<string, IDataObject> | Explanation {
	const exchanges = new Map<string, IDataObject>();
	for (const same of byId(entries).values()) {
		const { state, record = {} } = furthest(same);
		const id = idOf(record);
		if (id === undefined) {
			return explanation({
				message: 'The answer of the service could not be understood',
				description: `Expected exchanges with an "id", received ${describeJson(record)}.`,
			});
		}
		if (state === undefined) {
			const what = `${describeState(record)}, which is none of the documented states (${states.join(', ')})`;
			const warning = `Polling Trigger: an exchange has ${what}; only its times show how far it is. This is logged once`;
			// It is there at every poll.
			log(context, warning, Infinity);
		}
		exchanges.set(id, record);
	}
	return exchanges;
}
