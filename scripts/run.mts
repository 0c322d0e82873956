/**
 * Builds the package, then runs a script that works on it: `node run.mts probe/main.mts [arguments …]`, or one of several by its
 * name: `node run.mts 'bench/*.mts' webhook [arguments …]`. A script that is called main has the name of its folder.
 */
import { spawnSync } from 'node:child_process';
import { globSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';

import { buildIfChanged } from './build.mts';

const root = join(import.meta.dirname, '..');
const [pattern = '', ...rest] = process.argv.slice(2);
const nameOf = (file: string) =>
	basename(file === join(dirname(file), 'main.mts') ? dirname(file) : file, '.mts');
const scripts = new Map(globSync(pattern, { cwd: root }).map((file) => [nameOf(file), file]));
const isOne = !pattern.includes('*');
const script = isOne ? pattern : scripts.get(rest[0] ?? '');
const args = isOne ? rest : rest.slice(1);

if (script === undefined) {
	console.error(`Name one of these after "--": ${[...scripts.keys()].sort().join(', ')}`);
	process.exit(1);
}
try {
	buildIfChanged();
	const { status } = spawnSync(process.execPath, [join(root, script), ...args], {
		stdio: 'inherit',
	});
	process.exitCode = status ?? 1;
} catch (error) {
	console.error(error instanceof Error ? error.message : error);
	process.exitCode = 1;
}
