import type { IExecuteFunctions } from 'n8n-workflow';

import type { AcceptResult } from './acceptResult';

/** What this execution has done about an offer at this node. */
interface Offer {
	/** When a request was last sent (milliseconds), if one was. It counts as spent until the service declines it. */
	sentAt?: number;
	/** In a dry run: a request would have been sent. */
	wouldAccept?: boolean;
	/** What the items for this offer put out, once that is settled. */
	result?: AcceptResult;
}

interface State {
	offers: Record<string, Offer>;
	/** The most that one accept has cost, in credits: the service does not tell a price beforehand. */
	highestCost: number;
}

/**
 * What one execution has done at one node, for the bounds and for second tries. It lives in n8n's execution data, where
 * Retry On Fail, the rounds of a loop and an AI agent's tool calls find it, and which an execution that waits takes along
 * to another process.
 */
export class ExecutionAccepts {
	readonly #state: State;

	constructor(context: IExecuteFunctions) {
		const ofNode = context.getContext('node');
		ofNode.accepts ??= { offers: {}, highestCost: 0 } satisfies State;
		this.#state = ofNode.accepts as unknown as State;
	}

	/** What an earlier item, round or try has reached for this offer. */
	resultOf(key: string): AcceptResult | undefined {
		return this.#offer(key)?.result;
	}

	/** When this execution last sent a request for the offer, in milliseconds. */
	sentAt(key: string): number | undefined {
		return this.#offer(key)?.sentAt;
	}

	posting(key: string): void {
		this.#state.offers[key] = { sentAt: Date.now() };
	}

	/** After a request that was not carried out; `before`: when an earlier one was sent whose outcome is not known. */
	declined(key: string, before: number | undefined): void {
		if (before === undefined) delete this.#state.offers[key];
		else this.#state.offers[key] = { sentAt: before };
	}

	wouldAccept(key: string): void {
		this.#state.offers[key] = { wouldAccept: true };
	}

	settled(key: string, result: AcceptResult): void {
		this.#state.offers[key] = { ...this.#offer(key), result };
	}

	/** Offers other than this one that were accepted, or may have been, or in a dry run would have been. */
	countOthers(key: string): number {
		return this.#others(key).filter(
			({ sentAt, wouldAccept }) => sentAt !== undefined || wouldAccept,
		).length;
	}

	/** Offers other than this one for which a request was sent, and whose outcome is not known. */
	countUnsettledOthers(key: string): number {
		return this.#others(key).filter(({ sentAt, result }) => sentAt !== undefined && !result).length;
	}

	get highestCost(): number {
		return this.#state.highestCost;
	}

	hasCost(credits: number): void {
		this.#state.highestCost = Math.max(this.#state.highestCost, credits);
	}

	#offer(key: string): Offer | undefined {
		return Object.hasOwn(this.#state.offers, key) ? this.#state.offers[key] : undefined;
	}

	#others(key: string): Offer[] {
		return Object.entries(this.#state.offers)
			.filter(([name]) => name !== key)
			.map(([, offer]) => offer);
	}
}
