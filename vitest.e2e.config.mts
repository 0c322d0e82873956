import path from 'node:path';

import { defineConfig } from 'vitest/config';

/** Tests in a real n8n, which is installed first if need be: npm run test:e2e. */
export default defineConfig({
	resolve: {
		alias: { 'n8n-workflow': path.resolve('node_modules/n8n-workflow/dist/cjs/index.js') },
	},
	test: {
		reporters: ['default', './scripts/countReporter.mts'],
		include: ['test/e2e/**/*.test.mts'],
		globalSetup: ['scripts/buildPackage.mts', 'test/e2e/globalSetup.mts'],
		// One n8n at a time.
		fileParallelism: false,
		testTimeout: 120_000,
		// What a real n8n and a browser do takes its time, above all on a busy machine.
		expect: { poll: { timeout: 30_000 } },
		hookTimeout: 900_000,
	},
});
