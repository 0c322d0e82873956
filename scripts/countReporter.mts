/** Writes down for scripts/vitest.mts how many tests have passed and failed. Vitest loads it. */
import { writeFileSync } from 'node:fs';

import type { Reporter, TestModule } from 'vitest/node';

import { type Counts, countsVariable } from './vitest.mts';

export default class CountReporter implements Reporter {
	onTestRunEnd(modules: readonly TestModule[]): void {
		const tests = modules.flatMap(({ children }) => [...children.allTests()]);
		const count = (state: string) => tests.filter((test) => test.result().state === state).length;
		const counts: Counts = { passed: count('passed'), failed: count('failed') };
		writeFileSync(process.env[countsVariable] ?? '', JSON.stringify(counts));
	}
}
