/**
 * What n8n keeps for `helpers.checkProcessedAndRecord`, in memory: n8n-core leaves it to n8n, which has it in its database.
 * One record for each node, with hashes of the names; read, changed and written back, not in one step, as in n8n.
 */
import { createHash } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';

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

	/** Milliseconds between reading a record and writing it back. */
	delay = 0;

	/** Awaited before a record is read, and before it is written back. */
	beforeEach: (() => Promise<void>) | undefined;

	async checkProcessedAndRecord(
		names: Names,
		_scope: DeduplicationScope,
		context: ICheckProcessedContextData,
		{ maxEntries }: ICheckProcessedOptions,
	): Promise<IDeduplicationOutput> {
		const record = await this.#read(context);
		const result: IDeduplicationOutput = { new: [], processed: [] };
		for (const name of names) {
			const isKnown = record.includes(hashOf(name));
			(isKnown ? result.processed : result.new).push(name);
			if (!isKnown) record.push(hashOf(name));
		}
		await this.#write(context, record.slice(-(maxEntries ?? Infinity)));
		return result;
	}

	async removeProcessed(
		names: Names,
		_scope: DeduplicationScope,
		context: ICheckProcessedContextData,
	): Promise<void> {
		const record = await this.#read(context);
		const hashes = names.map(hashOf);
		await this.#write(
			context,
			record.filter((each) => !hashes.includes(each)),
		);
	}

	clearAllProcessedItems(): Promise<void> {
		this.#records.clear();
		return Promise.resolve();
	}

	getProcessedDataCount(): Promise<number> {
		return Promise.resolve(this.size);
	}

	/** How many names are recorded, of all nodes. */
	get size(): number {
		return [...this.#records.values()].flat().length;
	}

	async #read(context: ICheckProcessedContextData): Promise<string[]> {
		await this.beforeEach?.();
		const record = [...(this.#records.get(keyOf(context)) ?? [])];
		if (this.delay > 0) await sleep(this.delay);
		return record;
	}

	async #write(context: ICheckProcessedContextData, record: string[]): Promise<void> {
		await this.beforeEach?.();
		this.#records.set(keyOf(context), record);
	}
}

function keyOf({ workflow, node }: ICheckProcessedContextData): string {
	if (!workflow.id || node === undefined) throw new Error('n8n keeps this by workflow and node');
	return `${workflow.id}/${node.id}`;
}

function hashOf(name: Names[number]): string {
	return createHash('md5').update(String(name)).digest('base64');
}
