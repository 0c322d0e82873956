/**
 * npm run mutation [-- --mutate nodes/shared/pacing.ts]: small changes to nodes/, each of which a test must notice. All
 * further arguments are Stryker's; the whole takes hours.
 */
import { spawnSync } from 'node:child_process';
import path from 'node:path';

const settings = path.join(import.meta.dirname, 'stryker.config.mjs');
const { status } = spawnSync('stryker', ['run', settings, ...process.argv.slice(2)], {
	cwd: path.resolve(import.meta.dirname, '../..'),
	stdio: 'inherit',
});
process.exitCode = status ?? 1;
