import type { IDataObject, IPollFunctions } from 'n8n-workflow';

import { passesFilters } from '../shared/fields/eventFilters';
import { offerTimes } from '../shared/fields/events';
import { plainText } from '../shared/identity';
import { stateOf } from '../shared/reading/state';
import { firstTime } from '../shared/time';
import {
	type Explanation,
	isExplanation,
	operationError,
	resultOrThrow,
} from '../shared/words/explanation';
import { log } from '../shared/words/triggerLog';
import { readSnapshot, type Snapshot } from './account';
import { mostAlerts } from './alerts';
import { compare, isSameAccount } from './changes';
import { digestOf, toItem } from './items';
import { mostEvents, newEntry, roomIn, shortened } from './ledger';
import { emptyMemory, type Memory, mostExchanges } from './memory';
import { nothingYet } from './nothingYet';
import { type PollingSettings, readSettings } from './settings';
import type { Store } from './store';
import type { Change } from './transitions';

/**
 * Reads the account, compares it with what was seen before, and enters what happened into the ledger; nothing if another
 * poll has done so meanwhile.
 * @param budget milliseconds that n8n allows for the poll
 * @returns why the account cannot be read, when the service does not answer as it should
 * @throws NodeOperationError when the account has more than can be watched
 */
export async function findEvents(
	store: Store,
	settings: PollingSettings,
	budget: number,
): Promise<Explanation | undefined> {
	const { context } = store;
	const { seen, isStillSo } = store.readSeen();
	const account = await readSnapshot(context, settings, budget, seen);
	if (isExplanation(account)) return account;
	const before = knownOf(context, account, seen, settings);
	const comparison = compare(account, before, settings.creditsLowBelow);
	const selected = comparison.changes.filter((change) => isSelected(change, account, settings));
	const exchanges = await exchangesFor(selected, context, account, settings, budget);
	// From here on nothing waits, so polls that overlap cannot come between each other.
	if (!isStillSo()) return undefined;
	const { fitting, left } = divide(store, selected, settings);
	const memory = comparison.remember(left);
	if (left.size === 0) refuseTooMany(context, memory);
	store.writeSeen({ ...memory, ...account.scope }, !comparison.isLasting);
	if (fitting.length === 0) return undefined;
	const items = fitting.map((change) =>
		shortened(toItem(change, exchangeOf(change, exchanges), settings)),
	);
	const added = settings.isDigest ? [digestOf(items)] : items;
	store.writeLedger([...store.readLedger(), ...added.map(newEntry)]);
	return undefined;
}

/**
 * What "Fetch Test Event" shows: the newest selected event in the account, or what would make one.
 * @param budget milliseconds that n8n allows for it
 * @throws NodeApiError when the account cannot be read
 */
export async function newestEvent(context: IPollFunctions, budget: number): Promise<IDataObject> {
	const settings = readSettings(context);
	const account = resultOrThrow(context.getNode(), await readSnapshot(context, settings, budget));
	const { changes } = compare(account, emptyMemory, settings.creditsLowBelow);
	const selected = changes.filter((change) => isSelected(change, account, settings));
	// Somebody tries out what accepts offers: one that is not pending any more cannot be accepted.
	const isOpen = ({ event, data }: Change) =>
		event !== 'exchange.requested' || stateOf(data) === 'pending';
	const shown = selected.some(isOpen) ? selected.filter(isOpen) : selected;
	// Of two events at the same moment, the one that comes later in the order of events is the newest.
	const timeOf = ({ time, data }: Change) => time || (firstTime(data, offerTimes)?.seconds ?? 0);
	const newest = shown.sort((one, other) => timeOf(one) - timeOf(other)).at(-1);
	if (newest === undefined) {
		const leftOut = changes.filter(({ event }) => settings.events.includes(event)).length;
		return nothingYet(account, settings, leftOut);
	}
	const exchanges = await exchangesFor([newest], context, account, settings, budget);
	const item = toItem(newest, exchangeOf(newest, exchanges), settings);
	return { ...(settings.isDigest ? digestOf([item]) : item), attempt: 1 };
}

/** What was seen of this account before. Where it was another one, only whether the credits were low counts. */
function knownOf(
	context: IPollFunctions,
	account: Snapshot,
	seen: Memory,
	{ emitExisting }: PollingSettings,
): Memory {
	const { address, key } = account.scope;
	const isSame = seen.address === address && (seen.key === key || isSameAccount(account, seen));
	if (!isSame && (seen.exchanges !== undefined || seen.alerts !== undefined)) {
		log(
			context,
			'Polling Trigger: with this base URL and API key it does not recognize the account. It goes on from what is there now; what happened between the last poll and this one was not compared',
		);
	}
	const known = isSame ? seen : { credits: seen.credits };
	return emitExisting ? { ...emptyMemory, ...known } : known;
}

/**
 * The changes for which the ledger has room, and the records of the others: those are left in the service, where a later
 * poll finds them again. Of one record all changes fit or none.
 */
function divide(store: Store, changes: Change[], { redeliver, headStart }: PollingSettings) {
	// Otherwise all events leave the ledger with this poll.
	const isKept = redeliver || headStart > 0;
	const room = isKept ? roomIn(store.readLedger()) : changes.length;
	const left = new Set(changes.slice(room).map(({ data }) => data));
	const fitting = changes.filter(({ data }) => !left.has(data));
	if (left.size > 0) {
		log(
			store.context,
			`Polling Trigger: ${mostEvents - room + fitting.length} events are waiting for an execution that succeeds, and there is no room for ${changes.length - fitting.length} more. Those follow later`,
		);
	}
	return { fitting, left };
}

/** The records of the exchanges; where they were not read, and an alert needs the one of its exchange, they are read now. */
async function exchangesFor(
	selected: Change[],
	context: IPollFunctions,
	account: Snapshot,
	settings: PollingSettings,
	budget: number,
): Promise<Snapshot['exchanges']> {
	const isNeeded = selected.some(({ event }) => event === 'watchdog.alert');
	if (account.exchanges !== undefined || !isNeeded) return account.exchanges;
	const onlyExchanges = { ...settings, events: ['exchange.requested'] };
	const reading = await readSnapshot(context, onlyExchanges, budget, {
		key: account.scope.key,
		exchanges: new Map(),
	}).catch(() => undefined);
	// The alert comes without it, rather than late.
	return reading === undefined || isExplanation(reading) ? undefined : reading.exchanges;
}

function exchangeOf({ event, data }: Change, exchanges: Snapshot['exchanges']) {
	const id = plainText(data.exchange_id);
	return event === 'watchdog.alert' && typeof id === 'string' ? exchanges?.get(id) : undefined;
}

function isSelected(change: Change, account: Snapshot, { events, filters }: PollingSettings) {
	const { event, data } = change;
	const exchange = exchangeOf(change, account.exchanges);
	return events.includes(event) && passesFilters(event, data, filters, exchange);
}

function refuseTooMany(context: IPollFunctions, { exchanges, alerts }: Memory): void {
	const refuse = (what: string, most: number): never => {
		throw operationError(context.getNode(), {
			message: `The account has too many ${what} to watch`,
			description: `This trigger can keep track of up to ${most.toLocaleString('en')}. Use the webhook trigger for this account, or select only the other events.`,
		});
	};
	if ((exchanges?.size ?? 0) > mostExchanges) refuse('pending exchange offers', mostExchanges);
	if ((alerts?.length ?? 0) > mostAlerts) refuse('watchdog events', mostAlerts);
}
