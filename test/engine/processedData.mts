/**
 * In-memory version of n8n's storage for `helpers.checkProcessedAndRecord`, which n8n-core leaves
 * to n8n's database.
 *
 * One record per node, with hashes of the names.
 */
import { createHash } from 'node:crypto';

import type {
	DeduplicationScope,
	ICheckProcessedContextData,
	ICheckProcessedOptions,
	IDataDeduplicator,
	IDeduplicationOutput,
} from 'n8n-workflow';

/** Test files load this module again, but n8n-core only once. */
const installedHere = Symbol.for('ProcessedData of the tests');

type Names = Parameters<IDataDeduplicator['checkProcessedAndRecord']>[0];

export class ProcessedData implements IDataDeduplicator {
	/** Returns the instance of this process, because n8n-core accepts no second one. */
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
