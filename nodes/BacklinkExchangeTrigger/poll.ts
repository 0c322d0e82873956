import type { IDataObject, INodeExecutionData, IPollFunctions } from 'n8n-workflow';

import { stateOf } from '../shared/api/exchangeStatus';
import { passesFilters } from '../shared/descriptions/eventFilters';
import { offerTimes } from '../shared/descriptions/events';
import {
	type ErrorResult,
	toNodeApiError,
	toNodeOperationError,
	unwrapOrThrow,
	withPublishHint,
} from '../shared/errors';
import { log } from '../shared/logger';
import { firstTime, monotonicNow } from '../shared/utils/time';
import { compare, isSameAccount, nothingSeen } from './diff';
import { maxTrackedAlerts } from './diffAlerts';
import { maxTrackedExchanges } from './diffExchanges';
import { endTrouble, tellTrouble } from './failureReporting';
import { digestOf, exchangeOf, nothingYet, toItem } from './items';
import { type PollingSettings, readSettings } from './parameters';
import {
	executionsFor,
	giveUp,
	roomFor,
	saveFailures,
	sortByTime,
	startExecutions,
} from './pendingExecutions';
import { readAccount } from './snapshot';
import { type Account, type Change, type Seen, type State } from './trigger.types';
import { readState, triggerInProcess, writeState } from './triggerState';

/** Milliseconds that n8n allows for a poll that its scheduler does not run. */
const defaultPollBudgetMs = 300_000;

/** Why n8n polls. */
type Occasion = 'start of n8n' | 'publication' | 'poll time';

/** Why a poll has not found out what happened. */
interface Trouble {
	error: Error;
	/** Whether a person who publishes has to see it: a setting, or a credential with which the account was never read. */
	isToFix: boolean;
	/** Whether the limit is reached and resets at a moment that is known: until then nobody can do anything about it. */
	isLimit: boolean;
}

/**
 * Reads the account and starts the workflow with what has happened since the last poll; the first poll of an account starts
 * nothing.
 * @throws NodeApiError or NodeOperationError when the account cannot be read, which the next poll tries again: when that
 * begins and once an hour. Never when n8n starts, and at a publication only if a person has to fix something: n8n would never
 * poll again.
 */
export async function poll(context: IPollFunctions): Promise<INodeExecutionData[][] | null> {
	if (context.getMode() === 'manual') return [[{ json: await testItem(context) }]];
	const occasion = occasionOf(context);
	const trouble = await pollAccount(context, occasion).catch((error: Error): Trouble => ({
		error,
		isToFix: true,
		isLimit: false,
	}));
	if (trouble === undefined) endTrouble(context);
	else if (occasion === 'publication' && trouble.isToFix) throw withPublishHint(trouble.error);
	else tellTrouble(context, trouble.error, occasion === 'poll time' && !trouble.isLimit);
	return null;
}

/** @throws NodeOperationError when a setting or the credential cannot be used, or the account has too much in it */
async function pollAccount(
	context: IPollFunctions,
	occasion: Occasion,
): Promise<Trouble | undefined> {
	const settings = readSettings(context);
	refuseAlwaysOutputData(context, settings);
	const trigger = triggerInProcess(context);
	const account = await readAccount(context, settings, readState(context), trigger.newsSince);
	// Never the same answer twice.
	trigger.newsSince = monotonicNow() + 1;
	// From here on nothing waits, so polls that overlap cannot come between each other.
	let state = readState(context);
	const trouble = account.trouble && troubleOf(context, account, state);
	if (occasion === 'publication' && trouble?.isToFix) return trouble;
	if (trouble === undefined) {
		refuseTooMuch(context, account);
		const before = knownOf(context, account, state, settings);
		const { selected, seen } = findSelected(account, before, settings);
		// What is too much for one poll, the next one finds again: n8n saves all of the state with each execution.
		const found = new Set(
			selected.slice(0, roomFor(state.pendingExecutions, settings)).map(({ data }) => data),
		);
		const left = new Set(selected.map(({ data }) => data).filter((data) => !found.has(data)));
		const items = selected
			.filter(({ data }) => found.has(data))
			.map((change) => toItem(change, account, settings));
		const shown =
			left.size === 0 ? { seen } : findSelected(without(account, left), before, settings);
		state = {
			...shown.seen,
			pendingExecutions: [...state.pendingExecutions, ...executionsFor(items, settings)],
		};
	}
	// What failed before, or waits for its head start, does not depend on the service.
	const { due, pendingExecutions, givenUp } = sortByTime(state.pendingExecutions, settings);
	writeState(context, { ...state, pendingExecutions });
	for (const execution of givenUp) giveUp(context, execution);
	startExecutions(context, due, settings);
	saveFailures(context);
	return trouble;
}

