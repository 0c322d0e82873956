/**
 * npm run test:long -- campaign [--seed 1 --histories 20000 --workers 2]: random histories of accepting offers, compared with the
 * sandbox's books. With --seed and --path, shows one history again, as printed for a contradiction. The last line is
 * `N passed, N failed`.
 */
import { availableParallelism } from 'node:os';
import { parseArgs } from 'node:util';

import { counted, type Counts } from '../counted.mts';
import { examine, replay } from './examine.mts';

/** Histories after which the next seed is used: a contradiction ends its part. */
const part = 100;
/** Histories after which a process ends: what n8n's engine keeps of each would fill its memory. */
const mostInAProcess = 1000;

const { values } = parseArgs({
	options: {
		seed: { type: 'string', default: '1' },
		path: { type: 'string' },
		histories: { type: 'string', default: '20000' },
		workers: { type: 'string', default: String(availableParallelism()) },
		/** What a process of its own does. */
		share: { type: 'boolean', default: false },
	},
});
const seed = Number(values.seed);
const workers = Number(values.workers);
const all = Number(values.histories);

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

/** Shares of the histories, each in a process of its own. */
async function inParallel(): Promise<Counts> {
	const sum: Counts = { passed: 0, failed: 0 };
	let begun = 0;
	const work = async () => {
		while (begun < all) {
			const share = Math.min(mostInAProcess, Math.ceil(all / workers), all - begun);
			const own = ['--share', `--seed=${seed + begun}`, `--histories=${share}`];
			begun += share;
			// What n8n logs of failed nodes is expected here.
			const env = { ...process.env, N8N_LOG_LEVEL: 'silent' };
			const { passed, failed } = await counted(process.execPath, [import.meta.filename, ...own], {
				env,
			});
			sum.passed += passed;
			sum.failed += failed;
		}
	};
	await Promise.all(Array.from({ length: workers }, work));
	return sum;
}

async function main(): Promise<Counts> {
	if (values.share) return await campaign(all);
	if (values.path === undefined) return await inParallel();
	await replay(seed, values.path);
	return { passed: 1, failed: 0 };
}

const { passed, failed } = await main();
console.log(`\n${passed} passed, ${failed} failed`);
process.exit(failed === 0 ? 0 : 1);
