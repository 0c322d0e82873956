/**
 * Builds the package before the tests if a source is newer than the last build.
 *
 * Most tests load `dist`. Vitest calls this, and again before each run of its watch mode.
 */
import { spawnSync } from 'node:child_process';
import { globSync, statSync, utimesSync, writeFileSync } from 'node:fs';
import path from 'node:path';

import type { TestProject } from 'vitest/node';

const root = path.resolve(import.meta.dirname, '..');

/**
 * The files that a build reads. A folder's own time shows that a file in it was deleted or renamed.
 */
const sources = ['{nodes,credentials,icons}/**', 'package.json', 'tsconfig.json'];

export default function setup(project: TestProject): void {
	buildIfStale();
	project.onTestsRerun(async () => {
		buildIfStale();
		return Promise.resolve();
	});
}

/**
 * Checks whether a source of the package in the folder has changed since its last complete build
 * started.
 */
export function isStale(folder: string): boolean {
	const built = statSync(getStampPath(folder), { throwIfNoEntry: false })?.mtimeMs ?? 0;
	return globSync(sources, { cwd: folder }).some(
		(source) => statSync(path.join(folder, source)).mtimeMs > built,
	);
}

/** Marks the package in the folder as built from what its sources were at that time. */
export function markBuilt(folder: string, startedAt: Date): void {
	writeFileSync(getStampPath(folder), '');
	utimesSync(getStampPath(folder), startedAt, startedAt);
}

function buildIfStale(): void {
	if (!isStale(root)) return;
	const startedAt = new Date();
	const bin = path.join(root, 'node_modules/.bin');
	const { status, stdout } = spawnSync('n8n-node', ['build'], {
		cwd: root,
		env: { ...process.env, PATH: [bin, process.env.PATH].join(path.delimiter) },
		encoding: 'utf8',
	});
	if (status !== 0) throw new Error(`The package can't be built:\n${stdout}`);
	markBuilt(root, startedAt);
}

/** In `dist`, because `n8n-node build` empties that first. */
function getStampPath(folder: string): string {
	return path.join(folder, 'dist/.built');
}
