import type { IExecuteFunctions } from 'n8n-workflow';

import { executionMemory } from '../../../executionMemory';
import type { Decision } from '../decision';

/** What one execution has done about an offer at one node. */
interface Attempt {
	/** Requests that were not taken back. */
	sent?: number;
	wouldAccept?: boolean;
	/** What its items have returned. */
	result?: Decision;
}

/** Offers that count for a limit of the execution, by their keys. */
interface Counted {
	sent: Set<string>;
	/** Offers that count as well in a dry run. */
	wouldAccept: Set<string>;
}

/** What counts among the attempts of each execution, so that they need not be counted anew for each of thousands of offers. */
const countedIn = new WeakMap<Record<string, Attempt>, Counted>();

/**
 * What this execution has done about each offer, by its key. It lives in n8n's execution data: for Retry On Fail, the rounds of
 * a loop, an AI agent's tool calls and executions that wait.
 */
export class Attempts {
	readonly #attempts: Record<string, Attempt>;

	constructor(context: IExecuteFunctions) {
		const ofNode = executionMemory(context);
		ofNode.accepts ??= {};
		this.#attempts = ofNode.accepts as unknown as Record<string, Attempt>;
	}

	of(key: string): Readonly<Attempt> {
		return this.#attempts[key] ?? {};
	}

	/** How many requests for the offer were sent and not taken back. */
	sent(key: string): number {
		return this.of(key).sent ?? 0;
	}

	/** Writes down what was done about the offer, beside what was written before. */
	keep(key: string, attempt: Attempt): void {
		const kept = { ...this.of(key), ...attempt };
		this.#attempts[key] = kept;
		count(key, kept, this.#counted);
	}

	/** Other offers that were accepted, or may have been; in a dry run also those that would have been. */
	countOthers(key: string, { dryRun }: { dryRun: boolean }): number {
		const { sent } = this.#counted;
		return sent.size - Number(sent.has(key)) + (dryRun ? this.countWouldAccept(key) : 0);
	}

	/** Other offers that a dry run would have accepted. */
	countWouldAccept(key: string): number {
		const { wouldAccept } = this.#counted;
		return wouldAccept.size - Number(wouldAccept.has(key));
	}

	get #counted(): Counted {
		let counted = countedIn.get(this.#attempts);
		if (counted === undefined) {
			counted = { sent: new Set(), wouldAccept: new Set() };
			for (const [key, attempt] of Object.entries(this.#attempts)) count(key, attempt, counted);
			countedIn.set(this.#attempts, counted);
		}
		return counted;
	}
}

/** An attempt counts once: for what was sent, otherwise for what a dry run would accept. */
function count(key: string, { sent = 0, wouldAccept }: Attempt, counted: Counted): void {
	counted.sent.delete(key);
	counted.wouldAccept.delete(key);
	if (sent > 0) counted.sent.add(key);
	else if (wouldAccept) counted.wouldAccept.add(key);
}
