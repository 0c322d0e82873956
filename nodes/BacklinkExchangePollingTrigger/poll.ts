import type { IDataObject, INodeExecutionData, IPollFunctions } from 'n8n-workflow';

import { passesFilters } from '../shared/eventFilters';
import { digestMessage, eventMessage } from '../shared/eventMessage';
import { eventKey, offerTimes } from '../shared/events';
import { operationError, resultOrThrow, withRemedy } from '../shared/explanation';
import { linkOf } from '../shared/pageAddress';
import { stateOf } from '../shared/state';
import { firstTime } from '../shared/time';
import { log } from '../shared/triggerLog';
import { readAccount } from './account';
import { mostAlerts } from './alerts';
import { compare, isSameAccount } from './changes';
import { emptyMemory, type Memory, mostExchanges, toText } from './memory';
import { redeliver, takeDue } from './redelivery';
import { type PollingSettings, readSettings } from './settings';
import { mayEmit, newEntry, openStore, roomFor, type Store } from './store';
import type { Change } from './transitions';

/** Milliseconds that n8n allows for a poll, where it does not say so, and for one that its scheduler does not run. */
const usualBudget = 300_000;
/** Milliseconds that a poll waits for its executions at most: n8n polls again after a minute at the earliest. */
const mostPatience = 40_000;

/** n8n makes a context for each activation; one that its scheduler runs has one for each poll. */
const contextsSeen = new WeakSet<IPollFunctions>();

/**
 * Reads the account and starts the workflow with what happened since the last poll; the first poll of an account starts
 * nothing.
 * @throws NodeApiError when the service cannot be read; the next poll then compares with the same state as this one. Not
 * when n8n starts: n8n would never poll again.
 */
export async function poll(context: IPollFunctions): Promise<INodeExecutionData[][] | null> {
	if (context.getMode() === 'manual') return [[{ json: await newestItem(context) }]];
	// Older versions of n8n do not say.
	const budget =
		(context.getPollBudgetMs as (() => number) | undefined)?.call(context) ?? usualBudget;
	const isActivation = !contextsSeen.has(context) && budget === usualBudget;
	contextsSeen.add(context);
	const result = pollAccount(context, isActivation, budget);
	if (!isActivation) return await result;
	try {
		return await result;
	} catch (caught) {
		const error = withRemedy(caught);
		if (!['init', 'leadershipChange'].includes(context.getActivationMode())) throw error;
		log(
			context,
			`Polling Trigger: the first poll after n8n started failed: ${error.message}. The next poll tries again`,
		);
		return null;
	}
}

async function pollAccount(
	context: IPollFunctions,
	isActivation: boolean,
	budget: number,
): Promise<INodeExecutionData[][] | null> {
	const settings = readSettings(context);
	if (settings.redeliver && !mayEmit(context)) {
		throw operationError(context.getNode(), {
			message: 'This version of n8n cannot redeliver events',
			description:
				'It offers no way to find out whether an execution has succeeded. Turn off the option Redeliver: all events of a poll then start one execution, once. Nothing is lost: the next poll finds what happened meanwhile.',
		});
	}
	const begun = performance.now();
	const store = openStore(context);
	const [found] = await Promise.allSettled([findEvents(context, settings, budget, store)]);
	const hasFailed = found.status === 'rejected';
	// What was found before does not depend on the service.
	if (hasFailed && (isActivation || !settings.redeliver)) throw found.reason;

	let output: INodeExecutionData[][] | null = null;
	if (settings.redeliver) {
		const left = budget * 0.75 - (performance.now() - begun);
		const patience = isActivation ? 0 : Math.min(mostPatience, left);
		await redeliver(context, store, settings.headStart, patience);
	} else {
		const due = takeDue(store, settings.headStart);
		const items = due.map(({ item, attempts }) => ({ ...item, attempt: attempts + 1 }));
		if (items.length > 0) output = store.emit(items);
	}
	output ??= store.save(isActivation, hasFailed);
	if (hasFailed) throw found.reason;
	return output;
}

/**
 * Reads the account, compares it with what was seen before, and enters what happened into the ledger; nothing if another
 * poll has done so meanwhile.
 */
