import type { IExecuteFunctions } from 'n8n-workflow';

import type { Account } from '../../../../shared/transport/account';
import { getNodeContext } from '../../../helpers/nodeContext';
import type { Decision } from '../decision';
import { type AcceptOptions, type Denial, noMinimumBalance } from './accept.types';

/** Result for an offer; `null` if a request was sent and its outcome isn't known. */
type AcceptRecord = Decision | null;

interface StoredAccepts {
	/** By account and offer. */
	records: Record<string, AcceptRecord>;
	/** Offers that a request of this execution accepted, or may have accepted. */
	sentCount: number;
	wouldAcceptCount: number;
	/** Account and offer accepted under a minimum whose cost the balance doesn't show yet. */
	unpricedId?: string;
}

/**
 * Stores the result of this execution for each offer.
 *
 * It lives in n8n's node context, so it also covers Retry On Fail, the rounds of a loop, the tool
 * calls of an AI agent and executions that wait.
 */
export class ExecutionAccepts {
	readonly #stored: StoredAccepts;

	readonly #prefix: string;

	constructor(context: IExecuteFunctions, { key }: Account) {
		const nodeContext = getNodeContext(context) as { accepts?: StoredAccepts };
		nodeContext.accepts ??= { records: {}, sentCount: 0, wouldAcceptCount: 0 };
		this.#stored = nodeContext.accepts;
		this.#prefix = `${key} `;
	}

	get(id: string): AcceptRecord | undefined {
		return this.#stored.records[this.#prefix + id];
	}

	set<Result extends AcceptRecord>(id: string, record: Result): Result {
		this.#count(this.get(id), -1);
		this.#count(record, 1);
		this.#stored.records[this.#prefix + id] = record;
		return record;
	}

	/** Notes that a request is being sent, so its outcome and cost aren't known. */
	setSent(id: string, { minimumBalance }: AcceptOptions): void {
		this.set(id, null);
		if (minimumBalance !== noMinimumBalance) this.#stored.unpricedId = this.#prefix + id;
	}

	/** Deletes a result, because a request wasn't processed. */
	delete(id: string): void {
		this.confirmCost(id);
		this.#count(this.get(id), -1);
		Reflect.deleteProperty(this.#stored.records, this.#prefix + id);
	}

	/** Whether the balance doesn't show yet what an offer cost. */
	get isCostUnknown(): boolean {
		return this.#stored.unpricedId !== undefined;
	}

	/** Notes that the balance shows the cost of an offer, or that it cost nothing. */
	confirmCost(id: string): void {
		if (this.#stored.unpricedId === this.#prefix + id) this.#stored.unpricedId = undefined;
	}

	/**
	 * Checks Max Accepts. A dry run also counts the offers that it would accept.
	 *
	 * @returns `undefined` if another offer may be accepted
	 */
	getMaxAcceptsDenial({ maxAccepts, dryRun }: AcceptOptions): Denial | undefined {
		const count = this.#stored.sentCount + (dryRun ? this.#stored.wouldAcceptCount : 0);
		if (count < maxAccepts) return undefined;
		return { outcome: 'skipped', reason: `Max Accepts (${maxAccepts}) is reached` };
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
