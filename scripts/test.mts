// What `npm test` does: build (unless nothing has changed), lint, type check, tests. With arguments, `npm test -- <file or
// pattern>`, it builds and hands them to vitest. The last line is always `N passed, N failed`.
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

import { isBuilt, noteBuilt } from './build.mts';
import {
	check,
	checkStatically,
	run,
	seconds,
	type Step,
	StepFailed,
	stopOnSignals,
} from './checks.mts';

const build: Step = { title: 'build', command: 'n8n-node', args: ['build'] };

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
		if (args.length === 0) await checkStatically();
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

stopOnSignals();
const start = performance.now();
const { passed, failed } = await main(process.argv.slice(2));
console.log(`Took ${seconds(start)}`);
console.log(`${passed} passed, ${failed} failed`);
process.exitCode = failed === 0 ? 0 : 1;
