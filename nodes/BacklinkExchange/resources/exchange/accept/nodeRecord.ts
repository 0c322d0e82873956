import type { IExecuteFunctions } from 'n8n-workflow';

import { Turns } from '../../../turns';

/** n8n keeps the newest of these for each node: about 130 kB, and some milliseconds to write. */
const options = { mode: 'entries', maxEntries: 5000 } as const;

/** n8n reads its record, changes it, and writes it back, not in one step: within this process, one at a time. */
const turns = new Turns();

/**
 * Names that n8n keeps for a node in its own database (`helpers.checkProcessedAndRecord`), at once: they outlive a killed
 * process, and other workers see them. Another worker that writes at the same moment may undo a change.
 */
export class NodeRecord {
	readonly #helpers: IExecuteFunctions['helpers'];

	readonly #node: string;

	/** Without the ID of a workflow n8n keeps nothing. */
	readonly isKept: boolean;

	constructor(context: IExecuteFunctions) {
		const { id } = context.getWorkflow();
		this.#helpers = context.helpers;
		this.#node = `${id}/${context.getNode().id}`;
		this.isKept = Boolean(id) && typeof this.#helpers.checkProcessedAndRecord === 'function';
	}

	/**
	 * Adds names.
	 * @returns those that were there before
	 * @throws what n8n's database throws
	 */
	async add(names: string[]): Promise<string[]> {
		const add = async () => await this.#helpers.checkProcessedAndRecord(names, 'node', options);
		// The first two of a node at once fail on the primary key of the record; then it is there.
		const { processed } = await turns.inTurn(this.#node, async () => await add().catch(add));
		return processed.map(String);
	}

	/** @throws what n8n's database throws */
	async remove(names: string[]): Promise<void> {
		const remove = async () => {
			await this.#helpers.removeProcessed(names, 'node', options);
		};
		// A name that stays would tell of a request that was never sent.
		await turns.inTurn(this.#node, async () => {
			await remove().catch(remove);
		});
	}
}
