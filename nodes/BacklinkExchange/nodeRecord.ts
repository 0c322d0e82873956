import { randomUUID } from 'crypto';
import type { IExecuteFunctions } from 'n8n-workflow';

import { pause } from '../shared/service/pause';
import { turns } from './turns';

/** How many entries n8n keeps for each node, the newest ones: about 130 kB, which take some milliseconds to write. A name takes two. */
const mostEntries = 5000;
/** How many names are asked for at once, because n8n holds the event loop for some milliseconds with each part. */
const mostAskedFor = 250;
/** Milliseconds after which another worker that read at the same moment has written, also on a busy machine. */
const othersHaveWritten = 100;
/** How often a claim is written again, because another worker's write about something else has undone it. */
const mostTries = 5;

/**
 * Names that n8n keeps for a node in its own database (`helpers.checkProcessedAndRecord`), at once: they outlive a killed
 * process, and other workers see them. Another worker that writes at the same moment may undo a change. Where n8n keeps
 * nothing, because the workflow has no ID, nothing is known, and every claim is ours.
 *
 * n8n has no way to ask for a name: it adds what it is asked for, and that has to be removed again. So each name is written
 * together with a forerunner, and asked for only where its forerunner is there. Whoever asks for what is not there adds
 * forerunners alone, which say nothing if they stay, because the process was killed or another worker wrote at that moment.
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
	 * Records a claim before what it claims is sent.
	 *
	 * Two workers that write at the same moment both read that a claim is new, and the record of the later one stays. So each
	 * adds a token of its own, waits, and reads again: the one whose token is gone was overtaken.
	 * @param earlier the names of the claims before it; any that are missing are recorded as well, because a gap would hide it
	 * @returns true: the claim is ours; false: it is that of another worker, or of a process that was killed; undefined: n8n has
	 * not kept it in any of the tries
	 * @throws what n8n's database throws, or the signal's reason; nothing is recorded then
	 */
	async claim(name: string, earlier: string[], signal?: AbortSignal): Promise<boolean | undefined> {
		if (!this.#isKept) return true;
		const token = `${name}/${randomUUID()}`;
		let isOurs: boolean | undefined;
		try {
			for (let tries = 0; isOurs === undefined && tries <= mostTries; tries++) {
				if (tries > 0) await pause(othersHaveWritten, signal);
				// Where a write about something else has undone ours, this one repeats it.
				const entries = [...withForerunners([...earlier, name]), token];
				const known = await this.#inTurn(async () => await this.#write(entries));
				if (known.has(name)) isOurs = known.has(token);
			}
		} finally {
			// Another worker may have added the same name: it is removed only if our token shows that the claim is ours.
			await this.#inTurn(async () => {
				const isOwn = isOurs === undefined && (await this.#write([token])).size > 0;
				await this.#erase(isOwn ? [...withForerunners([name]), token] : [token]);
			});
		}
		return isOurs;
	}

	/**
	 * Adds names.
	 * @returns those that were there before
	 * @throws what n8n's database throws
	 */
	async add(names: string[]): Promise<ReadonlySet<string>> {
		return await this.#inTurn(async () => await this.#write(withForerunners(names)));
	}

	/**
	 * Which of these names are there. Asking pushes out nothing.
	 * @throws what n8n's database throws
	 */
	async has(names: string[]): Promise<ReadonlySet<string>> {
		const found = new Set<string>();
		for (let index = 0; index < names.length; index += mostAskedFor) {
			const part = names.slice(index, index + mostAskedFor);
			for (const name of await this.#inTurn(async () => await this.#ask(part))) found.add(name);
		}
		return found;
	}

	/** Removes names. A name that n8n cannot remove is left, because it does no harm but a doubt. */
	async remove(names: string[]): Promise<void> {
		await this.#inTurn(async () => {
			await this.#erase(withForerunners(names));
		});
	}

	/**
	 * n8n reads its record, changes it, and writes it back in several steps; and what a question adds, another question in
	 * between would take for what is there. So within this process, each one ends before the next begins.
	 */
	async #inTurn<Result>(step: () => Promise<Result>): Promise<Result> {
		return await turns.inTurn(this.node, step);
	}

	async #ask(names: string[]): Promise<ReadonlySet<string>> {
		// What is added in order to ask must not push out what is there.
		const mostMeanwhile = mostEntries + names.length;
		const announced = await this.#write(names.map(forerunner), mostMeanwhile);
		await this.#erase(names.map(forerunner).filter((each) => !announced.has(each)));
		const asked = names.filter((name) => announced.has(forerunner(name)));
		const known = await this.#write(asked, mostMeanwhile);
		await this.#erase(withForerunners(asked.filter((name) => !known.has(name))));
		return known;
	}

	/** @returns the entries that were there before */
	async #write(entries: string[], maxEntries = mostEntries): Promise<ReadonlySet<string>> {
		if (!this.#isKept || entries.length === 0) return new Set();
		const options = { mode: 'entries', maxEntries } as const;
		const add = async () => await this.#helpers.checkProcessedAndRecord(entries, 'node', options);
		// Of two workers that begin a node's record at once, one fails on its primary key; the second try finds the record.
		const { processed } = await add().catch(add);
		return new Set(processed.map(String));
	}

	async #erase(entries: string[]): Promise<void> {
		if (!this.#isKept || entries.length === 0) return;
		const options = { mode: 'entries' } as const;
		await this.#helpers.removeProcessed(entries, 'node', options).catch(() => undefined);
	}
}

function withForerunners(names: string[]): string[] {
	return names.flatMap((name) => [forerunner(name), name]);
}

function forerunner(name: string): string {
	return `${name}?`;
}
