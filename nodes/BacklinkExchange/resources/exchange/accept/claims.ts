import { randomUUID } from 'crypto';
import type { IExecuteFunctions } from 'n8n-workflow';

import { pause } from '../../../../shared/pause';
import { NodeRecord } from './nodeRecord';

/** Milliseconds after which another worker that wrote at the same moment has written. */
const othersHaveWritten = 25;
/** Another worker's write about something else may undo ours; then it is repeated. */
const mostTries = 5;

/**
 * What a node is about to send, written down where it outlives a killed process and other workers see it.
 *
 * Two workers that write at the same moment both read that a claim is new, and the record of the later one stays. So each
 * adds a token of its own, waits, and reads again: whose token is gone was overtaken.
 */
export class Claims {
	readonly #record: NodeRecord;

	constructor(context: IExecuteFunctions) {
		this.#record = new NodeRecord(context);
	}

	/**
	 * Records the last of these claims, and with it those before it that are missing: a gap would hide it. False: it was there
	 * already, of a process that was killed or of another worker.
	 * @throws what n8n's database throws, or the signal's reason; nothing is recorded then
	 */
	async take(names: string[], signal?: AbortSignal): Promise<boolean> {
		if (!this.#record.isKept) return true;
		const claim = names.at(-1) ?? '';
		const token = `${claim}/${randomUUID()}`;
		let isOurs: boolean | undefined;
		try {
			let known = await this.#record.add([...names, token]);
			if (known.includes(claim)) isOurs = false;
			for (let tries = 1; isOurs === undefined && tries <= mostTries; tries++) {
				await pause(othersHaveWritten, signal);
				// Where a write about something else has undone ours, this one repeats it.
				known = await this.#record.add([...names, token]);
				if (known.includes(claim)) isOurs = known.includes(token);
			}
		} finally {
			// A shared name is removed only by whose token shows that it is its own.
			const isOwn = isOurs === undefined && (await this.#record.add([token])).length > 0;
			await this.#record.remove(isOwn ? [claim, token] : [token]);
		}
		if (isOurs === undefined) throw new Error(`n8n did not keep the claim in ${mostTries} tries`);
		return isOurs;
	}

	/** Of these pairs of a claim and the name that settles it: the claims that are open. None where n8n cannot tell. */
	async open(pairs: Array<[string, string]>): Promise<ReadonlySet<string>> {
		if (!this.#record.isKept || pairs.length === 0) return new Set();
		try {
			const known = new Set(await this.#record.add(pairs.flat()));
			await this.#record.remove(pairs.flat().filter((name) => !known.has(name)));
			const open = pairs.filter(([claim, settled]) => known.has(claim) && !known.has(settled));
			return new Set(open.map(([claim]) => claim));
		} catch {
			return new Set();
		}
	}

	/** Removes a claim, because its request was not carried out. One that cannot be removed leaves a doubt, and no more. */
	async takeBack(name: string): Promise<void> {
		if (this.#record.isKept) await this.#record.remove([name]).catch(() => undefined);
	}

	/**
	 * Of an offer that is accepted: whether one of these claims was open. They stay, so that another worker whose list is
	 * older finds them, and `settled` says from now on that the acceptance was told.
	 */
	async settle(names: string[], settled: string): Promise<boolean> {
		if (!this.#record.isKept) return false;
		try {
			const all = [...names, settled];
			const known = await this.#record.add(all);
			const isClaimed = names.some((name) => known.includes(name));
			const added = all.filter((name) => !known.includes(name));
			const wrong = isClaimed ? added.filter((name) => name !== settled) : added;
			if (wrong.length > 0) await this.#record.remove(wrong);
			return isClaimed && !known.includes(settled);
		} catch {
			return false;
		}
	}
}
