import type { IExecuteFunctions } from 'n8n-workflow';

import { NodeRecord } from '../accept/nodeRecord';

/** At most this many are recorded in one run, so that they cannot push out the claims that n8n keeps beside them. */
const mostInARun = 2000;

/** What this node has put out before, kept by n8n: the same decision comes out once, not at every run. */
export class ToldOnce {
	readonly #record: NodeRecord;

	#recorded: string[] = [];

	/** An execution by hand shows everything, and changes nothing for later ones. */
	readonly #isByHand: boolean;

	constructor(context: IExecuteFunctions) {
		this.#record = new NodeRecord(context);
		this.#isByHand = context.getMode() === 'manual';
	}

	/**
	 * Records these names, and returns those that are new. Where n8n cannot record them, all are: told twice is better than
	 * not at all.
	 */
	async newOf(names: string[]): Promise<ReadonlySet<string>> {
		if (this.#isByHand || !this.#record.isKept || names.length === 0) return new Set(names);
		try {
			const known = new Set(await this.#record.add(names.slice(0, mostInARun)));
			const news = names.filter((name) => !known.has(name));
			this.#recorded.push(...news);
			return new Set(news);
		} catch {
			return new Set(names);
		}
	}

	/** What was recorded in this run has not come out after all. */
	async forget(): Promise<void> {
		const names = this.#recorded.splice(0);
		if (names.length > 0) await this.#record.remove(names).catch(() => undefined);
	}
}
