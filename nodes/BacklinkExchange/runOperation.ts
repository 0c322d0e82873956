import type { IDataObject, IExecuteFunctions, INodeExecutionData, JsonObject } from 'n8n-workflow';
import { deepCopy, ExpressionError, NodeApiError, NodeOperationError } from 'n8n-workflow';

import {
	formatError,
	ServiceError,
	toNodeApiError,
	withDescriptionInMessage,
} from '../shared/errors';
import { sanitize } from '../shared/formatting/message';
import { ParameterReader } from '../shared/parameters/parameterReader';
import { ApiClient } from '../shared/transport/apiClient';
import { getRunOptions } from './commonOptions';
import { forEachConcurrent } from './helpers/concurrency';
import type { DeferredOutput, ItemHandler, Operation } from './operation.types';

/**
 * Concurrent reads of credentials from n8n's database. Each item reads its own, because a
 * credential may contain expressions, and n8n doesn't show whether it does.
 */
const credentialConcurrency = 10;
/**
 * Items that run at the same time: the requests per minute of the largest plan (service-api.md,
 * "Limits"). The rate limiter delays the others.
 */
const maxConcurrency = 240;
const maxMessageLength = 500;

const invalidItemHint =
	"Nothing was done, because an input item isn't valid. The operation uses all input items together.";

/** The parameters and client of an item, or the error that reading them threw. */
type PreparedItem = { input: unknown; client: ApiClient } | { error: unknown };

interface Task {
	itemIndexes: number[];
	run(): Promise<IDataObject[] | DeferredOutput>;
}

interface TaskOutput {
	itemIndexes: number[];
	json: IDataObject[] | DeferredOutput;
	hasFailed?: boolean;
}

/**
 * Runs an operation for all input items.
 *
 * Parameters and credentials of all items are read before the first request. Items then run
 * concurrently; results keep the order and pairing of the input. Each account has its own client
 * and handler, so no item can use another item's key.
 *
 * @throws {NodeApiError|NodeOperationError|ExpressionError} the first error, unless failed items
 * continue; for invalid parameters or credentials, before the first request
 */
export async function runOperation(
	context: IExecuteFunctions,
	operation: Operation,
): Promise<INodeExecutionData[]> {
	const node = context.getNode();
	const preparedItems = await prepareItems(context, operation);
	// Throws here, before the first request, if an invalid item has to end the run.
	const outputs = preparedItems.flatMap((preparedItem, item) =>
		'error' in preparedItem ? [toFailedOutput(context, preparedItem.error, [item])] : [],
	);
	const hints: Array<Map<string, string>> = [];
	const createHandler = (client: ApiClient) => {
		const accountHints = new Map<string, string>();
		hints.push(accountHints);
		const hint = (key: string, message: string) => void accountHints.set(key, message);
		return operation.createHandler({ context, client, hint });
	};
	const concurrency = operation.sequential ? 1 : maxConcurrency;
	const isInvalid = operation.combinesItems === true && outputs.length > 0;
	const tasks = isInvalid ? [] : createTasks(preparedItems, createHandler);
	await forEachConcurrent(concurrency, tasks, async ({ itemIndexes, run }) => {
		try {
			outputs.push({ itemIndexes, json: await run() });
		} catch (error) {
			const isServiceError = error instanceof ServiceError;
			const nodeError = isServiceError ? toNodeApiError(node, error, itemIndexes[0]) : error;
			outputs.push(toFailedOutput(context, nodeError, itemIndexes));
		}
	});

	const isCanceled = context.getExecutionCancelSignal()?.aborted === true;
	const hasFailed = outputs.some((output) => output.hasFailed);
	// With Retry On Fail, n8n may run the node again and discard this output.
	const isLastTry = !isCanceled && !(node.retryOnFail === true && hasFailed);
	// Several items may return the same record: a later node that changes one must not change the
	// other.
	const copyRecord = tasks.length > 1 ? deepCopy<IDataObject> : (json: IDataObject) => json;
	const items: INodeExecutionData[] = [];
	for (const { itemIndexes, json } of outputs.sort(compareFirstItem)) {
		const pairs = itemIndexes.map((item) => ({ item }));
		const pairedItem = pairs.length === 1 ? (pairs[0] as { item: number }) : pairs;
		const records = typeof json === 'function' ? await json(isLastTry) : json;
		for (const record of records) items.push({ json: copyRecord(record), pairedItem });
	}
	const messages = new Set(hints.flatMap((accountHints) => [...accountHints.values()]));
	if (isInvalid) messages.add(invalidItemHint);
	context.addExecutionHints(
		...[...messages].map((message) => ({ message, location: 'outputPane' as const })),
	);
	return items;
}

/** Creates a task per item, or per account if the handler executes all items together. */
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
 * Builds the output of failed items.
 *
 * If failed items continue, this never throws: n8n would return the input of all items as if it
 * were the output.
 *
 * @throws {Error} if failed items end the run
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
	// `message` makes failed items ready for Slack or email, like all others.
	const text = sanitize(formatError(serialized), maxMessageLength);
	const message = /^[\p{L}\p{N}]/u.test(text) ? text : `Failed: ${text}`;
	return { itemIndexes, json: [{ message, error: serialized }], hasFailed: true };
}

/**
 * Reads the parameters and the credential of every item. Sends no request, and returns errors
 * instead of throwing them.
 */
async function prepareItems(
	context: IExecuteFunctions,
	operation: Operation,
): Promise<PreparedItem[]> {
	/** Options of the first valid item apply to the run. Those of other items are only validated. */
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
	return preparedItems;
}

/** Converts an error to data for an item. An object, because a string would lose the code. */
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
		// n8n recognizes a canceled execution by the word "canceled".
		return new NodeOperationError(context.getNode(), 'The execution was canceled', { itemIndex });
	}
	// These already have user-facing messages. n8n throws ExpressionError if it can't evaluate an
	// expression.
	const userFacingErrorTypes = [NodeApiError, NodeOperationError, ExpressionError];
	if (userFacingErrorTypes.some((kind) => error instanceof kind)) return error as Error;
	return new NodeApiError(context.getNode(), error as JsonObject, { itemIndex });
}
