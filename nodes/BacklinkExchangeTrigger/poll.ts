import type { INodeExecutionData, IPollFunctions } from 'n8n-workflow';

import { apiError, operationError, withRemedyToPublish } from '../shared/words/explanation';
import { isOfCredential } from './account';
import { findEvents, newestEvent } from './findEvents';
import { redeliver, takeDue } from './redelivery';
import { type PollingSettings, readSettings } from './settings';
import { mayEmit, Store } from './store';
import { triggerInProcess } from './triggerInProcess';
import { noteSuccess, noteTrouble } from './trouble';

/** Milliseconds that n8n allows for a poll that its scheduler does not run, and for any poll where it does not say. */
const usualBudget = 300_000;

/** Why n8n polls. */
type Occasion = 'start of n8n' | 'publication' | 'poll time';

/** Why a poll has not found out what happened. */
interface Trouble {
	error: Error;
	/** Whether the service says when its limit resets: until then nobody can do anything about it. */
	isLimit: boolean;
	/**
	 * Whether this poll is a publication that may be the reason: a person then sees what has to be fixed. What passes, or comes up
	 * where the trigger has read the account with the same key before, is not that person's to fix.
	 */
	refusesPublication: boolean;
}

/**
 * Reads the account and starts the workflow with what happened since the last poll; the first poll of an account starts
 * nothing.
 * @throws NodeApiError when the account cannot be read; the next poll then compares with the same state as this one. While
 * that lasts, n8n's log says so most of the time (`noteTrouble`). Never when n8n starts, and at a publication only if that may
 * be the reason: n8n would never poll again.
 */
export async function poll(context: IPollFunctions): Promise<INodeExecutionData[][] | null> {
	if (context.getMode() === 'manual') {
		return [[{ json: await newestEvent(context, usualBudget) }]];
	}
	const begunAt = performance.now();
	const occasion = occasionOf(context);
	const { output, trouble } = await pollAccount(context, occasion).catch((error: Error) => ({
		output: null,
		trouble: { error, isLimit: false, refusesPublication: occasion === 'publication' },
	}));
	if (trouble === undefined) {
		noteSuccess(context, begunAt);
		return output;
	}
	if (trouble.refusesPublication) throw withRemedyToPublish(trouble.error);
	const mayTell = occasion === 'poll time' && !trouble.isLimit;
	if (noteTrouble(context, trouble.error, mayTell)) throw trouble.error;
	return output;
}

function occasionOf(context: IPollFunctions): Occasion {
	// A poll that n8n's scheduler runs has a budget of its own.
	const { contexts } = triggerInProcess(context);
	const isActivation = !contexts.has(context) && budgetOf(context) === usualBudget;
	contexts.add(context);
	if (!isActivation) return 'poll time';
	const isStart = ['init', 'leadershipChange'].includes(context.getActivationMode());
	return isStart ? 'start of n8n' : 'publication';
}

function budgetOf(context: IPollFunctions): number {
	// Older versions of n8n do not say.
	return (context.getPollBudgetMs as (() => number) | undefined)?.call(context) ?? usualBudget;
}

/**
 * Finds events, starts executions for what is due, and saves what no execution saves.
 * @returns what is left for the poll to return
 * @throws NodeOperationError when a setting cannot be read or this n8n cannot redeliver
 */
async function pollAccount(
	context: IPollFunctions,
	occasion: Occasion,
): Promise<{ output: INodeExecutionData[][] | null; trouble?: Trouble }> {
	const settings = readSettings(context);
	refuseWhatCannotBe(context, settings);
	const store = new Store(context);
	const trouble = await findTrouble(store, settings, occasion);
	// Redelivery goes on during trouble: what was found before does not depend on the service.
	if (trouble !== undefined && (trouble.refusesPublication || !settings.redeliver)) {
		return { output: null, trouble };
	}
	let output: INodeExecutionData[][] | null = null;
	if (settings.redeliver) redeliver(store, settings.headStart);
	else output = startOnce(store, settings);
	if (occasion !== 'poll time') store.leaveToN8n();
	output ??= await store.save();
	return { output, trouble };
}

/** Starts one execution for all events that are due; they leave the ledger, however it ends. */
function startOnce(store: Store, { headStart }: PollingSettings): INodeExecutionData[][] | null {
	const due = takeDue(store, headStart);
	if (due.length === 0) return null;
	return store.emit(due.map(({ item, attempts }) => ({ ...item, attempt: attempts + 1 })));
}

async function findTrouble(
	store: Store,
	settings: PollingSettings,
	occasion: Occasion,
): Promise<Trouble | undefined> {
	const { context } = store;
	const { seen } = store.readSeen();
	const refusesPublication = async () =>
		occasion === 'publication' && !(await isOfCredential(seen, context).catch(() => false));
	try {
		const why = await findEvents(store, settings, budgetOf(context));
		if (why === undefined) return undefined;
		const { failure } = why;
		const isLimit = failure?.cause === 'rate-limited' || failure?.cause === 'quota-exhausted';
		const passes = isLimit || failure?.cause === 'temporarily-unavailable';
		return {
			error: apiError(context.getNode(), why),
			isLimit: isLimit && failure.resetsAtEpochMs !== undefined,
			refusesPublication: !passes && (await refusesPublication()),
		};
	} catch (error) {
		return {
			error: error as Error,
			isLimit: false,
			refusesPublication: await refusesPublication(),
		};
	}
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
