import type { IExecuteFunctions } from 'n8n-workflow';

import { getNodeContext } from '../../../helpers/nodeContext';
import type { Decision } from '../decision';
import type { AcceptLimits, Denial } from './accept.types';

/** Result for an offer; `null` if a request was sent and its outcome isn't known. */
type AcceptRecord = Decision | null;

interface StoredAccepts {
	/** By the key of the offer. */
	records: Record<string, AcceptRecord>;
	/** Offers that a request of this execution accepted, or may have accepted. */
	sentCount: number;
	wouldAcceptCount: number;
}

/**
 * Stores the result of this execution for each offer.
 *
 * It lives in n8n's node context, so it also covers Retry On Fail, the rounds of a loop, the tool
 * calls of an AI agent and executions that wait.
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

	/**
	 * Checks Max Accepts. A dry run also counts the offers that it would accept.
	 *
	 * @returns `undefined` if another offer may be accepted
	 */
	getMaxAcceptsDenial({ maxAccepts, dryRun }: AcceptLimits): Denial | undefined {
		const count = this.#stored.sentCount + (dryRun ? this.#stored.wouldAcceptCount : 0);
		if (count < maxAccepts) return undefined;
		return { outcome: 'skipped', reason: `Max Accepts (${maxAccepts}) is reached` };
	}

	/** Keys of the offers that a request of this execution accepted, or may have accepted. */
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

/** Returns whether a request of this execution accepted the offer, or may have accepted it. */
function isSent(record: AcceptRecord | undefined): boolean {
	return record === null || (record?.outcome === 'accepted' && !record.alreadyAccepted);
}
