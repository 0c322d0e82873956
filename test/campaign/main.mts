/**
 * npm run campaign [-- --seed 1 --histories 20000 --workers 2]: random histories of accepting offers, compared with the
 * sandbox's books. With --seed and --path, shows one history again, as printed for a contradiction.
 */
import { fork } from 'node:child_process';
import { availableParallelism } from 'node:os';
import path from 'node:path';
import { parseArgs } from 'node:util';

import { type Examined, type Finding, replay } from './examine.mts';
import { featureNames } from './features.mts';

/** Histories that a worker examines at a time; each part has a seed of its own. */
const part = 100;

const { values } = parseArgs({
	options: {
		seed: { type: 'string', default: '1' },
		path: { type: 'string' },
		histories: { type: 'string', default: '20000' },
		workers: { type: 'string', default: String(availableParallelism()) },
	},
});

function report({ seed, path: place, wrong, history }: Finding): void {
	console.log(`\n${wrong.join('\n')}\n  npm run campaign -- --seed ${seed} --path ${place}`);
	if (history !== '') console.log(`  ${history}`);
}

async function campaign(seed: number, histories: number, workers: number): Promise<boolean> {
	const startedAt = performance.now();
	const sum: Examined = { histories: 0, executions: 0, paid: 0, features: {}, findings: [] };
	let given = 0;
	let told = 0;
	await Promise.all(
		Array.from({ length: workers }, async () => {
			// What n8n logs of failed nodes is expected here.
			const child = fork(path.join(import.meta.dirname, 'worker.mts'), {
				stdio: ['ignore', 'ignore', 'ignore', 'ipc'],
			});
			await new Promise<void>((resolve, reject) => {
				const next = () => {
					if (given >= histories) child.kill();
					else {
						child.send({ seed: seed + given, count: Math.min(part, histories - given) });
						given += part;
					}
				};
				child.on('message', (message: 'ready' | Examined) => {
					if (message !== 'ready') {
						sum.histories += message.histories;
						sum.executions += message.executions;
						sum.paid += message.paid;
						for (const [name, count] of Object.entries(message.features)) {
							sum.features[name] = (sum.features[name] ?? 0) + count;
						}
						sum.findings.push(...message.findings);
						message.findings.forEach(report);
						if (sum.histories >= told + 1000) {
							told = sum.histories;
							console.log(`${told} of ${histories}`);
						}
					}
					next();
				});
				child.once('error', reject);
				child.once('exit', (code, signal) => {
					if (signal === 'SIGTERM') resolve();
					else reject(new Error(`A worker ended with ${code ?? signal ?? 'nothing'}.`));
				});
			});
		}),
	);
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

const seed = Number(values.seed);
let passed: boolean;
if (values.path === undefined) {
	passed = await campaign(seed, Number(values.histories), Number(values.workers));
} else {
	const wrong = await replay(seed, values.path);
	console.log(wrong.length === 0 ? 'No contradiction.' : wrong.join('\n'));
	passed = wrong.length === 0;
}
process.exit(passed ? 0 : 1);
