import type { IDataObject, IExecuteFunctions, INodeExecutionData, JsonObject } from 'n8n-workflow';
import { deepCopy, ExpressionError, NodeApiError, NodeOperationError } from 'n8n-workflow';

import {
	type ErrorResult,
	formatError,
	unwrapOrThrow,
	withDescriptionInMessage,
} from '../shared/errors';
import { escapeMarkup } from '../shared/formatting/message';
import { ParameterReader } from '../shared/parameters/parameterReader';
import { ApiClient } from '../shared/transport/apiClient';
import { truncate } from '../shared/utils/text';
import { getRunOptions } from './commonOptions';
import { forEachConcurrent } from './helpers/concurrency';
import type { DeferredOutput, ItemHandler, Operation } from './operation.types';

/**
 * How many credentials are read from n8n's database at once. Each item reads its own, because a credential may hold
 * expressions, and n8n does not show whether it does.
 */
const credentialConcurrency = 10;
/** The most characters of the sentence that a failed item carries. */
const maxMessageLength = 500;

/** What was read for an item, or why it could not be. */
type PreparedItem = { input: unknown; client: ApiClient } | { error: unknown };

/** Work on some input items, by their indexes. */
interface Task {
	itemIndexes: number[];
	run(): Promise<IDataObject[] | DeferredOutput | ErrorResult>;
}

/** What came of some input items. */
interface TaskOutput {
	itemIndexes: number[];
	json: IDataObject[] | DeferredOutput;
	hasFailed?: boolean;
}

/**
 * Runs an operation for every input item: all settings and credentials are read before the first request; then several at
 * a time, results in the order and with the pairing of the input. Each account has a connection and a handler of its own,
 * so an operation cannot use the key of another item.
 * @throws the error of an item that fails, where such an item ends the run; if it cannot be read, before the first request
 */
export async function runOperation(
	context: IExecuteFunctions,
	operation: Operation,
): Promise<INodeExecutionData[]> {
	const node = context.getNode();
	const { maxParallel, preparedItems } = await prepareItems(context, operation);
	// An item that cannot be read and ends the run does so here, where nothing was sent yet.
	const outputs = preparedItems.flatMap((preparedItem, item) =>
		'error' in preparedItem ? [toFailedOutput(context, preparedItem.error, [item])] : [],
	);
	const hints = new Map<string, string>();
	const hint = (key: string, message: string) => void hints.set(key, message);
	const concurrency = operation.sequential ? 1 : maxParallel;
	const tasks = createTasks(preparedItems, (client) =>
		operation.createHandler({ context, client, hint }),
	);
	await forEachConcurrent(concurrency, tasks, async ({ itemIndexes, run }) => {
		try {
			outputs.push({ itemIndexes, json: unwrapOrThrow(node, await run(), itemIndexes[0]) });
		} catch (error) {
			outputs.push(toFailedOutput(context, error, itemIndexes));
		}
	});

	const isCanceled = context.getExecutionCancelSignal()?.aborted === true;
	const hasFailed = outputs.some((output) => output.hasFailed);
	// With Retry On Fail, n8n may run the node again, and drop what it emits now.
	const isLastTry = !isCanceled && !(node.retryOnFail === true && hasFailed);
	// Several items may emit the same record: if a later node changes one, the other must stay as it is.
	const copyRecord = tasks.length > 1 ? deepCopy<IDataObject> : (json: IDataObject) => json;
	const items: INodeExecutionData[] = [];
	for (const { itemIndexes, json } of outputs.sort(compareFirstItem)) {
		const pairs = itemIndexes.map((item) => ({ item }));
		const pairedItem = pairs.length === 1 ? (pairs[0] as { item: number }) : pairs;
		const records = typeof json === 'function' ? await json(isLastTry) : json;
		for (const record of records) items.push({ json: copyRecord(record), pairedItem });
	}
	context.addExecutionHints(
		...[...hints.values()].map((message) => ({ message, location: 'outputPane' as const })),
	);
	return items;
}

