/**
 * npm run test:long -- campaign [--seed 1 --histories 20000 --workers 2]: random histories of accepting offers, compared with the
 * sandbox's books. With --seed and --path, shows one history again, as printed for a contradiction. With --mutants, puts
 * faults into copies of the package, and says which were noticed.
 */
import { rmSync } from 'node:fs';
import { availableParallelism } from 'node:os';
import { parseArgs } from 'node:util';

import { type Examined, type Finding, replay } from './examine.mts';
import { examiner } from './examiner.mts';
import { featureNames } from './features.mts';
import { allMutants, applyMutant } from './mutants.mts';

/** Histories that a worker examines at a time; each part has a seed of its own. */
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
	},
});

function report({ seed, path: place, wrong, history }: Finding): void {
	console.log(
		`\n${wrong.join('\n')}\n  npm run test:long -- campaign --seed ${seed} --path ${place}`,
	);
	if (history !== '') console.log(`  ${history}`);
}

async function campaign(seed: number, histories: number, workers: number): Promise<boolean> {
	const startedAt = performance.now();
	const sum: Examined = { histories: 0, executions: 0, paid: 0, features: {}, findings: [] };
	let given = 0;
	let announced = 0;
	await inParallel(workers, async () => {
		using process = examiner();
		while (given < histories) {
			const next = { seed: seed + given, count: Math.min(part, histories - given), shrinks: true };
			given += part;
			const examined = await process.examine(next);
			sum.histories += examined.histories;
			sum.executions += examined.executions;
			sum.paid += examined.paid;
			for (const [name, count] of Object.entries(examined.features)) {
				sum.features[name] = (sum.features[name] ?? 0) + count;
			}
			sum.findings.push(...examined.findings);
			examined.findings.forEach(report);
			if (sum.histories >= announced + 1000) {
				announced = sum.histories;
				console.log(`${announced} of ${histories}`);
			}
		}
	});
	const seconds = Math.round((performance.now() - startedAt) / 1000);
	const { executions, paid, features, findings } = sum;
	console.log('\nhistories with …');
	for (const name of featureNames) {
		console.log(`${String(features[name] ?? 0).padStart(7)} ${name}`);
	}
	console.log(
		`\n${sum.histories} histories with seed ${seed}: ${executions} executions, ${paid} accepts paid, ${findings.length} contradictions, in ${seconds} s with ${workers} workers`,
	);
	console.log(`${sum.histories - findings.length} passed, ${findings.length} failed`);
	return findings.length === 0;
}

/** Lets histories happen with each mutant until one breaks a rule. */
async function mutation(seed: number, most: number, workers: number): Promise<boolean> {
	const chosen = allMutants.filter(({ name }) => name.includes(values.only));
	const waiting = [...chosen];
	let missed = 0;
	await inParallel(workers, async () => {
		for (let next = waiting.shift(); next !== undefined; next = waiting.shift()) {
			const dist = applyMutant(next);
			using process = examiner(dist);
			let histories = 0;
			let finding: Finding | undefined;
			while (finding === undefined && histories < most) {
				const examined = await process.examine({
					seed: seed + histories,
					count: 20,
					shrinks: false,
				});
				[finding] = examined.findings;
				histories += finding === undefined ? 20 : Number(finding.path) + 1;
			}
			// A package that does not load is no proof.
			if (finding?.wrong[0]?.startsWith('world:')) throw new Error(finding.wrong[0]);
			if (finding === undefined) missed++;
			const found = finding ? `after ${histories}: ${finding.wrong[0] ?? ''}` : `not in ${most}`;
			console.log(`${next.name}: ${found}`);
			rmSync(dist, { recursive: true });
		}
	});
	console.log(`\n${chosen.length - missed} noticed, ${missed} failed`);
	return missed === 0;
}

async function inParallel(workers: number, work: () => Promise<void>): Promise<void> {
	await Promise.all(Array.from({ length: workers }, work));
}

const seed = Number(values.seed);
const workers = Number(values.workers);
let passed: boolean;
if (values.mutants) passed = await mutation(seed, Number(values.histories ?? 1000), workers);
else if (values.path === undefined) {
	passed = await campaign(seed, Number(values.histories ?? 20_000), workers);
} else {
	const wrong = await replay(seed, values.path);
	console.log(wrong.length === 0 ? 'No contradiction.' : wrong.join('\n'));
	passed = wrong.length === 0;
}
process.exit(passed ? 0 : 1);
