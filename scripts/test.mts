// What `npm test` does: build (unless nothing has changed), lint, type check, tests. With arguments, `npm test -- <file or
// pattern>`, it builds and hands them to vitest. The last line is always `N passed, N failed`.
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

import { isBuilt, noteBuilt } from './build.mts';
import { check, checkStatically, seconds, StepFailed, stopped } from './checks.mts';

/** What vitest's own reporter has counted. */
interface Report {
	numPassedTests: number;
	numFailedTests: number;
}

/** A run that failed outside of a test (a file that does not load), or in which no test ran, counts as one failed. */
async function test(args: string[]): Promise<[passed: number, failed: number]> {
	const folder = mkdtempSync(join(tmpdir(), 'backlink-exchange-test-'));
	const report = join(folder, 'report.json');
	const reporters = ['--reporter=default', '--reporter=json', `--outputFile.json=${report}`];
	try {
		const child = spawn('vitest', ['run', ...reporters, ...args], { stdio: 'inherit' });
		stopped.addEventListener('abort', () => child.kill());
		const [code] = (await once(child, 'close').catch(() => [1])) as [number | null];
		if (!existsSync(report)) return [0, 1];
		const counts = JSON.parse(readFileSync(report, 'utf8')) as Report;
		const { numPassedTests: passed, numFailedTests: failed } = counts;
		return [passed, code !== 0 || passed === 0 ? Math.max(failed, 1) : failed];
	} finally {
		rmSync(folder, { recursive: true, force: true });
	}
}

async function main(args: string[]): Promise<[passed: number, failed: number]> {
	try {
		if (isBuilt()) console.log('✓ build        unchanged');
		else {
			await check({ title: 'build', command: 'n8n-node', args: ['build'] });
			noteBuilt();
		}
		if (args.length === 0) await checkStatically();
		else {
			console.log('Lint, types and format are left out, because only some tests were asked for.');
		}
	} catch (error) {
		if (!(error instanceof StepFailed)) throw error;
		console.log(`${error.message} The steps after it did not run.`);
		return [0, 1];
	}
	return await test(args);
}

const start = performance.now();
const [passed, failed] = await main(process.argv.slice(2));
console.log(`Took ${seconds(start)}`);
console.log(`${passed} passed, ${failed} failed`);
process.exitCode = failed === 0 ? 0 : 1;
