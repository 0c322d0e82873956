import { spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { existsSync, globSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

const root = join(import.meta.dirname, '..');
/** All that a build is made from; the lock file stands for the compiler. */
const sources = [
	'{nodes,credentials,icons}/**',
	'package.json',
	'package-lock.json',
	'tsconfig.json',
];
// Inside dist, so that it goes when dist is deleted or built again; npm packs only the folders beside it.
const stamp = join(root, 'dist', '.built-from');

/** Whether dist/ is what these sources build to. */
export function isBuilt(): boolean {
	return existsSync(stamp) && readFileSync(stamp, 'utf8') === fingerprint();
}

/** To be called after a build that went well. */
export function noteBuilt(): void {
	writeFileSync(stamp, fingerprint());
}

/**
 * Builds the package, unless dist/ is up to date.
 * @throws Error with what the compiler said
 */
export function buildIfChanged(): void {
	if (isBuilt()) return;
	const { status, stdout, stderr } = spawnSync('n8n-node', ['build'], {
		cwd: root,
		encoding: 'utf8',
	});
	if (status !== 0) throw new Error(`${stdout}${stderr}\nThe package does not build.`);
	noteBuilt();
}

/** Changes with every file of the sources, and with every file of the build that somebody has touched. */
function fingerprint(): string {
	const hash = createHash('sha256');
	for (const file of globSync(sources, { cwd: root }).sort()) {
		if (statSync(join(root, file)).isFile()) {
			hash.update(file).update(readFileSync(join(root, file)));
		}
	}
	for (const file of globSync('dist/**/*.{js,json,svg}', { cwd: root }).sort()) {
		const { size, mtimeMs } = statSync(join(root, file));
		hash.update(`${file} ${size} ${mtimeMs}`);
	}
	return hash.digest('hex');
}
