import type { IDataObject, INodeExecutionData, IPollFunctions } from 'n8n-workflow';

import { passesFilters } from '../shared/fields/eventFilters';
import { offerTimes } from '../shared/fields/events';
import { plainText } from '../shared/identity';
import { stateOf } from '../shared/reading/state';
import { firstTime } from '../shared/time';
import {
	apiError,
	type Explanation,
	isExplanation,
	operationError,
	resultOrThrow,
	withRemedy,
} from '../shared/words/explanation';
import { log } from '../shared/words/triggerLog';
import { type Account, readAccount } from './account';
import { mostAlerts } from './alerts';
import { compare, isSameAccount } from './changes';
import { digestOf, toItem } from './items';
import { mostEvents, newEntry, roomIn, shortened } from './ledger';
import { emptyMemory, type Memory, mostExchanges } from './memory';
import { nothingYet } from './nothingYet';
import { redeliver, takeDue } from './redelivery';
import { type PollingSettings, readSettings } from './settings';
import { mayEmit, Store } from './store';
import type { Change } from './transitions';
import { isToBeTold, noteSuccess } from './trouble';

/** Milliseconds that n8n allows for a poll, where it does not say so, and for one that its scheduler does not run. */
const usualBudget = 300_000;

/** n8n makes a context for each activation; one that its scheduler runs has one for each poll. */
const contextsSeen = new WeakSet<IPollFunctions>();

/** Why a poll has not found out what happened. */
interface Trouble {
	error: Error;
	/** The limit of the service is reached, and the service says when it resets: until then nobody can do anything about it. */
	isLimit: boolean;
}

/**
 * Reads the account and starts the workflow with what happened since the last poll; the first poll of an account starts
 * nothing.
 * @throws NodeApiError when the account cannot be read; the next poll then compares with the same state as this one. While
 * that lasts, n8n's log says so most of the time (`isToBeTold`). Never when n8n starts: n8n would never poll again.
 */
export async function poll(context: IPollFunctions): Promise<INodeExecutionData[][] | null> {
	if (context.getMode() === 'manual') return [[{ json: await newestItem(context) }]];
	const begunAt = performance.now();
	// Older versions of n8n do not say.
	const budget =
		(context.getPollBudgetMs as (() => number) | undefined)?.call(context) ?? usualBudget;
	const isActivation = !contextsSeen.has(context) && budget === usualBudget;
	contextsSeen.add(context);
	const isStartOfN8n = ['init', 'leadershipChange'].includes(context.getActivationMode());
	const isPublication = isActivation && !isStartOfN8n;
	const { output, trouble } = await pollAccount(context, budget, isActivation, isPublication).catch(
		(error: Error) => ({ output: null, trouble: { error, isLimit: false } }),
	);
	if (trouble === undefined) {
		noteSuccess(context, begunAt);
		return output;
	}
	if (isPublication) throw withRemedy(trouble.error);
	if (isToBeTold(context, trouble.error, !isActivation && !trouble.isLimit)) throw trouble.error;
	return output;
}

/** @throws NodeOperationError when a setting cannot be read or this n8n cannot redeliver */
async function pollAccount(
	context: IPollFunctions,
	budget: number,
	isActivation: boolean,
	isPublication: boolean,
): Promise<{ output: INodeExecutionData[][] | null; trouble?: Trouble }> {
	const settings = readSettings(context);
	refuseWhatCannotBe(context, settings);
	const store = new Store(context);
	const trouble = await findTrouble(context, settings, budget, store);
	if (trouble !== undefined && (isPublication || !settings.redeliver)) {
		return { output: null, trouble };
	}

	// What was found before does not depend on the service.
	let output: INodeExecutionData[][] | null = null;
	if (settings.redeliver) {
		redeliver(store, settings.headStart);
	} else {
		const due = takeDue(store, settings.headStart);
		const items = due.map(({ item, attempts }) => ({ ...item, attempt: attempts + 1 }));
		if (items.length > 0) output = store.emit(items);
	}
	if (isActivation) store.leaveToN8n();
	output ??= await store.save();
	return { output, trouble };
}

async function findTrouble(...poll: Parameters<typeof findEvents>): Promise<Trouble | undefined> {
	try {
		const why = await findEvents(...poll);
		if (why === undefined) return undefined;
		const { failure } = why;
		const isLimit =
			(failure?.cause === 'rate-limited' || failure?.cause === 'quota-exhausted') &&
			failure.resetsAtEpochMs !== undefined;
		return { error: apiError(poll[0].getNode(), why), isLimit };
	} catch (error) {
		return { error: error as Error, isLimit: false };
	}
}

/**
 * Reads the account, compares it with what was seen before, and enters what happened into the ledger; nothing if another
 * poll has done so meanwhile.
 * @returns why the account cannot be read, when the service does not answer as it should
 */
