import type {
	IDataObject,
	IExecuteFunctions,
	INode,
	INodeExecutionData,
	JsonObject,
} from 'n8n-workflow';
import { deepCopy, ExpressionError, NodeApiError, NodeOperationError } from 'n8n-workflow';

import { Settings } from '../shared/fields/settings';
import { ServiceConnection } from '../shared/service/connection';
import { shorten } from '../shared/text';
import { inOneText, resultOrThrow, withRemedy } from '../shared/words/explanation';
import { harmless } from '../shared/words/message';
import { readRunSettings } from './commonOptions';
import type { ItemHandler, Operation } from './operation';

/**
 * How many credentials are read from n8n's database at once. Each item reads its own, because a credential may hold
 * expressions, and n8n does not show whether it does.
 */
const credentialsAtOnce = 10;
/** The most characters of the sentence that a failed item carries. */
const mostCharacters = 500;

/** What was read for an item, or why it could not be. */
type Reading = { input: unknown; connection: ServiceConnection } | { error: unknown };

/**
 * Runs an operation for every input item: all settings and credentials are read before the first request; then several at
 * a time, results in the order and with the pairing of the input. Each account has a connection and a handler of its own,
 * so an operation cannot use the key of another item.
 * @throws the error of an item that fails, where such an item ends the run; if it cannot be read, before the first request
 */
export async function runItems(
	context: IExecuteFunctions,
	operation: Operation,
): Promise<INodeExecutionData[]> {
	const node = context.getNode();
	const { maxParallel, readings } = await readAll(context, operation);
	// An item that cannot be read and ends the run does so here, where nothing was sent yet.
	const outputs = readings.map((reading, itemIndex) =>
		'error' in reading ? outputOfFailed(context, reading.error, itemIndex) : [],
	);

	const hints = new Map<string, string>();
	const hint = (key: string, message: string) => void hints.set(key, message);
	const handlers = new Map<ServiceConnection, ItemHandler<unknown>>();
	const handlerOf = (connection: ServiceConnection) => {
		const handler = handlers.get(connection) ?? operation.begin({ context, connection, hint });
		handlers.set(connection, handler);
		return handler;
	};
	const work = readings.flatMap((reading, itemIndex) =>
		'error' in reading
			? []
			: [{ itemIndex, input: reading.input, handler: handlerOf(reading.connection) }],
	);
	const mostAtOnce = operation.oneAtATime ? 1 : maxParallel;
	await inParallel(mostAtOnce, work, async ({ itemIndex, input, handler }) => {
		try {
			outputs[itemIndex] = resultOrThrow(node, await handler.handle(input), itemIndex);
		} catch (error) {
			outputs[itemIndex] = outputOfFailed(context, error, itemIndex);
		}
	});

	const isFinal = !mayRunAgain(node, outputs.flat());
	const repeated = new Set<IDataObject>();
	for (const handler of handlers.values()) {
		for (const item of (await handler.repeated?.(isFinal)) ?? []) repeated.add(item);
	}
	if (context.getExecutionCancelSignal()?.aborted) {
		for (const handler of handlers.values()) await handler.notEmitted?.();
	}
	context.addExecutionHints(
		...[...hints.values()].map((message) => ({ message, location: 'outputPane' as const })),
	);
	// Several items may emit the same record: if a later node changes one, the other must stay as it is.
	const toEmit = work.length > 1 ? deepCopy<IDataObject> : (json: IDataObject) => json;
	return outputs.flatMap((output, item) =>
		output
			.filter((json) => !repeated.has(json))
			.map((json) => ({ json: toEmit(json), pairedItem: { item } })),
	);
}

/**
 * What is emitted for an item that failed. Where the user lets failed items go on, nothing is thrown, because n8n would then
 * pass on the input of all items as if it were our output.
 * @throws the error, where an item that fails ends the run
 */
