import type { IDataObject, IPollFunctions } from 'n8n-workflow';

import { byId, idOf } from '../shared/identity';
import { readBalance } from '../shared/reading/balance';
import { describeJson } from '../shared/reading/content';
import { afterPending, notListed, readExchanges } from '../shared/reading/exchanges';
import { type ListResult, readWholeList } from '../shared/reading/list';
import { describeState, furthest, type State, stateOf, states } from '../shared/reading/state';
import { type Freshness, ServiceConnection } from '../shared/service/connection';
import { firstTime } from '../shared/time';
import { type Explanation, explanation, isExplanation } from '../shared/words/explanation';
import { log } from '../shared/words/triggerLog';
import { gone, type Memory } from './memory';
import type { PollingSettings } from './settings';
import type { KnownExchange } from './transitions';

/** What the service shows of an account at one moment. A field is left out where its events are not watched. */
export interface Snapshot {
	/** Names for the address of the service and for the key; they do not reveal the key. */
	scope: { address: string; key: string };
	/** Exchanges by id, in the order in which the service lists them. */
	exchanges?: Map<string, IDataObject>;
	alerts?: IDataObject[];
	/** The credit balance. */
	credits?: IDataObject;
}

/** Where the account is read, the name of its key, and what the trigger has seen of it before. */
interface Source {
	context: IPollFunctions;
	connection: ServiceConnection;
	key: string;
	seen: Memory | undefined;
}

/** The longest wait of one request for an answer, in seconds. */
const timeout = 30;
/** The longest wait of one request for the limit, in seconds. */
const longestRateLimitWait = 90;

/**
 * Milliseconds for which all triggers of an account share a list, or during trouble that it cannot be read: with polls a
 * minute apart, whatever their seconds, an event is noticed within two minutes, and a trigger alone reads anew each time.
 */
const listsSharedFor = 50_000;
/** Milliseconds for which they share the balance: it changes when an exchange moves on, and then it is read again. */
const balanceSharedFor = 15 * 60_000;

/**
 * Fetches what the selected events need, with the fewest requests.
 * @param budget milliseconds that n8n allows for the poll
 * @param seen what the trigger has seen before; without it nothing is shared with others. Exchanges that are gone are not
 * looked for
 * @returns why the account cannot be read, when the service does not answer as it should
 * @throws NodeOperationError when the credential cannot be used
 */
export async function readSnapshot(
	context: IPollFunctions,
	{ events, filters }: PollingSettings,
	budget: number,
	seen?: Memory,
): Promise<Snapshot | Explanation> {
	const connection = await ServiceConnection.open(context, {
		maxRateLimitWait: Math.min(longestRateLimitWait, budget / 2000),
		timeout,
	});
	const scope = scopeOf(connection);
	const source: Source = { context, connection, key: scope.key, seen };
	const watchesAlerts = events.includes('watchdog.alert');
	// An alert names only its exchange, whose record names the sites.
	const watchesSites = watchesAlerts && filters.sites.length > 0;
	const watchesExchanges = watchesSites || events.some((event) => event.startsWith('exchange.'));

	const exchanges = watchesExchanges ? await exchangesOf(source) : undefined;
	if (isExplanation(exchanges)) return exchanges;
	const alerts = watchesAlerts ? await alertsOf(source) : undefined;
	if (isExplanation(alerts)) return alerts;
	const credits = events.includes('credits.low') ? await creditsOf(source) : undefined;
	if (isExplanation(credits)) return credits;
	return { scope, exchanges, alerts, credits };
}

/**
 * Whether what was seen is of the account of the credential, with the same key.
 * @throws NodeOperationError when the credential cannot be used
 */
export async function isOfCredential({ key }: Memory, context: IPollFunctions): Promise<boolean> {
	const connection = await ServiceConnection.open(context, { maxRateLimitWait: 0, timeout });
	// The key is that of the address as well.
	return scopeOf(connection).key === key;
}

function scopeOf(connection: ServiceConnection): Snapshot['scope'] {
	return { address: connection.baseUrl, key: connection.accountKey('polling trigger') };
}

async function exchangesOf(source: Source): Promise<Snapshot['exchanges'] | Explanation> {
	const { context, connection, seen } = source;
	const known = seen?.exchanges;
	const list = await readExchanges(connection, {
		...freshnessOf('exchanges', source, sharedList()),
		alsoIn: (listed) => (known === undefined ? notListed(listed) : whereMissing(known, listed)),
	});
	if (isExplanation(list)) return list;
	const exchanges = furthestById(context, entriesOf(context, list, 'exchanges'));
	if (!isExplanation(exchanges) && known !== undefined && haveMovedOn(exchanges, known)) {
		connection.forget(['credits', 'balance'], list.readAt);
	}
	return exchanges;
}

async function alertsOf(source: Source): Promise<Snapshot['alerts'] | Explanation> {
	const { context, connection } = source;
	const freshness = freshnessOf('alerts', source, sharedList());
	const list = await readWholeList(connection, 'watchdogEvents', freshness);
	return isExplanation(list) ? list : entriesOf(context, list, 'watchdog events');
}

async function creditsOf(source: Source): Promise<Snapshot['credits'] | Explanation> {
	const freshness = freshnessOf('credits', source, { isShared: true, for: balanceSharedFor });
	return await readBalance(source.connection, freshness);
}

/** How old what is read of a part of the account may be; the first time, it has to be fresh. */
function freshnessOf(
	part: 'exchanges' | 'alerts' | 'credits',
	{ seen, key }: Source,
	shared: Freshness,
): Freshness {
	if (seen === undefined) return {};
	// An old first reading would lack what is already there, and that would be emitted later.
	const isFirst = seen[part] === undefined || seen.key !== key;
	return { ...shared, fresh: isFirst };
}

function sharedList(): Freshness {
	return { isShared: true, for: listsSharedFor };
}

/** The states to look in for known exchanges that a list does not show; those that are gone are not looked for. */
function whereMissing(
	known: ReadonlyMap<string, KnownExchange>,
	listed: IDataObject[],
): readonly State[] {
	const ids = new Set(listed.map(idOf));
	const isMissing = [...known].some(([id, { doubt }]) => !ids.has(id) && doubt !== gone);
	return isMissing ? afterPending : [];
}

/** Whether an exchange is accepted, live or broken now that was not before, so that credits may have been paid. */
function haveMovedOn(
	exchanges: ReadonlyMap<string, IDataObject>,
	known: ReadonlyMap<string, KnownExchange>,
): boolean {
	return [...exchanges].some(([id, record]) => {
		const stage = states.findIndex((state) => state === stateOf(record));
		return stage > 0 && stage !== known.get(id)?.stage;
	});
}

/** The entries of a list; if it is not complete, the log says so, because the editor shows nothing of a polling trigger but its executions. */
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
		// Of entries that are as far, the latest counts, whatever the order of the list.
		const { state, record = {} } = furthest(same.sort((one, other) => latest(one) - latest(other)));
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
			// The exchange is there at every poll: one line is enough.
			log(context, warning, Infinity);
		}
		exchanges.set(id, record);
	}
	return exchanges;
}

/** The latest documented moment of an entry, in epoch seconds; 0 where it has none. */
function latest(entry: IDataObject): number {
	return firstTime(entry, ['published_at', 'accepted_at'])?.seconds ?? 0;
}
