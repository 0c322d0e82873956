import type { IDataObject, IExecuteFunctions, INodeExecutionData, JsonObject } from 'n8n-workflow';
import { NodeApiError, NodeOperationError, sleep } from 'n8n-workflow';

import { ServiceConnection } from '../shared/connection';
import type { RunSettings } from './commonOptions';
import type { Operation, Run } from './operation';

/**
 * So many items are begun in one turn of the event loop. Requests leave only between the turns, so preparing a hundred
 * in one would hold all of them up.
 */
const startedAtOnce = 5;

/** Runs an operation for every input item: bounded in parallel, results in the order and with the pairing of the input. */
export async function runItems(
	context: IExecuteFunctions,
	operation: Operation,
	settings: RunSettings,
): Promise<INodeExecutionData[]> {
	const hints = new Map<string, string>();
	const run: Run = {
		context,
		connection: await ServiceConnection.open(context, settings),
		hint: (key, message) => void hints.set(key, message),
	};
	const handle = operation.begin(run);
	const count = context.getInputData().length;
	const results = new Array<INodeExecutionData[]>(count);
	let next = 0;
	let failed = false;

	const work = async () => {
		while (next < count && !failed) {
			const itemIndex = next++;
			try {
				const output = await handle(itemIndex);
				results[itemIndex] = output.map((json) => ({ json, pairedItem: { item: itemIndex } }));
			} catch (error) {
				if (!context.continueOnFail() || context.getExecutionCancelSignal()?.aborted) {
					failed = true;
					throw asNodeError(context, error, itemIndex);
				}
				results[itemIndex] = [
					{ json: { error: describeError(error) }, pairedItem: { item: itemIndex } },
				];
			}
		}
	};
	const parallel = operation.oneAtATime ? 1 : Math.min(settings.maxParallel, count);
	let turn = Promise.resolve();
	const workers = await Promise.allSettled(
		Array.from({ length: parallel }, (_, worker) => {
			if (worker > 0 && worker % startedAtOnce === 0) turn = turn.then(async () => await sleep(0));
			return turn.then(work);
		}),
	);
	const rejected = workers.find((worker) => worker.status === 'rejected');
	if (rejected) throw asNodeError(context, rejected.reason);

	context.addExecutionHints(
		...[...hints.values()].map((message) => ({ message, location: 'outputPane' as const })),
	);
	return results.flat();
}

/** What a failed item puts out when the node is set to go on: an object, because a bare message loses the code. */
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

function asNodeError(context: IExecuteFunctions, error: unknown, itemIndex?: number): Error {
	if (context.getExecutionCancelSignal()?.aborted) {
		// n8n tells a canceled execution from a failed one by this word.
		return new NodeOperationError(context.getNode(), 'The execution was canceled', { itemIndex });
	}
	if (error instanceof NodeApiError || error instanceof NodeOperationError) return error;
	return new NodeApiError(context.getNode(), error as JsonObject, { itemIndex });
}
