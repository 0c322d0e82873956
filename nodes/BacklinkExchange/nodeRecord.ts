import { randomUUID } from 'crypto';
import type { IExecuteFunctions } from 'n8n-workflow';

import { pause } from '../shared/service/pause';
import { turns } from './turns';

/** n8n keeps the newest of these for each node: about 130 kB, and some milliseconds to write. */
const mostNames = 5000;
/** How many names are asked for at once, because n8n holds the event loop for some milliseconds with each part. */
const mostAskedFor = 250;
/** Milliseconds after which another worker that wrote at the same moment has written. */
const othersHaveWritten = 25;
/** Another worker's write about something else may undo ours; then it is repeated. */
const mostTries = 5;

/**
 * Names that n8n keeps for a node in its own database (`helpers.checkProcessedAndRecord`), at once: they outlive a killed
 * process, and other workers see them. Another worker that writes at the same moment may undo a change. Where n8n keeps
 * nothing, because the workflow has no ID, nothing is known, and every claim is ours.
 */
export class NodeRecord {
	readonly #helpers: IExecuteFunctions['helpers'];

	/** A name for the node that no other node has. */
	readonly node: string;

	readonly #isKept: boolean;

	constructor(context: IExecuteFunctions) {
		const { id } = context.getWorkflow();
		this.#helpers = context.helpers;
		this.node = `${id}/${context.getNode().id}`;
		this.#isKept = Boolean(id) && typeof this.#helpers.checkProcessedAndRecord === 'function';
	}

	/**
	 * Records a claim before what it claims is sent, and with it those before it that are missing: a gap would hide it. False:
	 * it was there already, of a process that was killed or of another worker. Undefined: n8n keeps it in none of the tries.
	 *
	 * Two workers that write at the same moment both read that a claim is new, and the record of the later one stays. So each
	 * adds a token of its own, waits, and reads again: whose token is gone was overtaken.
	 * @param names of the claim, which are written in one step; the first one is its own
	 * @param earlier those of earlier claims
	 * @throws what n8n's database throws, or the signal's reason; nothing is recorded then
	 */
	async claim(
		names: [string, ...string[]],
		earlier: string[],
		signal?: AbortSignal,
	): Promise<boolean | undefined> {
		if (!this.#isKept) return true;
		const [claim] = names;
		const token = `${claim}/${randomUUID()}`;
		let isOurs: boolean | undefined;
		try {
			for (let tries = 0; isOurs === undefined && tries <= mostTries; tries++) {
				if (tries > 0) await pause(othersHaveWritten, signal);
				// Where a write about something else has undone ours, this one repeats it.
				const known = await this.add([...earlier, ...names, token]);
				if (known.has(claim)) isOurs = known.has(token);
			}
		} finally {
			// Another worker may have added the same names: they are removed only if our token shows that the claim is ours.
			const isOwn = isOurs === undefined && (await this.add([token])).size > 0;
			await this.remove(isOwn ? [...names, token] : [token]);
		}
		return isOurs;
	}

	/**
	 * Adds names.
	 * @returns those that were there before
	 * @throws what n8n's database throws
	 */
	async add(names: string[]): Promise<ReadonlySet<string>> {
		return await this.#add(names, mostNames);
	}

	/**
	 * Which of these names are there. n8n has no way to ask: it adds what it is asked for. So what was not there is removed
	 * again, and nothing is pushed out meanwhile. A process that is killed in between leaves up to 250 names behind.
	 * @throws what n8n's database throws
	 */
	async has(names: string[]): Promise<ReadonlySet<string>> {
		const found = new Set<string>();
		for (let index = 0; index < names.length; index += mostAskedFor) {
			const part = names.slice(index, index + mostAskedFor);
			const known = await this.#add(part, mostNames + part.length);
			await this.remove(part.filter((name) => !known.has(name)));
			for (const name of known) found.add(name);
		}
		return found;
	}

	/** Removes names. A name that n8n cannot remove is left, because it does no harm but a doubt. */
	async remove(names: string[]): Promise<void> {
		if (!this.#isKept || names.length === 0) return;
		const remove = async () => {
			await this.#helpers.removeProcessed(names, 'node', { mode: 'entries' });
		};
		// n8n reads its record, changes it, and writes it back, not in one step: within this process, one at a time.
		await turns.inTurn(this.node, remove).catch(() => undefined);
	}

	async #add(names: string[], maxEntries: number): Promise<ReadonlySet<string>> {
		if (!this.#isKept || names.length === 0) return new Set();
		const options = { mode: 'entries', maxEntries } as const;
		const add = async () => await this.#helpers.checkProcessedAndRecord(names, 'node', options);
		// Of two workers that begin a node's record at once, one fails on its primary key; the second try finds the record.
		const { processed } = await turns.inTurn(this.node, async () => await add().catch(add));
		return new Set(processed.map(String));
	}
}