async function findEvents(
	context: IPollFunctions,
	settings: PollingSettings,
	budget: number,
	store: Store,
): Promise<Explanation | undefined> {
	const { seen, isStillSo } = store.readSeen();
	const account = await readAccount(context, settings, budget, seen);
	if (isExplanation(account)) return account;
	const before = knownOf(context, account, seen, settings);
	const comparison = compare(account, before, settings.creditsLowBelow);
	const selected = comparison.changes.filter((change) => isSelected(change, account, settings));
	const exchanges = await exchangesFor(selected, context, account, settings, budget);
	// From here on nothing waits, so polls that overlap cannot come between each other.
	if (!isStillSo()) return undefined;
	const entries = store.readLedger();
	const isLimited = settings.redeliver || settings.headStart > 0;
	// What does not fit is left in the service, so that a later poll finds it again; of one record all or nothing.
	const room = isLimited ? roomIn(entries) : selected.length;
	const left = new Set(selected.slice(room).map(({ data }) => data));
	const memory = comparison.remember(left);
	if (left.size === 0) refuseTooMany(context, memory);
	const items = selected
		.filter(({ data }) => !left.has(data))
		.map((change) => shortened(toItem(change, exchangeOf(change, exchanges), settings)));
	if (left.size > 0) {
		log(
			context,
			`Polling Trigger: ${mostEvents - room + items.length} events are waiting for an execution that succeeds, and there is no room for ${selected.length - items.length} more. Those follow later`,
		);
	}
	store.writeSeen({ ...memory, ...account.scope }, !comparison.isLasting);
	if (items.length === 0) return undefined;
	const added = settings.isDigest ? [digestOf(items)] : items;
	store.writeLedger([...entries, ...added.map(newEntry)]);
	return undefined;
}

/** What was seen of this account before: of another one nothing but whether the credits were low. */
function knownOf(
	context: IPollFunctions,
	account: Account,
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

/** The records of the exchanges, if they were read, or one of the alerts needs its own: then they are read now. */
async function exchangesFor(
	selected: Change[],
	context: IPollFunctions,
	account: Account,
	settings: PollingSettings,
	budget: number,
): Promise<Account['exchanges']> {
	const isNeeded = selected.some(({ event }) => event === 'watchdog.alert');
	if (account.exchanges !== undefined || !isNeeded) return account.exchanges;
	const onlyExchanges = { ...settings, events: ['exchange.requested'] };
	const reading = await readAccount(context, onlyExchanges, budget, {
		key: account.scope.key,
		exchanges: new Map(),
	}).catch(() => undefined);
	// The alert comes without it, rather than late.
	return reading === undefined || isExplanation(reading) ? undefined : reading.exchanges;
}

function exchangeOf({ event, data }: Change, exchanges: Account['exchanges']) {
	const id = plainText(data.exchange_id);
	return event === 'watchdog.alert' && typeof id === 'string' ? exchanges?.get(id) : undefined;
}

function isSelected(change: Change, account: Account, { events, filters }: PollingSettings) {
	const { event, data } = change;
	const exchange = exchangeOf(change, account.exchanges);
	return events.includes(event) && passesFilters(event, data, filters, exchange);
}

async function newestItem(context: IPollFunctions): Promise<IDataObject> {
	const settings = readSettings(context);
	const reading = await readAccount(context, settings, usualBudget);
	const account = resultOrThrow(context.getNode(), reading);
	const { changes } = compare(account, emptyMemory, settings.creditsLowBelow);
	const selected = changes.filter((change) => isSelected(change, account, settings));
	// Somebody tries out what accepts offers: one that is not pending any more cannot be accepted.
	const isOpen = ({ event, data }: Change) =>
		event !== 'exchange.requested' || stateOf(data) === 'pending';
	const shown = selected.some(isOpen) ? selected.filter(isOpen) : selected;
	// Of two at the same moment, the later one in the order of events.
	const timeOf = ({ time, data }: Change) => time || (firstTime(data, offerTimes)?.seconds ?? 0);
	const newest = shown.sort((one, other) => timeOf(one) - timeOf(other)).at(-1);
	if (newest === undefined) {
		const leftOut = changes.filter(({ event }) => settings.events.includes(event)).length;
		return nothingYet(account, settings, leftOut);
	}
	const exchanges = await exchangesFor([newest], context, account, settings, usualBudget);
	const item = toItem(newest, exchangeOf(newest, exchanges), settings);
	return { ...(settings.isDigest ? digestOf([item]) : item), attempt: 1 };
}

function refuseWhatCannotBe(context: IPollFunctions, { redeliver }: PollingSettings): void {
	if (redeliver && !mayEmit(context)) {
		throw operationError(context.getNode(), {
			message: 'This version of n8n cannot redeliver events',
			description:
				'It offers no way to find out whether an execution has succeeded. Turn off the option Redeliver: all events of a poll then start one execution, once. Nothing is lost: the next poll finds what happened meanwhile.',
		});
	}
	if (context.getNode().alwaysOutputData === true) {
		throw operationError(context.getNode(), {
			message: 'Always Output Data has to be off for this node',
			description:
				'When the trigger saves which events are done, n8n would run the workflow with an empty item. Turn it off in the settings of the node.',
		});
	}
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