async function findEvents(
	context: IPollFunctions,
	settings: PollingSettings,
	budget: number,
	store: Store,
): Promise<void> {
	const seen = store.readSeen();
	const reading = await readAccount(context, settings, budget, seen);
	const account = resultOrThrow(context.getNode(), reading);
	// From here on nothing waits, so polls that overlap cannot come between each other.
	if (toText(store.readSeen()) !== toText(seen)) return;
	const { scope } = account;
	const isSame =
		seen.address === scope.address && (seen.key === scope.key || isSameAccount(account, seen));
	const { emitExisting, creditsLowBelow } = settings;
	const known = isSame ? seen : {};
	const before = emitExisting ? { ...emptyMemory, ...known } : known;
	const comparison = compare(account, before, creditsLowBelow);
	refuseTooMany(context, comparison.memory);
	const selected = comparison.changes.filter((change) => isSelected(change, settings));
	const items = selected.map((change) => toItem(change, settings));
	const entries = store.readLedger();
	const isLimited = settings.redeliver || settings.headStart > 0;
	const room = isLimited ? roomFor(entries, items) : items.length;
	// What does not fit is left in the service, so that a later poll finds it again; of one record all or nothing.
	const left = new Set(selected.slice(room).map(({ data }) => data));
	// Into an empty ledger the first one always fits, however large it is.
	if (entries.length === 0 && selected[0] !== undefined) left.delete(selected[0].data);
	const taken = items.filter(({ data }) => !left.has(data as IDataObject));
	const { memory } = left.size > 0 ? compare(account, before, creditsLowBelow, left) : comparison;
	if (left.size > 0) {
		log(
			context,
			`Polling Trigger: ${entries.length + taken.length} events are waiting for an execution that succeeds, and there is no room for ${items.length - taken.length} more. Those follow later`,
		);
	}
	// A poll of n8n's scheduler begins with what is saved.
	const isKept = budget === usualBudget;
	store.writeSeen({ ...memory, ...scope }, isKept && !comparison.isLasting);
	if (taken.length === 0) return;
	const added = settings.isDigest ? [digestOf(taken)] : taken;
	store.writeLedger([...entries, ...added.map(newEntry)]);
}

async function newestItem(context: IPollFunctions): Promise<IDataObject> {
	const settings = readSettings(context);
	const reading = await readAccount(context, settings, usualBudget);
	const account = resultOrThrow(context.getNode(), reading);
	const { changes } = compare(account, emptyMemory, settings.creditsLowBelow);
	const selected = changes.filter((change) => isSelected(change, settings));
	// Somebody tries out what accepts offers: one that is not pending any more cannot be accepted.
	const isOpen = ({ event, data }: Change) =>
		event !== 'exchange.requested' || stateOf(data) === 'pending';
	const shown = selected.some(isOpen) ? selected.filter(isOpen) : selected;
	// Of two at the same moment, the later one in the order of events.
	const timeOf = ({ time, data }: Change) => time || (firstTime(data, offerTimes)?.seconds ?? 0);
	const newest = shown.sort((one, other) => timeOf(one) - timeOf(other)).at(-1);
	if (newest === undefined) {
		throw operationError(context.getNode(), {
			message: 'There is no event to show yet',
			description:
				'Nothing in the account matches Trigger On and the filters. Change them, or wait until an event happens. A published workflow starts with the next event.',
		});
	}
	const item = toItem(newest, settings);
	return { ...(settings.isDigest ? digestOf([item]) : item), attempt: 1 };
}

function isSelected(
	{ event, data, exchange }: Change,
	{ events, filters }: PollingSettings,
): boolean {
	return events.includes(event) && passesFilters(event, data, filters, exchange);
}

function toItem(
	{ event, data, exchange, occurrence }: Change,
	{ creditsLowBelow }: PollingSettings,
): IDataObject {
	const link = linkOf(data, exchange);
	const low = `Credits are low: ${Number(data.balance)} left, below ${creditsLowBelow}`;
	return {
		event,
		message: event === 'credits.low' ? low : eventMessage(event, data, exchange),
		...(link !== undefined && { link }),
		eventKey: eventKey(event, data, occurrence),
		data,
		...(exchange && { exchange }),
		source: 'poll',
	};
}

function digestOf(items: IDataObject[]): IDataObject {
	const messages = items.map(({ message }) => String(message));
	return { count: items.length, message: digestMessage(messages), events: items, source: 'poll' };
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
