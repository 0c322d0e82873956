import type { IExecuteFunctions } from 'n8n-workflow';

import { executionMemory } from '../../../executionMemory';
import type { Decision } from '../decision';

/** What one execution has reached for an offer; null while a request was sent whose outcome was not seen. */
type Answer = Decision | null;

/**
 * What this execution has reached for each offer. It lives in n8n's execution data: for Retry On Fail, the rounds of a loop, an
 * AI agent's tool calls and executions that wait.
 */
export class Attempts {
	/** By the key of the offer. */
	readonly #answers: Record<string, Answer>;

	constructor(context: IExecuteFunctions) {
		const memory = executionMemory(context) as { accepts?: Record<string, Answer> };
		this.#answers = memory.accepts ??= {};
	}

	answer(key: string): Readonly<Answer> | undefined {
		return this.#answers[key];
	}

	/** Keeps what was reached for the offer; undefined: nothing was. */
	keep(key: string, answer: Answer | undefined): void {
		if (answer === undefined) Reflect.deleteProperty(this.#answers, key);
		else this.#answers[key] = answer;
	}

	/** How many offers count for Max Accepts; in a dry run also those that it would accept. */
	count({ dryRun }: { dryRun: boolean }): number {
		return this.sentKeys.length + (dryRun ? this.wouldAccept : 0);
	}

	/** The keys of the offers that were accepted, or may have been, by a request of this execution. */
	get sentKeys(): string[] {
		return Object.entries(this.#answers).flatMap(([key, answer]) => (isSent(answer) ? [key] : []));
	}

	/** How many offers a dry run would have accepted. */
	get wouldAccept(): number {
		return Object.values(this.#answers).filter((each) => each?.outcome === 'wouldAccept').length;
	}
}

function isSent(answer: Answer): boolean {
	return answer === null || (answer.outcome === 'accepted' && answer.confirmedBy !== 'check');
}
