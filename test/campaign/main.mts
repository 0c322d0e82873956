/**
 * npm run test:long -- campaign [--seed 1 --histories 20000 --workers 2]: random histories of accepting offers, compared with the
 * sandbox's books. With --seed and --path, shows one history again, as printed for a contradiction. With --mutants, puts
 * faults into copies of the package, and says which were noticed. The last line is `N passed, N failed`.
 */
import { rmSync } from 'node:fs';
import { availableParallelism } from 'node:os';
import { parseArgs } from 'node:util';

import { counted, type Counts } from '../counted.mts';
import { examine, replay } from './examine.mts';
import { allMutants, applyMutant } from './mutants.mts';

/** Histories after which the next seed is used: a contradiction ends its part. */
const part = 100;

const { values } = parseArgs({
	options: {
		seed: { type: 'string', default: '1' },
		path: { type: 'string' },
		histories: { type: 'string' },
		workers: { type: 'string', default: String(availableParallelism()) },
		mutants: { type: 'boolean', default: false },
		/** Only the mutants with this in their name. */
		only: { type: 'string', default: '' },
		/** What a process of its own does: a share of the histories, or one of the mutants. */
		share: { type: 'boolean', default: false },
		mutant: { type: 'string' },
	},
});
const seed = Number(values.seed);
const workers = Number(values.workers);

async function campaign(histories: number): Promise<Counts> {
	const startedAt = performance.now();
	const sum = { histories: 0, executions: 0, paid: 0 };
	let failed = 0;
	for (let given = 0; given < histories; given += part) {
		const examined = await examine(seed + given, Math.min(part, histories - given));
		sum.histories += examined.histories;
		sum.executions += examined.executions;
		sum.paid += examined.paid;
		if (examined.contradiction === undefined) continue;
		failed++;
		console.log(`\n${examined.contradiction}`);
	}
	const seconds = Math.round((performance.now() - startedAt) / 1000);
	console.log(
		`${sum.histories} histories with seed ${seed}: ${sum.executions} executions, ${sum.paid} accepts paid, ${failed} contradictions, in ${seconds} s`,
	);
	return { passed: sum.histories - failed, failed };
}

/** Lets histories happen with a mutant until one breaks a rule. */
async function tryMutant(name: string, most: number): Promise<Counts> {
	const mutant = allMutants.find((each) => each.name === name);
	if (mutant === undefined) throw new Error(`There is no mutant "${name}".`);
	const dist = applyMutant(mutant);
	process.env.CAMPAIGN_DIST = dist;
	try {
		const { histories, contradiction } = await examine(seed, most, { endOnFailure: true });
		const [rule] = contradiction?.split('\n') ?? [];
		console.log(`${name}: ${rule === undefined ? 'not in' : 'after'} ${histories} ${rule ?? ''}`);
		return rule === undefined ? { passed: 0, failed: 1 } : { passed: 1, failed: 0 };
	} finally {
		rmSync(dist, { recursive: true });
	}
}

/** Each in a process of its own, as many at a time as there are workers. */
async function inParallel(tasks: string[][]): Promise<Counts> {
	const sum = { passed: 0, failed: 0 };
	const work = async () => {
		for (let task = tasks.shift(); task !== undefined; task = tasks.shift()) {
			const args = [import.meta.filename, ...task];
			// What n8n logs of failed nodes is expected here.
			const env = { ...process.env, N8N_LOG_LEVEL: 'silent' };
			const { passed, failed } = await counted(process.execPath, args, { env });
			sum.passed += passed;
			sum.failed += failed;
		}
	};
	await Promise.all(Array.from({ length: workers }, work));
	return sum;
}

async function main(): Promise<Counts> {
	const histories = Number(values.histories ?? (values.mutants || values.mutant ? 1000 : 20_000));
	if (values.mutant !== undefined) return await tryMutant(values.mutant, histories);
	if (values.share) return await campaign(histories);
	if (values.path !== undefined) {
		await replay(seed, values.path);
		return { passed: 1, failed: 0 };
	}
	const common = (from: number, count: number) => [`--seed=${from}`, `--histories=${count}`];
	if (values.mutants) {
		const chosen = allMutants.filter(({ name }) => name.includes(values.only));
		return await inParallel(
			chosen.map(({ name }) => [`--mutant=${name}`, ...common(seed, histories)]),
		);
	}
	const share = Math.ceil(histories / workers);
	return await inParallel(
		Array.from({ length: workers }, (_, worker) => [
			'--share',
			...common(seed + worker * share, share),
		]),
	);
}

const { passed, failed } = await main();
console.log(`\n${passed} passed, ${failed} failed`);
process.exit(failed === 0 ? 0 : 1);
