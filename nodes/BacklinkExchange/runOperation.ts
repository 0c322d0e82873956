import type { IDataObject, IExecuteFunctions, INodeExecutionData, JsonObject } from 'n8n-workflow';
import { deepCopy, ExpressionError, NodeApiError, NodeOperationError } from 'n8n-workflow';

import {
	type ErrorResult,
	formatError,
	unwrapOrThrow,
	withDescriptionInMessage,
} from '../shared/errors';
import { harmless } from '../shared/formatting/message';
import { Settings } from '../shared/parameters/parameterReader';
import { ApiClient } from '../shared/transport/apiClient';
import { shorten } from '../shared/utils/text';
import { readRunSettings } from './commonOptions';
import { forEachConcurrent } from './helpers/concurrency';
import type { Emit, ItemHandler, Operation } from './operation.types';

/**
 * How many credentials are read from n8n's database at once. Each item reads its own, because a credential may hold
 * expressions, and n8n does not show whether it does.
 */
const credentialConcurrency = 10;
/** The most characters of the sentence that a failed item carries. */
const maxMessageLength = 500;

/** What was read for an item, or why it could not be. */
type Reading = { input: unknown; connection: ApiClient } | { error: unknown };

/** Work on some input items, by their indexes. */
interface Piece {
	ofItems: number[];
	run(): Promise<IDataObject[] | Emit | ErrorResult>;
}

/** What came of some input items. */
interface Output {
	ofItems: number[];
	json: IDataObject[] | Emit;
	hasFailed?: boolean;
}

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
	const outputs = readings.flatMap((reading, item) =>
		'error' in reading ? [outputOfFailed(context, reading.error, [item])] : [],
	);
	const hints = new Map<string, string>();
	const hint = (key: string, message: string) => void hints.set(key, message);
	const concurrency = operation.oneAtATime ? 1 : maxParallel;
	const work = piecesOf(readings, (connection) => operation.begin({ context, connection, hint }));
	await forEachConcurrent(concurrency, work, async ({ ofItems, run }) => {
		try {
			outputs.push({ ofItems, json: unwrapOrThrow(node, await run(), ofItems[0]) });
		} catch (error) {
			outputs.push(outputOfFailed(context, error, ofItems));
		}
	});

	const isCanceled = context.getExecutionCancelSignal()?.aborted === true;
	const hasFailed = outputs.some((output) => output.hasFailed);
	// With Retry On Fail, n8n may run the node again, and drop what it emits now.
	const isFinal = !isCanceled && !(node.retryOnFail === true && hasFailed);
	// Several items may emit the same record: if a later node changes one, the other must stay as it is.
	const toEmit = work.length > 1 ? deepCopy<IDataObject> : (json: IDataObject) => json;
	const items: INodeExecutionData[] = [];
	for (const { ofItems, json } of outputs.sort(byFirstItem)) {
		const pairs = ofItems.map((item) => ({ item }));
		const pairedItem = pairs.length === 1 ? (pairs[0] as { item: number }) : pairs;
		const emitted = typeof json === 'function' ? await json(isFinal) : json;
		for (const each of emitted) items.push({ json: toEmit(each), pairedItem });
	}
	context.addExecutionHints(
		...[...hints.values()].map((message) => ({ message, location: 'outputPane' as const })),
	);
	return items;
}

/** The work of a run: a piece for each item, or for all items of an account. */
function piecesOf(
	readings: readonly Reading[],
	begin: (connection: ApiClient) => ItemHandler<unknown>,
): Piece[] {
	const ofAccounts = new Map<ApiClient, Array<{ item: number; input: unknown }>>();
	for (const [item, reading] of readings.entries()) {
		if ('error' in reading) continue;
		const { connection, input } = reading;
		const items = ofAccounts.get(connection) ?? [];
		items.push({ item, input });
		ofAccounts.set(connection, items);
	}
	const pieces = [...ofAccounts].flatMap(([connection, items]): Piece[] => {
		const handler = begin(connection);
		if ('handle' in handler) {
			return items.map(({ item, input }) => ({
				ofItems: [item],
				run: async () => await handler.handle(input),
			}));
		}
		const inputs = items.map(({ input }) => input);
		const run = async () => await handler.handleAll(inputs);
		return [{ ofItems: items.map(({ item }) => item), run }];
	});
	return pieces.sort(byFirstItem);
}

function byFirstItem(one: { ofItems: number[] }, other: { ofItems: number[] }): number {
	return (one.ofItems[0] ?? 0) - (other.ofItems[0] ?? 0);
}

/**
 * What is emitted for items that failed. Where the user lets failed items go on, nothing is thrown, because n8n would then
 * pass on the input of all items as if it were our output.
 * @throws the error, where an item that fails ends the run
 */
function outputOfFailed(context: IExecuteFunctions, error: unknown, ofItems: number[]): Output {
	const isCanceled = context.getExecutionCancelSignal()?.aborted === true;
	if (!context.continueOnFail() || isCanceled) {
		const nodeError = toNodeError(context, error, ofItems[0]);
		// n8n passes only the message of a tool's error to the language model.
		throw context.getNode().type.endsWith('Tool') ? withDescriptionInMessage(nodeError) : nodeError;
	}
	const described = serializeError(error);
	// A failed item has a sentence for Slack or an email, too, so that the failure can be sent on as it is.
	const message = shorten(harmless(formatError(described)), maxMessageLength);
	return { ofItems, json: [{ message, error: described }], hasFailed: true };
}

/** Reads what the user has set for every item, and its credential. Sends nothing and throws nothing. */
async function readAll(
	context: IExecuteFunctions,
	operation: Operation,
): Promise<{ maxParallel: number; readings: Reading[] }> {
	/** The run's settings are those of the first item that can be read; those of the others are read to be checked. */
	let settingsOfRun: ReturnType<typeof readRunSettings> | undefined;
	let getClient: ReturnType<typeof ApiClient.createFactory> | undefined;
	const settingsOf = Settings.ofItems(context);
	const indexes = [...context.getInputData().keys()];
	const readings = new Array<Reading>(indexes.length);
	await forEachConcurrent(credentialConcurrency, indexes, async (itemIndex) => {
		try {
			const settings = settingsOf(itemIndex);
			const runSettings = readRunSettings(settings);
			const input = operation.read(settings);
			settingsOfRun ??= runSettings;
			getClient ??= ApiClient.createFactory(context, settingsOfRun);
			readings[itemIndex] = { input, connection: await getClient(itemIndex) };
		} catch (error) {
			readings[itemIndex] = { error };
		}
	});
	return { maxParallel: settingsOfRun?.maxParallel ?? 1, readings };
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
