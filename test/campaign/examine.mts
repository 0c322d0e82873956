/** Searches for contradictions in random histories; fast-check shrinks what it finds to a few steps. */
import fc from 'fast-check';

import { contradictions } from './contradictions.mts';
import type { Happened } from './happened.mts';
import { history } from './histories.mts';
import { happen } from './world.mts';

/** Real milliseconds after which a history counts as standing still. */
const timeout = 120_000;
/** For all histories of one call, and for shrinking. */
const interruptAfterTimeLimit = 600_000;
/** In a mutation test, that there is a contradiction is enough. */
const endOnFailure = process.env.MUTATION_VERDICTS !== undefined;

/** What a history shows must not be; each line begins with its rule. */
class Contradiction extends Error {}

export interface Examined {
	/** How many have happened; with a contradiction, the last one has it. */
	histories: number;
	executions: number;
	/** Accepts that were paid. */
	paid: number;
	/** With how it is shown again, and the history. */
	contradiction: string | undefined;
}

/**
 * Examines this many histories, up to the first contradiction. The same seed gives the same ones.
 * @throws Error when the histories themselves do not work
 */
export async function examine(seed: number, count: number): Promise<Examined> {
	let [histories, executions, paid] = [0, 0, 0];
	const result = await fc.check(
		fc.asyncProperty(history, async (given) => {
			const happened = await happen(given);
			histories++;
			executions += happened.executed.length;
			paid += happened.events.filter(({ kind }) => kind === 'paid').length;
			assertTrue(happened);
		}),
		{ seed, numRuns: count, timeout, interruptAfterTimeLimit, endOnFailure },
	);
	if (!result.failed) return { histories, executions, paid, contradiction: undefined };
	const { errorInstance, counterexample, counterexamplePath } = result;
	const isContradiction = errorInstance instanceof Contradiction;
	if (!isContradiction && !/timeout/.test(String(errorInstance))) throw errorInstance;
	const again = `npm run test:long -- campaign --seed ${seed} --path ${counterexamplePath}`;
	const { message } = errorInstance as Error;
	const contradiction = `${message}\n  ${again}\n  ${fc.stringify(counterexample)}`;
	return { histories: result.numRuns, executions, paid, contradiction };
}

/** Lets one history happen again; prints what the service saw and what n8n said. */
export async function replay(seed: number, path: string): Promise<void> {
	const [given] = fc.sample(history, { seed, path, numRuns: 1 });
	if (given === undefined) throw new Error('There is no such history.');
	console.log(fc.stringify(given));
	const happened = await happen(given);
	for (const event of happened.events) console.log(JSON.stringify(event));
	for (const { number, process, end } of happened.executed) {
		const put = end?.tasks.flatMap(({ data }) => data?.main?.[0]?.map(({ json }) => json) ?? []);
		const { message, description } = end?.error ?? {};
		const { status } = end ?? {};
		console.log(JSON.stringify({ execution: number, process, status, put, message, description }));
	}
	assertTrue(happened);
}

function assertTrue(happened: Happened): void {
	const wrong = contradictions(happened);
	if (wrong.length > 0) throw new Contradiction(wrong.join('\n'));
}
