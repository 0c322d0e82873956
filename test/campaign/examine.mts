/** Searches for contradictions in random histories, and shrinks what it finds to a few steps. */
import { inspect } from 'node:util';

import fc from 'fast-check';

import { contradictions } from './contradictions.mts';
import { featuresOf } from './features.mts';
import type { Happened } from './happened.mts';
import { history } from './histories.mts';
import { happen } from './world.mts';

/** Real milliseconds after which a history counts as standing still. */
const mostMilliseconds = 120_000;
/** For shrinking one history. */
const shrinkingTakes = 60_000;
const realTimeout = setTimeout;

export interface Finding {
	/** With both, `npm run test:long -- campaign --seed … --path …` shows the history again. */
	seed: number;
	path: string;
	/** Contradictions in plain words, each beginning with its rule. */
	wrong: string[];
	/** The history, shrunk if there was time. */
	history: string;
}

export interface Examined {
	histories: number;
	executions: number;
	/** Accepts that were paid. */
	paid: number;
	/** In how many histories each feature occurred. */
	features: Record<string, number>;
	findings: Finding[];
}

/**
 * Examines this many histories. The same seed gives the same ones.
 * @param mayShrink whether a history that breaks this rule is worth the time
 */
export async function examine(
	seed: number,
	count: number,
	mayShrink: (rule: string) => boolean = () => true,
): Promise<Examined> {
	const examined: Examined = {
		histories: 0,
		executions: 0,
		paid: 0,
		features: {},
		findings: [],
	};
	const found: Array<{ path: string; wrong: string[] }> = [];
	await fc.check(
		fc.asyncProperty(history, async (given) => {
			const wrong = await wrongIn(given, (happened) => {
				const { executed, events } = happened;
				examined.executions += executed.length;
				examined.paid += events.filter(({ kind }) => kind === 'paid').length;
				for (const name of featuresOf(happened)) {
					examined.features[name] = (examined.features[name] ?? 0) + 1;
				}
			});
			if (wrong.length > 0) found.push({ path: String(examined.histories), wrong });
			examined.histories++;
		}),
		{ seed, numRuns: count },
	);
	for (const { path, wrong } of found) {
		const rule = ruleOf(wrong[0] ?? '');
		examined.findings.push(
			mayShrink(rule) ? await shrink(seed, path, rule) : { seed, path, wrong, history: '' },
		);
	}
	return examined;
}

/** Lets one history happen again; prints what the service saw and what n8n said. */
export async function replay(seed: number, path: string): Promise<string[]> {
	const [given] = fc.sample(history, { seed, path, numRuns: 1 });
	if (given === undefined) throw new Error('There is no such history.');
	console.log(fc.stringify(given));
	const happened = await happen(given);
	for (const event of happened.events) console.log(JSON.stringify(event));
	for (const { number, process, end } of happened.executed) {
		const put = end?.tasks.flatMap(({ data }) => data?.main?.[0]?.map(({ json }) => json) ?? []);
		const { message, description } = end?.error ?? {};
		console.log(
			JSON.stringify({
				execution: number,
				process,
				status: end?.status,
				put,
				message,
				description,
			}),
		);
	}
	return contradictions(happened);
}

/** The smallest history found that breaks the same rule. */
async function shrink(seed: number, path: string, rule: string): Promise<Finding> {
	let wrong: string[] = [];
	const details = await fc.check(
		fc.asyncProperty(history, async (given) => {
			const now = await wrongIn(given);
			if (!now.some((text) => ruleOf(text) === rule)) return;
			wrong = now;
			throw new Error(rule);
		}),
		{ seed, path, numRuns: 1, skipAllAfterTimeLimit: shrinkingTakes },
	);
	const [smallest] = details.counterexample ?? [];
	return {
		seed,
		path: details.counterexamplePath ?? path,
		wrong: smallest === undefined ? [`${rule}: only sometimes`] : wrong,
		history: fc.stringify(smallest),
	};
}

const ruleOf = (text: string): string => text.slice(0, text.indexOf(':'));

async function wrongIn(
	given: Parameters<typeof happen>[0],
	count?: (happened: Happened) => void,
): Promise<string[]> {
	const standsStill = new Promise<undefined>((resolve) => {
		realTimeout(() => {
			resolve(undefined);
		}, mostMilliseconds).unref();
	});
	const happened = await Promise.race([happen(given), standsStill]).catch(
		(error: unknown) => `world: ${inspect(error)}`,
	);
	if (typeof happened === 'string') return [happened];
	if (happened === undefined) return ['ends: nothing happens any more'];
	count?.(happened);
	return contradictions(happened);
}
