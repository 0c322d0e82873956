import type { IDataObject, IExecuteFunctions, INodeExecutionData, JsonObject } from 'n8n-workflow';
import { deepCopy, ExpressionError, NodeApiError, NodeOperationError } from 'n8n-workflow';

import { Settings } from '../shared/fields/settings';
import { ServiceConnection } from '../shared/service/connection';
import { shorten } from '../shared/text';
import { inOneText, resultOrThrow, withRemedy } from '../shared/words/explanation';
import { harmless } from '../shared/words/message';
import { readRunSettings } from './commonOptions';
import type { ItemHandler, Operation } from './operation';

/**
 * How many credentials are read from n8n's database at once: one for each item, since it may hold expressions, and n8n
 * does not show whether it does.
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
 */
export async function runItems(
	context: IExecuteFunctions,
	operation: Operation,
): Promise<INodeExecutionData[]> {
	const node = context.getNode();
	const { maxParallel, readings } = await readAll(context, operation);
	const outputs = new Array<IDataObject[]>(readings.length);
	const failItem = (itemIndex: number, error: unknown) => {
		if (!mayGoOn(context)) {
			const said = asNodeError(context, error, itemIndex);
			// n8n passes only the message of a tool's error to the language model.
			throw node.type.endsWith('Tool') ? withRemedy(said) : said;
		}
		const described = describeError(error);
		// A failed item has a sentence for Slack or an email, too, so that the failure can be sent on as it is.
		const message = shorten(harmless(inOneText(described)), mostCharacters);
		outputs[itemIndex] = [{ message, error: described }];
	};

	const hints = new Map<string, string>();
	const hint = (key: string, message: string) => void hints.set(key, message);
	const handlers = new Map<ServiceConnection, ItemHandler<unknown>>();
	const toDo = readings.flatMap((reading, itemIndex) => {
		if ('error' in reading) {
			// Where the user lets failed items go on, n8n would pass the input on as if it were our output.
			failItem(itemIndex, reading.error);
			return [];
		}
		const { input, connection } = reading;
		const handler = handlers.get(connection) ?? operation.begin({ context, connection, hint });
		handlers.set(connection, handler);
		return [{ itemIndex, input, handler }];
	});
	const mostAtOnce = operation.oneAtATime ? 1 : maxParallel;
	await inParallel(mostAtOnce, toDo, async ({ itemIndex, input, handler }) => {
		try {
			outputs[itemIndex] = resultOrThrow(node, await handler.handle(input), itemIndex);
		} catch (error) {
			failItem(itemIndex, error);
		}
	});
	// With Retry On Fail, n8n runs a node again whose first item carries an error, and drops what came out.
	const isFinal =
		node.retryOnFail !== true || outputs.flat().every(({ error }) => error === undefined);
	const repeated = new Set<IDataObject>();
	for (const each of handlers.values()) {
		for (const item of (await each.repeated?.(isFinal)) ?? []) repeated.add(item);
	}
	context.addExecutionHints(
		...[...hints.values()].map((message) => ({ message, location: 'outputPane' as const })),
	);
	return outputs.flatMap((output, item) =>
		output
			.filter((json) => !repeated.has(json))
			// Several items may emit the same record: if a later node changes one, the other must stay as it is.
			.map((json) => ({ json: toDo.length > 1 ? deepCopy(json) : json, pairedItem: { item } })),
	);
}

/** Reads what the user has set for every item, and its credential. Sends nothing and throws nothing. */
async function readAll(
	context: IExecuteFunctions,
	operation: Operation,
): Promise<{ maxParallel: number; readings: Reading[] }> {
	/** The settings of the run are those of the first item that can be read. */
	let ofRun: ReturnType<typeof readRunSettings> | undefined;
	let open: ReturnType<typeof ServiceConnection.opener> | undefined;
	const settingsOf = Settings.ofItems(context);
	const indexes = [...context.getInputData().keys()];
	const readings = new Array<Reading>(indexes.length);
	await inParallel(credentialsAtOnce, indexes, async (itemIndex) => {
		try {
			const settings = settingsOf(itemIndex);
			const runSettings = readRunSettings(settings);
			const input = operation.read(settings);
			ofRun ??= runSettings;
			open ??= ServiceConnection.opener(context, ofRun);
			readings[itemIndex] = { input, connection: await open(itemIndex) };
		} catch (error) {
			readings[itemIndex] = { error };
		}
	});
	return { maxParallel: ofRun?.maxParallel ?? 1, readings };
}

/** Works on all entries, at most `most` of them at the same time. After the first that throws, no other is begun. */
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

/** What the node emits for a failed item when it is set to go on: an object, because a bare message loses the code. */
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
		// By this word n8n knows a canceled execution from a failed one.
		return new NodeOperationError(context.getNode(), 'The execution was canceled', { itemIndex });
	}
	// An expression that cannot be evaluated has n8n's own error.
	const clear = [NodeApiError, NodeOperationError, ExpressionError];
	if (clear.some((kind) => error instanceof kind)) return error as Error;
	return new NodeApiError(context.getNode(), error as JsonObject, { itemIndex });
}
