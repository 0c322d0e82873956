/**
 * Small changes to nodes/, each of which a test must notice: npm run mutation [-- --mutate nodes/shared/pacing.ts]. The
 * package is built once with all of them inside, and each is switched on in turn.
 */
export default {
	mutate: ['nodes/**/*.ts'],
	buildCommand: 'tsc -p test/mutation/tsconfig.json',
	testRunner: 'vitest',
	plugins: ['@stryker-mutator/vitest-runner'],
	vitest: { configFile: 'test/mutation/vitest.config.mts', related: false },
	coverageAnalysis: 'perTest',
	ignoreStatic: true,
	ignorePatterns: ['dist', 'docs', 'playground', 'bench', 'workflows', 'test/e2e'],
	tempDirName: '/tmp/n8n-nodes-backlink-exchange-mutation',
	reporters: ['clear-text', 'progress-append-only'],
	clearTextReporter: { allowColor: false, logTests: false, reportTests: false },
	timeoutMS: 20_000,
	dryRunTimeoutMinutes: 30,
};
