/**
 * What n8n keeps for `helpers.checkProcessedAndRecord`, in memory: n8n-core leaves it to n8n, which has it in its database.
 * One record for each node, with hashes of the names.
 */
import { createHash } from 'node:crypto';

import type {
	DeduplicationScope,
	ICheckProcessedContextData,
	ICheckProcessedOptions,
	IDataDeduplicator,
	IDeduplicationOutput,
} from 'n8n-workflow';

/** Test files load this module again, and n8n-core once. */
const installedHere = Symbol.for('ProcessedData of the tests');

type Names = Parameters<IDataDeduplicator['checkProcessedAndRecord']>[0];

export class ProcessedData implements IDataDeduplicator {
	/** The one of this process: n8n-core takes no second one. */
	static install(service: { init(deduplicator: IDataDeduplicator): Promise<void> }): ProcessedData {
		const known = Reflect.get(service, installedHere) as ProcessedData | undefined;
		if (known !== undefined) return known;
		const processedData = new ProcessedData();
		void service.init(processedData);
		Reflect.set(service, installedHere, processedData);
		return processedData;
	}

	readonly #records = new Map<string, string[]>();

	checkProcessedAndRecord(
		names: Names,
		_scope: DeduplicationScope,
		context: ICheckProcessedContextData,
		{ maxEntries }: ICheckProcessedOptions,
	): Promise<IDeduplicationOutput> {
		const record = [...(this.#records.get(getKey(context)) ?? [])];
		const result: IDeduplicationOutput = { new: [], processed: [] };
		for (const name of names) {
			const isKnown = record.includes(getHash(name));
			(isKnown ? result.processed : result.new).push(name);
			if (!isKnown) record.push(getHash(name));
		}
		this.#records.set(getKey(context), record.slice(-(maxEntries ?? Infinity)));
		return Promise.resolve(result);
	}

	clearAllProcessedItems(): Promise<void> {
		this.#records.clear();
		return Promise.resolve();
	}

	removeProcessed = () => Promise.reject(new Error('no node removes names'));

	getProcessedDataCount = () => Promise.reject(new Error('no node counts names'));
}

function getKey({ workflow, node }: ICheckProcessedContextData): string {
	if (!workflow.id || node === undefined) throw new Error('n8n keeps this by workflow and node');
	return `${workflow.id}/${node.id}`;
}

function getHash(name: Names[number]): string {
	return createHash('md5').update(String(name)).digest('base64');
}