function outputOfFailed(
	context: IExecuteFunctions,
	error: unknown,
	itemIndex: number,
): IDataObject[] {
	if (!mayGoOn(context)) {
		const said = asNodeError(context, error, itemIndex);
		// n8n passes only the message of a tool's error to the language model.
		throw context.getNode().type.endsWith('Tool') ? withRemedy(said) : said;
	}
	const described = describeError(error);
	// A failed item has a sentence for Slack or an email, too, so that the failure can be sent on as it is.
	const message = shorten(harmless(inOneText(described)), mostCharacters);
	return [{ message, error: described }];
}

/**
 * Whether n8n may run the node again and drop what it emits now: with Retry On Fail it does if the first emitted item carries
 * an error. Which item is the first is open until the repeated ones are left out, so an error of any item counts.
 */
function mayRunAgain({ retryOnFail }: INode, items: IDataObject[]): boolean {
	return retryOnFail === true && items.some(({ error }) => error !== undefined);
}

/** Reads what the user has set for every item, and its credential. Sends nothing and throws nothing. */
async function readAll(
	context: IExecuteFunctions,
	operation: Operation,
): Promise<{ maxParallel: number; readings: Reading[] }> {
	/** The run's settings are those of the first item that can be read; those of the others are read to be checked. */
	let settingsOfRun: ReturnType<typeof readRunSettings> | undefined;
	let open: ReturnType<typeof ServiceConnection.opener> | undefined;
	const settingsOf = Settings.ofItems(context);
	const indexes = [...context.getInputData().keys()];
	const readings = new Array<Reading>(indexes.length);
	await inParallel(credentialsAtOnce, indexes, async (itemIndex) => {
		try {
			const settings = settingsOf(itemIndex);
			const runSettings = readRunSettings(settings);
			const input = operation.read(settings);
			settingsOfRun ??= runSettings;
			open ??= ServiceConnection.opener(context, settingsOfRun);
			readings[itemIndex] = { input, connection: await open(itemIndex) };
		} catch (error) {
			readings[itemIndex] = { error };
		}
	});
	return { maxParallel: settingsOfRun?.maxParallel ?? 1, readings };
}

/**
 * Works on all entries, at most `most` of them at the same time. After the first that throws, no other is begun.
 * @throws what the work on an entry threw, once all work that was under way has ended
 */
async function inParallel<Entry>(
	most: number,
	entries: Entry[],
	work: (entry: Entry) => Promise<void>,
): Promise<void> {
	let next = 0;
	let hasFailed = false;
	const workThrough = async () => {
		while (next < entries.length && !hasFailed) {
			await work(entries[next++] as Entry).catch((error: unknown) => {
				hasFailed = true;
				throw error;
			});
		}
	};
	const workers = await Promise.allSettled(
		Array.from({ length: Math.min(most, entries.length) }, workThrough),
	);
	const rejected = workers.find((worker) => worker.status === 'rejected');
	if (rejected) throw rejected.reason as Error;
}

/** Whether an item that fails leaves the others going. */
function mayGoOn(context: IExecuteFunctions): boolean {
	return context.continueOnFail() && context.getExecutionCancelSignal()?.aborted !== true;
}

/** An error as data, for an item that is emitted: an object, because a bare message would lose the code. */
function describeError(error: unknown): IDataObject {
	if (!(error instanceof NodeApiError) && !(error instanceof NodeOperationError)) {
		return { message: error instanceof Error ? error.message : String(error) };
	}
	const { message, description, context } = error;
	const httpCode = error instanceof NodeApiError ? error.httpCode : null;
	return {
		message,
		...(description && { description }),
		...(typeof context.code === 'string' && { code: context.code }),
		...(httpCode !== null && { httpCode }),
	};
}

function asNodeError(context: IExecuteFunctions, error: unknown, itemIndex: number): Error {
	if (context.getExecutionCancelSignal()?.aborted) {
		// By the word "canceled", n8n tells a canceled execution from a failed one.
		return new NodeOperationError(context.getNode(), 'The execution was canceled', { itemIndex });
	}
	// These errors are ready to be shown; ExpressionError is n8n's own for an expression that cannot be evaluated.
	const readyToShow = [NodeApiError, NodeOperationError, ExpressionError];
	if (readyToShow.some((kind) => error instanceof kind)) return error as Error;
	return new NodeApiError(context.getNode(), error as JsonObject, { itemIndex });
}