/** The work of a run: a piece for each item, or for all items of an account. */
function createTasks(
	preparedItems: readonly PreparedItem[],
	createHandler: (client: ApiClient) => ItemHandler<unknown>,
): Task[] {
	const itemsByClient = new Map<ApiClient, Array<{ item: number; input: unknown }>>();
	for (const [item, preparedItem] of preparedItems.entries()) {
		if ('error' in preparedItem) continue;
		const { client, input } = preparedItem;
		const items = itemsByClient.get(client) ?? [];
		items.push({ item, input });
		itemsByClient.set(client, items);
	}
	const tasks = [...itemsByClient].flatMap(([client, items]): Task[] => {
		const handler = createHandler(client);
		if ('executeItem' in handler) {
			return items.map(({ item, input }) => ({
				itemIndexes: [item],
				run: async () => await handler.executeItem(input),
			}));
		}
		const inputs = items.map(({ input }) => input);
		const run = async () => await handler.executeItems(inputs);
		return [{ itemIndexes: items.map(({ item }) => item), run }];
	});
	return tasks.sort(compareFirstItem);
}

function compareFirstItem(
	one: { itemIndexes: number[] },
	other: { itemIndexes: number[] },
): number {
	return (one.itemIndexes[0] ?? 0) - (other.itemIndexes[0] ?? 0);
}

/**
 * What is emitted for items that failed. Where the user lets failed items go on, nothing is thrown, because n8n would then
 * pass on the input of all items as if it were our output.
 * @throws the error, where an item that fails ends the run
 */
function toFailedOutput(
	context: IExecuteFunctions,
	error: unknown,
	itemIndexes: number[],
): TaskOutput {
	const isCanceled = context.getExecutionCancelSignal()?.aborted === true;
	if (!context.continueOnFail() || isCanceled) {
		const nodeError = toNodeError(context, error, itemIndexes[0]);
		// n8n passes only the message of a tool's error to the language model.
		throw context.getNode().type.endsWith('Tool') ? withDescriptionInMessage(nodeError) : nodeError;
	}
	const serialized = serializeError(error);
	// A failed item has a sentence for Slack or an email, too, so that the failure can be sent on as it is.
	const message = truncate(escapeMarkup(formatError(serialized)), maxMessageLength);
	return { itemIndexes, json: [{ message, error: serialized }], hasFailed: true };
}

/** Reads what the user has set for every item, and its credential. Sends nothing and throws nothing. */
async function prepareItems(
	context: IExecuteFunctions,
	operation: Operation,
): Promise<{ maxParallel: number; preparedItems: PreparedItem[] }> {
	/** The run's settings are those of the first item that can be read; those of the others are read to be checked. */
	let runOptions: ReturnType<typeof getRunOptions> | undefined;
	let getClient: ReturnType<typeof ApiClient.createFactory> | undefined;
	const getParameters = ParameterReader.forItems(context);
	const indexes = [...context.getInputData().keys()];
	const preparedItems = new Array<PreparedItem>(indexes.length);
	await forEachConcurrent(credentialConcurrency, indexes, async (itemIndex) => {
		try {
			const parameters = getParameters(itemIndex);
			const itemRunOptions = getRunOptions(parameters);
			const input = operation.getParameters(parameters);
			runOptions ??= itemRunOptions;
			getClient ??= ApiClient.createFactory(context, runOptions);
			preparedItems[itemIndex] = { input, client: await getClient(itemIndex) };
		} catch (error) {
			preparedItems[itemIndex] = { error };
		}
	});
	return { maxParallel: runOptions?.maxParallel ?? 1, preparedItems };
}

/** An error as data, for an item that is emitted: an object, because a bare message would lose the code. */
function serializeError(error: unknown): IDataObject {
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

function toNodeError(context: IExecuteFunctions, error: unknown, itemIndex?: number): Error {
	if (context.getExecutionCancelSignal()?.aborted) {
		// By the word "canceled", n8n tells a canceled execution from a failed one.
		return new NodeOperationError(context.getNode(), 'The execution was canceled', { itemIndex });
	}
	// These errors are ready to be shown; ExpressionError is n8n's own for an expression that cannot be evaluated.
	const userFacingErrorTypes = [NodeApiError, NodeOperationError, ExpressionError];
	if (userFacingErrorTypes.some((kind) => error instanceof kind)) return error as Error;
	return new NodeApiError(context.getNode(), error as JsonObject, { itemIndex });
}
