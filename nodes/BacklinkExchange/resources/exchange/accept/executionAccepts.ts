import type { IExecuteFunctions } from 'n8n-workflow';

import { executionMemory } from '../../../helpers/nodeContext';
import type { Decision } from '../decision';
import type { AcceptSettings, Objection } from './accept.types';

/** What one execution has reached for an offer; null while a request was sent whose outcome was not seen. */
type Answer = Decision | null;

interface StoredAccepts {
	/** By the key of the offer. */
	records: Record<string, Answer>;
	/** How many offers were accepted, or may have been, by a request of this execution. */
	sentCount: number;
	/** How many offers a dry run would have accepted. */
	wouldAcceptCount: number;
}

/**
 * What this execution has reached for each offer. It lives in n8n's execution data: for Retry On Fail, the rounds of a loop, an
 * AI agent's tool calls and executions that wait.
 */
export class Attempts {
	readonly #stored: StoredAccepts;

	constructor(context: IExecuteFunctions) {
		const memory = executionMemory(context) as { accepts?: StoredAccepts };
		memory.accepts ??= { records: {}, sentCount: 0, wouldAcceptCount: 0 };
		this.#stored = memory.accepts;
	}

	answer(key: string): Readonly<Answer> | undefined {
		return this.#stored.records[key];
	}

	/** Keeps what was reached for the offer; undefined: nothing was. */
	keep(key: string, answer: Answer | undefined): void {
		this.#count(this.#stored.records[key], -1);
		this.#count(answer, 1);
		if (answer === undefined) Reflect.deleteProperty(this.#stored.records, key);
		else this.#stored.records[key] = answer;
	}

	/** Why nothing more is accepted, once as many offers were as may be; a dry run counts also those that it would accept. */
	limitReached({ maxAccepts, dryRun }: AcceptSettings): Objection | undefined {
		const count = this.#stored.sentCount + (dryRun ? this.#stored.wouldAcceptCount : 0);
		if (count < maxAccepts) return undefined;
		return { outcome: 'skipped', reason: `Max Accepts (${maxAccepts}) is reached` };
	}

	/** The keys of the offers that this execution has accepted, or may have. */
	get sentKeys(): string[] {
		return Object.entries(this.#stored.records).flatMap(([key, answer]) =>
			isSent(answer) ? [key] : [],
		);
	}

	get wouldAcceptCount(): number {
		return this.#stored.wouldAcceptCount;
	}

	#count(answer: Answer | undefined, by: 1 | -1): void {
		if (isSent(answer)) this.#stored.sentCount += by;
		else if (answer?.outcome === 'wouldAccept') this.#stored.wouldAcceptCount += by;
	}
}

function isSent(answer: Answer | undefined): boolean {
	return answer === null || (answer?.outcome === 'accepted' && answer.confirmedBy !== 'check');
}
