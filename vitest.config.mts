import { createRequire } from 'node:module';
import { availableParallelism } from 'node:os';
import path from 'node:path';

import { configDefaults, defineConfig } from 'vitest/config';

export default defineConfig({
	resolve: {
		// Its ESM build does not load in Node.js; n8n itself uses this one.
		alias: {
			'n8n-workflow': createRequire(
				path.resolve(process.env.N8N_CORE_FOLDER ?? '.', 'package.json'),
			).resolve('n8n-workflow'),
		},
	},
	test: {
		reporters: ['default', './scripts/countReporter.mts'],
		include: ['test/**/*.test.mts'],
		// These need a real n8n: npm run test:e2e.
		exclude: ['test/e2e/**', 'node_modules/**'],
		globalSetup: 'scripts/buildPackage.mts',
		// In watch mode, vitest can't see that tests load the nodes from `dist`.
		forceRerunTriggers: [...configDefaults.forceRerunTriggers, '**/{nodes,credentials}/**'],
		setupFiles: ['test/seed.mts', 'test/watchdog.mts'],
		testTimeout: 30_000,
		// `npm pack` alone can take 10 seconds on a busy machine.
		hookTimeout: 60_000,
		// Loading n8n-core for each file anew took half of the time. So a file leaves nothing behind
		// for the next one.
		isolate: false,
		// vitest would leave one core to its own process, which has little to do.
		maxWorkers: availableParallelism(),
		// n8n logs each error of a node; worth reading only where a test fails.
		silent: 'passed-only',
	},
});
