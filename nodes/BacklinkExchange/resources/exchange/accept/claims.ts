import { randomUUID } from 'crypto';
import type { IDeduplicationOutput, IExecuteFunctions } from 'n8n-workflow';

import { pause } from '../../../../shared/pause';
import { Turns } from '../../../turns';

/** n8n keeps the newest of these for each node, in its database. */
const mostClaims = 1000;
const record = { mode: 'entries', maxEntries: mostClaims } as const;
/** Milliseconds after which another worker that wrote at the same moment has written. */
const othersHaveWritten = 25;
/** Another worker's write about something else may undo ours; then it is repeated. */
const mostTries = 5;

/** n8n reads its record, changes it, and writes it back, not in one step: the claims of a node are written in turn. */
const turns = new Turns();

/**
 * The claims of a node: what it is about to send, written into n8n's own database, so that a claim outlives a killed
 * process and is seen by other workers. A claim is a name that is recorded.
 *
 * Two workers that write at the same moment both read that the name is new, and the record of the later one stays. So each
 * adds a token of its own, waits, and reads again: whose token is gone was overtaken.
 */
export class Claims {
	readonly #context: IExecuteFunctions;

	readonly #node: string;

	/** Without the ID of a workflow n8n keeps no records. */
	readonly #isKept: boolean;

	constructor(context: IExecuteFunctions) {
		const { id } = context.getWorkflow();
		this.#context = context;
		this.#node = `${id}/${context.getNode().id}`;
		this.#isKept = Boolean(id) && typeof context.helpers.checkProcessedAndRecord === 'function';
	}

	/**
	 * Records a claim. False: it was there already, of a process that was killed or of another worker.
	 * @throws whatever n8n's database throws, or the signal's reason; the claim is not recorded then
	 */
	async take(name: string, signal?: AbortSignal): Promise<boolean> {
		if (!this.#isKept) return true;
		return await turns.inTurn(this.#node, async () => await this.#take(name, signal), signal);
	}

	/** Removes claims. True: at least one of them was there. What cannot be removed leaves a doubt, and no more. */
	async release(names: string[]): Promise<boolean> {
		if (!this.#isKept) return false;
		const release = async () => {
			const { processed } = await this.#record(names);
			await this.#remove(names);
			return processed.length > 0;
		};
		return await turns.inTurn(this.#node, release).catch(() => false);
	}

	async #take(name: string, signal?: AbortSignal): Promise<boolean> {
		const token = `${name}/${randomUUID()}`;
		for (let tries = 1; tries <= mostTries; tries++) {
			const claim = await this.#record([name, token]);
			let isOurs = false;
			try {
				if (claim.processed.includes(name)) return false;
				await pause(othersHaveWritten, signal);
				isOurs = (await this.#record([token])).processed.length > 0;
				if (isOurs) return true;
				const overtaken = await this.#record([name]);
				if (overtaken.processed.length > 0) return false;
			} catch (error) {
				await this.#remove([name]);
				throw error;
			} finally {
				await this.#remove([token]);
			}
			await this.#remove([name]);
		}
		throw new Error(`n8n did not keep the claim in ${mostTries} tries`);
	}

	async #record(names: string[]): Promise<IDeduplicationOutput> {
		const { helpers } = this.#context;
		try {
			return await helpers.checkProcessedAndRecord(names, 'node', record);
		} catch {
			// The first two of a node at once fail on the primary key of the record; then it is there.
			return await helpers.checkProcessedAndRecord(names, 'node', record);
		}
	}

	async #remove(names: string[]): Promise<void> {
		await this.#context.helpers.removeProcessed(names, 'node', record);
	}
}
