// What `npm test` does: build (unless nothing has changed), lint, type check, tests. With arguments, `npm test -- <file or
// pattern>`, it builds and hands them to vitest. The last line is always `N passed, N failed`.
import { type ChildProcess, spawn } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

import { isBuilt, noteBuilt } from './build.mts';

interface Step {
	title: string;
	command: string;
	args: string[];
}

const root = join(import.meta.dirname, '..');
const build: Step = { title: 'build', command: 'n8n-node', args: ['build'] };
// Two lanes for two cores.
const staticChecks: Step[][] = [
	[
		{ title: 'types', command: 'tsc', args: ['-p', 'tsconfig.dev.json'] },
		{ title: 'lint', command: 'eslint', args: ['-c', 'eslint.dev.config.mjs', '.'] },
	],
	[
		{ title: "n8n's lint", command: 'n8n-node', args: ['lint'] },
		{ title: 'format', command: 'prettier', args: ['--check', '.'] },
	],
];

class StepFailed extends Error {}

const running = new Set<ChildProcess>();

const seconds = (since: number): string => `${((performance.now() - since) / 1000).toFixed(1)} s`;

/** Runs a step and resolves to its exit code (a signal or a missing command counts as 1) and its output. */
async function run(step: Step, show: boolean): Promise<{ code: number; output: string }> {
	const child = spawn(step.command, step.args, {
		cwd: root,
		// Without spinners and colours in output that is kept for later.
		env: show ? process.env : { ...process.env, CI: 'true', NO_COLOR: '1' },
		stdio: show ? 'inherit' : ['ignore', 'pipe', 'pipe'],
	});
	running.add(child);
	let output = '';
	for (const stream of [child.stdout, child.stderr]) {
		stream?.setEncoding('utf8').on('data', (text: string) => {
			output += text;
		});
	}
	return await new Promise((resolve) => {
		child.on('error', (error) => {
			resolve({ code: 1, output: error.message });
		});
		child.on('close', (code) => {
			running.delete(child);
			resolve({ code: code ?? 1, output });
		});
	});
}

async function check(step: Step): Promise<void> {
	const start = performance.now();
	const { code, output } = await run(step, false);
	console.log(`${code === 0 ? '✓' : '✗'} ${step.title.padEnd(12)} ${seconds(start).padStart(7)}`);
	if (code !== 0) {
		console.log(`\n${output.trim()}\n`);
		throw new StepFailed(`${[step.command, ...step.args].join(' ')} failed (exit code ${code}).`);
	}
}

/** Runs the steps of a lane one after the other, until one of any lane has failed. */
async function checkInLanes(lanes: Step[][]): Promise<void> {
	let failed = false;
	const results = await Promise.allSettled(
		lanes.map(async (lane) => {
			for (const step of lane) {
				if (failed) return;
				try {
					await check(step);
				} catch (error) {
					failed = true;
					throw error;
				}
			}
		}),
	);
	for (const result of results) if (result.status === 'rejected') throw result.reason;
}

interface Counts {
	passed: number;
	failed: number;
}

/** The counts from vitest's own report. A run that failed outside of a test (a file that does not load) counts as one failed. */
function countTests(reportFile: string, code: number): Counts {
	let report = { numPassedTests: 0, numFailedTests: 0 };
	try {
		report = JSON.parse(readFileSync(reportFile, 'utf8')) as typeof report;
	} catch {
		// vitest ended before it wrote a report: its exit code says so
	}
	const { numPassedTests: passed, numFailedTests: failed } = report;
	return { passed, failed: code !== 0 && failed === 0 ? 1 : failed };
}

async function test(args: string[]): Promise<Counts> {
	const folder = mkdtempSync(join(tmpdir(), 'backlink-exchange-test-'));
	const reportFile = join(folder, 'report.json');
	try {
		const reporters = ['--reporter=default', '--reporter=json', `--outputFile.json=${reportFile}`];
		const vitest = { title: 'tests', command: 'vitest', args: ['run', ...reporters, ...args] };
		const { code } = await run(vitest, true);
		return countTests(reportFile, code);
	} finally {
		rmSync(folder, { recursive: true, force: true });
	}
}

async function main(args: string[]): Promise<Counts> {
	try {
		if (isBuilt()) console.log('✓ build        unchanged');
		else {
			await check(build);
			noteBuilt();
		}
		if (args.length === 0) await checkInLanes(staticChecks);
		else {
			console.log('Lint, types and format are left out, because only some tests were asked for.');
		}
		const counts = await test(args);
		if (counts.passed + counts.failed > 0) return counts;
		console.log('No test ran.');
	} catch (error) {
		if (!(error instanceof StepFailed)) throw error;
		console.log(`${error.message} The steps after it did not run.`);
	}
	return { passed: 0, failed: 1 };
}

// A stopped step counts as failed, so that the run ends with its counts.
for (const name of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) {
	process.on(name, () => {
		// A terminal sends Ctrl-C to all its processes by itself.
		if (name === 'SIGINT' && process.stdin.isTTY) return;
		for (const child of running) child.kill(name);
	});
}
const start = performance.now();
const { passed, failed } = await main(process.argv.slice(2));
console.log(`Took ${seconds(start)}`);
console.log(`${passed} passed, ${failed} failed`);
process.exitCode = failed === 0 ? 0 : 1;
