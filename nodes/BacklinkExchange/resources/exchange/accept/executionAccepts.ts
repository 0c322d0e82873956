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
		const nodeContext = getNodeContext(context) as { accepts?: StoredAccepts };
		nodeContext.accepts ??= { records: {}, sentCount: 0, wouldAcceptCount: 0 };
		this.#stored = nodeContext.accepts;
	}

	get(key: string): Readonly<AcceptRecord> | undefined {
		return this.#stored.records[key];
	}

	set(key: string, record: AcceptRecord): void {
		this.delete(key);
		this.#count(record, 1);
		this.#stored.records[key] = record;
	}

	delete(key: string): void {
		this.#count(this.#stored.records[key], -1);
		Reflect.deleteProperty(this.#stored.records, key);
	}

	/** Why nothing more is accepted, once as many offers were as may be; a dry run counts also those that it would accept. */
	getMaxAcceptsDenial({ maxAccepts, dryRun }: AcceptLimits): Denial | undefined {
		const count = this.#stored.sentCount + (dryRun ? this.#stored.wouldAcceptCount : 0);
		if (count < maxAccepts) return undefined;
		return { outcome: 'skipped', reason: `Max Accepts (${maxAccepts}) is reached` };
	}

	/** The keys of the offers that this execution has accepted, or may have. */
	get acceptedKeys(): string[] {
		return Object.entries(this.#stored.records).flatMap(([key, record]) =>
			isSent(record) ? [key] : [],
		);
	}

	get wouldAcceptCount(): number {
		return this.#stored.wouldAcceptCount;
	}

	#count(record: AcceptRecord | undefined, change: 1 | -1): void {
		if (isSent(record)) this.#stored.sentCount += change;
		else if (record?.outcome === 'wouldAccept') this.#stored.wouldAcceptCount += change;
	}
}

function isSent(record: AcceptRecord | undefined): boolean {
	return record === null || (record?.outcome === 'accepted' && record.confirmedBy !== 'check');
}
