// What `npm test` does: build (unless nothing has changed), lint, type check, tests. With arguments, `npm test -- <file or
// pattern>`, it builds and hands them to vitest. The last line is always `N passed, N failed`.
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
import { type Counts, countTests } from './vitest.mts';

const build: Step = { title: 'build', command: 'n8n-node', args: ['build'] };

async function test(args: string[]): Promise<Counts> {
	return await countTests(async (reporter, variables) => {
		const all = ['run', '--reporter=default', ...reporter, ...args];
		return (await run({ title: 'tests', command: 'vitest', args: all, variables }, true)).code;
	});
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