/** What "Fetch Test Event" shows: the newest selected event in the account, or what would make one. */
async function testItem(context: IPollFunctions): Promise<IDataObject> {
	const settings = readSettings(context);
	const account = await readAccount(context, settings);
	unwrapOrThrow(context.getNode(), account.trouble);
	const { selected } = findSelected(account, nothingSeen, settings);
	// Somebody tries out what accepts offers: one that is not pending any more cannot be accepted.
	const isOpen = ({ event, data }: Change) =>
		event !== 'exchange.requested' || stateOf(data) === 'pending';
	const shown = selected.some(isOpen) ? selected.filter(isOpen) : selected;
	const timeOf = ({ time, data }: Change) => time || (firstTime(data, offerTimes) ?? 0);
	const newest = shown.sort((one, other) => timeOf(one) - timeOf(other)).at(-1);
	if (newest === undefined) return nothingYet(account, settings);
	const items = [toItem(newest, account, settings)];
	const [item] = settings.isDigest ? digestOf(items) : items;
	return { ...item, attempt: 1 };
}

function occasionOf(context: IPollFunctions): Occasion {
	// A poll that n8n's scheduler runs has a context and a budget of its own; older versions of n8n do not say the budget.
	const getBudget = context.getPollBudgetMs as (() => number) | undefined;
	const budget = getBudget?.call(context) ?? defaultPollBudgetMs;
	const { contexts } = triggerInProcess(context);
	const isActivation = !contexts.has(context) && budget === defaultPollBudgetMs;
	contexts.add(context);
	if (!isActivation) return 'poll time';
	const isStart = ['init', 'leadershipChange'].includes(context.getActivationMode());
	return isStart ? 'start of n8n' : 'publication';
}

function troubleOf(context: IPollFunctions, account: Account, seen: Seen): Trouble {
	const error = account.trouble as ErrorResult;
	const { failure } = error;
	const isLimit = failure?.cause === 'rate-limited' || failure?.cause === 'quota-exhausted';
	const passes = isLimit || failure?.cause === 'temporarily-unavailable';
	return {
		error: toNodeApiError(context.getNode(), error),
		isToFix: !passes && (account.name !== seen.account || account.key !== seen.key),
		isLimit: isLimit && failure.resetsAtEpochMs !== undefined,
	};
}

/** What was seen of this account before. Where it was another one, only whether the credits were low counts. */
function knownOf(
	context: IPollFunctions,
	account: Account,
	seen: State,
	{ emitExisting }: PollingSettings,
): Seen {
	const isSame = isSameAccount(account, seen);
	if (!isSame && seen.account !== undefined) {
		log(
			context,
			'Trigger: with this credential it does not recognize the account. It goes on from what is there now; what happened between the last poll and this one was not compared',
		);
	}
	const known = isSame ? seen : { credits: seen.credits };
	return emitExisting ? { ...nothingSeen, ...known } : known;
}

/** What has happened that the user wants to know of, and what has been seen. */
function findSelected(account: Account, before: Seen, settings: PollingSettings) {
	const { events, filters, creditsLowBelow } = settings;
	const { changes, seen } = compare(account, before, creditsLowBelow);
	const selected = changes.filter((change) => {
		const { event, data } = change;
		const exchange = exchangeOf(change, account);
		return events.includes(event) && passesFilters(event, data, filters, exchange);
	});
	return { selected, seen };
}

/** The account as if the service had not shown these records yet. */
function without(account: Account, left: ReadonlySet<IDataObject>): Account {
	const { exchanges, alerts, credits } = account;
	return {
		...account,
		exchanges: exchanges && new Map([...exchanges].filter(([, record]) => !left.has(record))),
		alerts: alerts?.filter((alert) => !left.has(alert)),
		credits: credits && !left.has(credits) ? credits : undefined,
	};
}

function refuseTooMuch(context: IPollFunctions, { exchanges, alerts }: Account): void {
	const refuse = (what: string, max: number): never => {
		throw toNodeOperationError(context.getNode(), {
			message: `The account has too many ${what} to watch`,
			description: `This trigger can keep track of up to ${max.toLocaleString('en')}. Use the webhook trigger for this account, or select only the other events.`,
		});
	};
	if ((exchanges?.size ?? 0) > maxTrackedExchanges) refuse('exchanges', maxTrackedExchanges);
	if ((alerts?.length ?? 0) > maxTrackedAlerts) refuse('alerts', maxTrackedAlerts);
}

function refuseAlwaysOutputData(context: IPollFunctions, { tryAgain }: PollingSettings): void {
	if (!tryAgain || context.getNode().alwaysOutputData !== true) return;
	throw toNodeOperationError(context.getNode(), {
		message: 'Always Output Data has to be off for this node',
		description:
			'When the trigger saves what is to be tried again, n8n would run the workflow with an empty item. Turn it off in the settings of the node.',
	});
}
