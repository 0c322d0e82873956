// Builds the package, then runs a script with Node 24: for what works on dist/ outside of `npm test`.
import { spawnSync } from 'node:child_process';

import { buildIfChanged } from './build.mts';

const [script, ...args] = process.argv.slice(2);
if (script === undefined) throw new Error('Usage: withBuild.mts <script> [arguments]');

try {
	buildIfChanged();
	process.exitCode =
		spawnSync(process.execPath, [script, ...args], { stdio: 'inherit' }).status ?? 1;
} catch (error) {
	console.error(error instanceof Error ? error.message : error);
	process.exitCode = 1;
}
