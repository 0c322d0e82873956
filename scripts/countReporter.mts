/** Ends a run of vitest with the line `N passed, N failed`, which .ci/run adds up. */
import type { Reporter, TestModule } from 'vitest/node';

export default class CountReporter implements Reporter {
	#passed = 0;
	#failed = 0;

	onInit(): void {
		// What fails outside of a test may do so after the end of the run, and a run without a test
		// proves nothing.
		process.on('exit', (code) => {
			if (this.#failed === 0 && (code !== 0 || this.#passed === 0)) this.#failed = 1;
			if (this.#failed > 0 && code === 0) process.exitCode = 1;
			console.log(`${this.#passed} passed, ${this.#failed} failed`);
		});
	}

	onTestRunEnd(modules: readonly TestModule[]): void {
		for (const module of modules) {
			this.#passed += [...module.children.allTests('passed')].length;
			this.#failed += [...module.children.allTests('failed')].length;
		}
	}
}
