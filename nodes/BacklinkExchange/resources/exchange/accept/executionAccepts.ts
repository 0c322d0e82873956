import type { IExecuteFunctions } from 'n8n-workflow';

import { getNodeContext } from '../../../helpers/nodeContext';
import type { Decision } from '../decision';
import type { AcceptLimits, Denial } from './accept.types';

/** What one execution has reached for an offer; null while a request was sent whose outcome was not seen. */
type AcceptRecord = Decision | null;

interface StoredAccepts {
	/** By the key of the offer. */
	records: Record<string, AcceptRecord>;
	/** How many offers were accepted, or may have been, by a request of this execution. */
	sentCount: number;
	/** How many offers a dry run would have accepted. */
	wouldAcceptCount: number;
}

/**
 * What this execution has reached for each offer. It lives in n8n's execution data: for Retry On Fail, the rounds of a loop, an
 * AI agent's tool calls and executions that wait.
 */
export class ExecutionAccepts {
	readonly #stored: StoredAccepts;

	constructor(context: IExecuteFunctions) {
		const memory = getNodeContext(context) as { accepts?: StoredAccepts };
		memory.accepts ??= { records: {}, sentCount: 0, wouldAcceptCount: 0 };
		this.#stored = memory.accepts;
	}

	get(key: string): Readonly<AcceptRecord> | undefined {
		return this.#stored.records[key];
	}

	/** Keeps what was reached for the offer; undefined: nothing was. */
	set(key: string, get: AcceptRecord | undefined): void {
		this.#count(this.#stored.records[key], -1);
		this.#count(get, 1);
		if (get === undefined) Reflect.deleteProperty(this.#stored.records, key);
		else this.#stored.records[key] = get;
	}

	/** Why nothing more is accepted, once as many offers were as may be; a dry run counts also those that it would accept. */
	checkMaxAccepts({ maxAccepts, dryRun }: AcceptLimits): Denial | undefined {
		const count = this.#stored.sentCount + (dryRun ? this.#stored.wouldAcceptCount : 0);
		if (count < maxAccepts) return undefined;
		return { outcome: 'skipped', reason: `Max Accepts (${maxAccepts}) is reached` };
	}

	/** The keys of the offers that this execution has accepted, or may have. */
	get acceptedKeys(): string[] {
		return Object.entries(this.#stored.records).flatMap(([key, get]) => (isSent(get) ? [key] : []));
	}

	get wouldAcceptCount(): number {
		return this.#stored.wouldAcceptCount;
	}

	#count(get: AcceptRecord | undefined, by: 1 | -1): void {
		if (isSent(get)) this.#stored.sentCount += by;
		else if (get?.outcome === 'wouldAccept') this.#stored.wouldAcceptCount += by;
	}
}

function isSent(get: AcceptRecord | undefined): boolean {
	return get === null || (get?.outcome === 'accepted' && get.confirmedBy !== 'check');
}
